// How often a program allocates: runs an artifact on zeros at each of the given sizes, then again,
// and prints as JSON how many allocations each tessera_context_run made, and who made them.
//   allocation_probe artifact numThreads SIZES...     SIZES: 2x8,3 for inputs [2, 8] and [3]
// malloc and its relatives are replaced by counting ones, which libstdc++'s operator new, the
// runtime and the kernels call too.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tessera/runtime.hpp"
#include "tests/harness/probe_inputs.h"

namespace {

constexpr int kMaxCallers = 64;
std::atomic<bool> isCounting = false;
std::atomic<int> allocationCount = 0;
std::array<void*, kMaxCallers> callers;  // Return addresses of the first allocations.

void countOne(void* caller) {
  if (!isCounting) return;
  const int index = allocationCount++;
  if (index < kMaxCallers) callers[static_cast<size_t>(index)] = caller;
}

}  // namespace

// NOLINTBEGIN: names of the C library
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* data, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  countOne(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(size_t nmemb, size_t size) {
  countOne(__builtin_return_address(0));
  return __libc_calloc(nmemb, size);
}
void* realloc(void* ptr, size_t size) {
  countOne(__builtin_return_address(0));
  return __libc_realloc(ptr, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  countOne(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) {
  countOne(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** data, size_t alignment, size_t size) {
  countOne(__builtin_return_address(0));
  *data = __libc_memalign(alignment, size);
  return *data == nullptr ? 12 : 0;  // ENOMEM
}
void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  countOne(__builtin_return_address(0));
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, length, protection, flags, file, offset));
}
}
// NOLINTEND

namespace {

using tessera::Context;
using tessera::Executable;
using tessera::test::parseShapes;
using tessera::test::Shapes;

/// The symbol behind an address, or the library.
std::string nameOf(void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0) return "?";
  return info.dli_sname != nullptr ? info.dli_sname : info.dli_fname;
}

class Probe {
 public:
  Probe(const Executable& executable, Context& context)
      : info_(executable.info()), context_(context) {}

  tessera::Status run(const Shapes& shapes) {
    if (shapes.size() != info_.num_inputs) {
      return tessera::usageError("found " + std::to_string(shapes.size()) + " shapes, expected " +
                                 std::to_string(info_.num_inputs));
    }
    std::vector<std::vector<std::byte>> inputs(info_.num_inputs);
    for (uint32_t i = 0; i < info_.num_inputs; ++i) {
      const tessera_tensor_info& tensor = *info_.inputs[i];
      inputs[i].resize(static_cast<size_t>(
          std::max<int64_t>(tessera::test::sizeBytes(tensor.dtype, shapes[i]), 1)));
      TESSERA_TRY_VOID(
          context_.setInput(i, tessera::fromDtype(tensor.dtype), shapes[i], inputs[i].data()));
    }
    allocationCount = 0;
    isCounting = true;
    const tessera::Status status = context_.run();
    isCounting = false;
    return status;
  }

 private:
  const tessera_executable_info& info_;
  Context& context_;
};

/// Whether libraries that are loaded later would call the counting functions above.
bool isCountingEverywhere() {
  allocationCount = 0;
  isCounting = true;
  std::free(reinterpret_cast<void* (*)(size_t)>(dlsym(RTLD_DEFAULT, "malloc"))(1));
  std::free(
      reinterpret_cast<void* (*)(size_t, size_t)>(dlsym(RTLD_DEFAULT, "aligned_alloc"))(64, 64));
  const std::vector<int> made(3);
  isCounting = false;
  return allocationCount == 3 && !made.empty();
}

/// Two more rounds: what a run gave back may be missing in the next.
tessera::Status probe(const std::string& path, int numThreads,
                      const std::vector<std::string>& sizes) {
  TESSERA_TRY(const Executable executable, Executable::loadFile(path));
  TESSERA_TRY(Context context, Context::create(executable, {.numThreads = numThreads}));
  Probe probe(executable, context);
  for (const std::string& text : sizes) TESSERA_TRY_VOID(probe.run(parseShapes(text)));
  std::string counts;
  std::vector<std::string> names;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& text : sizes) {
      TESSERA_TRY_VOID(probe.run(parseShapes(text)));
      counts += (counts.empty() ? "" : ", ") + std::to_string(allocationCount);
      for (int i = 0; i < std::min<int>(allocationCount, kMaxCallers); ++i)
        names.push_back(nameOf(callers[static_cast<size_t>(i)]));
    }
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  std::string who;
  for (const std::string& name : names) who += (who.empty() ? "\"" : ", \"") + name + "\"";
  std::printf("{\"again\": [%s], \"by\": [%s]}\n", counts.c_str(), who.c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: allocation_probe artifact numThreads sizes...\n", stderr);
    return 2;
  }
  if (!isCountingEverywhere()) {
    std::fputs("error: allocations are not counted\n", stderr);
    return 1;
  }
  const tessera::Status status = probe(argv[1], std::atoi(argv[2]), {argv + 3, argv + argc});
  if (!status) std::fprintf(stderr, "error: %s\n", status.error().toString().c_str());
  return status ? 0 : static_cast<int>(status.error().code);
}
