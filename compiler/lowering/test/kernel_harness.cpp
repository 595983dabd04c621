#include "compiler/lowering/test/kernel_harness.h"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "compiler/lowering/dialects.h"
#include "compiler/lowering/object/emit_object.h"
#include "compiler/lowering/object/link_shared.h"

namespace tessera::lowering {

bool runsHere(const std::string& level) {
  const auto native = makeCpuTarget("native");
  return native && native->cpu >= level;
}

// Written to a file of its own: dlopen caches by path, and a reused descriptor number would return
// an older library.
static Result<void*> loadLibrary(const std::vector<uint8_t>& bytes) {
  char path[] = "/tmp/tessera-kernel-XXXXXX";
  const int descriptor = mkstemp(path);
  if (descriptor < 0) return targetFailed("cannot create a temporary file");
  const ssize_t written = write(descriptor, bytes.data(), bytes.size());
  close(descriptor);
  void* handle =
      written == static_cast<ssize_t>(bytes.size()) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  const char* message = handle ? nullptr : dlerror();
  unlink(path);
  if (!handle)
    return targetFailed(std::string("cannot load the kernels: ") +
                        (message ? message : "short write"));
  return handle;
}

Result<std::unique_ptr<LoadedKernels>> LoadedKernels::compile(mlir::ModuleOp module,
                                                              const CpuTarget& target,
                                                              KernelForm form) {
  mlir::PassManager pm(module.getContext());
  const char* dump = std::getenv("TESSERA_KERNEL_DUMP");
  if (dump) {
    module.getContext()->disableMultithreading();
    pm.enableIRPrinting([](mlir::Pass*, mlir::Operation*) { return false; },
                        [](mlir::Pass*, mlir::Operation*) { return true; });
  }
  if (std::getenv("TESSERA_KERNEL_TIMING")) pm.enableTiming();
  if (form == KernelForm::kTensors) {
    buildTensorKernelPipeline(pm);
  } else {
    buildMemRefKernelPipeline(pm);
  }
  if (mlir::failed(pm.run(module))) return targetFailed("the kernel pipeline failed");
  EmitOptions emit;
  emit.keepLlvmIr = dump != nullptr;
  auto start = std::chrono::steady_clock::now();
  TESSERA_TRY(ObjectFile object, emitObject(module, target, emit));
  if (std::getenv("TESSERA_KERNEL_TIMING")) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::fprintf(stderr, "LLVM: %.1f ms\n", seconds * 1e3);
  }
  if (dump) {
    std::fputs(object.llvmIr.c_str(), stderr);
    if (FILE* file = std::fopen(dump, "wb")) {
      std::fwrite(object.bytes.data(), 1, object.bytes.size(), file);
      std::fclose(file);
    }
  }
  std::vector<std::vector<uint8_t>> objects;
  objects.push_back(std::move(object.bytes));
  TESSERA_TRY(const std::vector<uint8_t> library, linkShared(objects));
  TESSERA_TRY(void* handle, loadLibrary(library));
  return std::unique_ptr<LoadedKernels>(new LoadedKernels(handle));
}

LoadedKernels::~LoadedKernels() { dlclose(handle_); }

LoadedKernels::Entry LoadedKernels::find(const std::string& name) const {
  return reinterpret_cast<Entry>(dlsym(handle_, name.c_str()));
}

/// Spinning workers: benchmarks measure kernels, not wake-ups.
struct HarnessHost::Pool {
  explicit Pool(int numThreads) {
    for (int i = 1; i < numThreads; ++i) workers.emplace_back([this, i] { work(i); });
  }
  ~Pool() {
    stop = true;
    generation.fetch_add(1);
    for (std::thread& worker : workers) worker.join();
  }
  int numThreads() const { return static_cast<int>(workers.size()) + 1; }
  void share(int index) const {
    const int64_t threads = numThreads();
    const int64_t begin = count * index / threads;
    const int64_t end = count * (index + 1) / threads;
    if (begin < end) body(context, begin, end);
  }
  void work(int index) {
    uint64_t seen = 0;
    for (;;) {
      int spins = 0;
      while (generation.load(std::memory_order_acquire) == seen) {
        if (++spins > 20000) std::this_thread::yield();
      }
      ++seen;
      if (stop) return;
      share(index);
      finished.fetch_add(1, std::memory_order_release);
    }
  }
  void run(int64_t n, void (*function)(void*, int64_t, int64_t), void* argument) {
    if (workers.empty() || n <= 1) {
      if (n > 0) function(argument, 0, n);
      return;
    }
    body = function, context = argument, count = n;
    finished.store(0, std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_release);
    share(0);
    while (finished.load(std::memory_order_acquire) != static_cast<int>(workers.size())) {
    }
  }
  std::atomic<uint64_t> generation{0};
  std::atomic<int> finished{0};
  std::atomic<bool> stop{false};
  void (*body)(void*, int64_t, int64_t) = nullptr;
  void* context = nullptr;
  int64_t count = 0;
  std::vector<std::thread> workers;
};

HarnessHost::HarnessHost(int numThreads) : pool_(std::make_unique<Pool>(numThreads)), services_{} {
  services_.size = sizeof(services_);
  services_.host = this;
  services_.parallel_for = [](void* host, int64_t n, void (*body)(void*, int64_t, int64_t),
                              void* context) -> int32_t {
    auto* self = static_cast<HarnessHost*>(host);
    self->numIterations = n;
    self->pool_->run(n, body, context);
    return 0;
  };
  services_.alloc_output = [](void* host, uint32_t index, uint32_t rank,
                              const int64_t* dims) -> void* {
    auto* self = static_cast<HarnessHost*>(host);
    if (self->outputs.size() <= index) self->outputs.resize(index + 1);
    Output& output = self->outputs[index];
    output.dims.assign(dims, dims + rank);
    const size_t element = index < self->elementBytes.size() ? self->elementBytes[index] : 4;
    size_t bytes = element;
    for (const int64_t dim : output.dims) bytes *= static_cast<size_t>(dim);
    output.memory = GuardedMemory(bytes, element);
    return output.memory.data();
  };
  services_.workspace = [](void* host, size_t bytes) -> void* {
    auto* self = static_cast<HarnessHost*>(host);
    self->workspaceBytes = bytes;
    if (bytes > self->workspace_.sizeBytes())
      self->workspace_ = GuardedMemory(bytes, TESSERA_BUFFER_ALIGNMENT);
    return self->workspace_.data();
  };
  services_.num_threads = [](void* host) -> int32_t {
    return static_cast<HarnessHost*>(host)->pool_->numThreads();
  };
  services_.refuse = [](void* host, uint32_t, const char* text, int64_t, int64_t) {
    static_cast<HarnessHost*>(host)->refusal = text;
  };
  services_.allocate = [](void* host, size_t bytes) -> void* {
    static_cast<HarnessHost*>(host)->liveAllocations.fetch_add(1, std::memory_order_relaxed);
    return allocateGuarded(bytes, TESSERA_BUFFER_ALIGNMENT, Edge::kEnd);
  };
  services_.release = [](void* host, void* memory) {
    static_cast<HarnessHost*>(host)->liveAllocations.fetch_sub(1, std::memory_order_relaxed);
    releaseGuarded(memory);
  };
}

HarnessHost::~HarnessHost() = default;

std::unique_ptr<mlir::MLIRContext> makeKernelContext() {
  mlir::DialectRegistry registry;
  registerLoweringDialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

}  // namespace tessera::lowering
