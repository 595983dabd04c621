// Runs artifacts with every input and every output of known size placed so that it ends (or begins)
// at an unreadable page: a kernel that touches one byte that is not the model's faults. A case is a
// folder with model.tsr, inputs.txt (for each input a line: its file, its rank, its sizes) and the
// inputs' bytes; the outputs' bytes go to output_<i>.raw, their sizes to stdout. The program is
// built twice: tessera_guarded_run, and tessera_plain_run for valgrind.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/lowering/test/guarded_memory.h"
#include "tessera/runtime.hpp"
#include "tests/memcheck/guarded_allocator.h"

namespace {

using tessera::Context;
using tessera::Error;
using tessera::Executable;
using tessera::lowering::Edge;

constexpr int kForeignMemory = 5;  ///< Exit code: the run touched what is not the model's.

struct Options {
  Edge edge = Edge::kEnd;
  bool isPlain = false;  ///< Tensors from the heap, for valgrind.
  /// Mistakes that the check is there to find: a read behind an input, and one beyond that edge of
  /// memory that is allocated during the run.
  bool plantsRead = false, plantsUse = false;
  int32_t numThreads = 1;
  std::vector<std::string> folders;
};

/// A tensor's memory and sizes; the memory is never given back, late uses are to be seen.
struct Tensor {
  void* data = nullptr;
  std::vector<int64_t> dims;
  size_t sizeBytes = 0;
};

}  // namespace

static void reportFault(int /*signal*/, siginfo_t* info, void* /*context*/) {
  size_t sizeBytes = 0;
  const ptrdiff_t distance = tessera::lowering::distanceToGuarded(info->si_addr, sizeBytes);
  char message[160];
  const int length =
      sizeBytes == 0 && distance == 0
          ? std::snprintf(message, sizeof(message), "error: fault at %p\n", info->si_addr)
          : std::snprintf(message, sizeof(message),
                          "error: touched byte %td outside memory of %zu bytes\n", distance,
                          sizeBytes);
  if (write(STDERR_FILENO, message, static_cast<size_t>(length)) < 0) _exit(kForeignMemory + 1);
  _exit(kForeignMemory);
}

static void catchFaults() {
  struct sigaction action = {};
  action.sa_sigaction = reportFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

static void* place(const Options& options, size_t sizeBytes, size_t elementBytes) {
  if (!options.isPlain)
    return tessera::lowering::allocateGuarded(sizeBytes, elementBytes, options.edge);
  return std::malloc(sizeBytes);
}

static size_t countBytes(std::span<const int64_t> dims, size_t elementBytes) {
  size_t bytes = elementBytes;
  for (const int64_t dim : dims) bytes *= static_cast<size_t>(dim);
  return bytes;
}

static tessera::Result<Tensor> readInput(const Options& options, const std::string& folder,
                                         const std::string& line, size_t elementBytes) {
  std::istringstream words(line);
  std::string file;
  size_t rank = 0;
  words >> file >> rank;
  Tensor tensor;
  tensor.dims.resize(rank);
  for (int64_t& dim : tensor.dims) words >> dim;
  tensor.sizeBytes = countBytes(tensor.dims, elementBytes);
  std::ifstream stream(folder + "/" + file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  if (!words || bytes.size() != tensor.sizeBytes) {
    return Error{.code = tessera::ErrorCode::kInvalidInput,
                 .message = "an input has " + std::to_string(bytes.size()) + " bytes, expected " +
                            std::to_string(tensor.sizeBytes),
                 .file = folder + "/" + file};
  }
  tensor.data = place(options, tensor.sizeBytes, elementBytes);
  if (!bytes.empty()) std::memcpy(tensor.data, bytes.data(), bytes.size());
  return tensor;
}

static tessera::Status bindInputs(const Options& options, const std::string& folder,
                                  const tessera_executable_info& info, Context& context) {
  std::ifstream list(folder + "/inputs.txt");
  for (uint32_t i = 0; i < info.num_inputs; ++i) {
    std::string line;
    std::getline(list, line);
    const size_t elementBytes = info.inputs[i]->dtype.bits / 8;
    TESSERA_TRY(const Tensor tensor, readInput(options, folder, line, elementBytes));
    TESSERA_TRY_VOID(
        context.setInput(i, tessera::fromDtype(info.inputs[i]->dtype), tensor.dims, tensor.data));
    if (options.plantsRead) {
      const volatile std::byte* data = static_cast<std::byte*>(tensor.data);
      std::printf("%d\n", data[tensor.sizeBytes] == std::byte{0} ? 1 : 0);
    }
  }
  return {};
}

/// Outputs of known size go to guarded memory; the context allocates the others.
static tessera::Status bindOutputs(const Options& options, const tessera_executable_info& info,
                                   Context& context) {
  for (uint32_t i = 0; i < info.num_outputs; ++i) {
    const tessera_tensor_info& output = *info.outputs[i];
    const std::span<const int64_t> dims(output.dims, static_cast<size_t>(output.rank));
    bool isKnown = true;
    for (const int64_t dim : dims) isKnown = isKnown && dim >= 0;
    if (!isKnown) continue;
    const size_t elementBytes = output.dtype.bits / 8;
    void* data = place(options, countBytes(dims, elementBytes), elementBytes);
    TESSERA_TRY_VOID(
        context.setOutput(i, Context::plainTensor(tessera::fromDtype(output.dtype), dims, data)));
  }
  return {};
}

static tessera::Status writeOutputs(const std::string& folder, uint32_t count, Context& context) {
  for (uint32_t i = 0; i < count; ++i) {
    TESSERA_TRY(const tessera_dltensor tensor, context.output(i));
    const std::span<const int64_t> dims(tensor.shape, static_cast<size_t>(tensor.ndim));
    const size_t bytes = countBytes(dims, tensor.dtype.bits / 8);
    std::ofstream file(folder + "/output_" + std::to_string(i) + ".raw", std::ios::binary);
    file.write(static_cast<const char*>(tensor.data), static_cast<std::streamsize>(bytes));
    std::printf("output %u", i);
    for (const int64_t dim : dims) std::printf(" %lld", static_cast<long long>(dim));
    std::printf("\n");
  }
  return {};
}

static void useTooFar(Edge edge) {
  constexpr size_t kSize = 256;
  volatile auto* memory = static_cast<std::byte*>(std::aligned_alloc(64, kSize));
  memory[edge == Edge::kEnd ? kSize : -1] = std::byte{1};
}

static tessera::Status runCase(const Options& options, const std::string& folder) {
  TESSERA_TRY(const Executable executable, Executable::loadFile(folder + "/model.tsr"));
  tessera::memcheck::guardAllocations(options.edge);
  auto created = Context::create(executable, {.numThreads = options.numThreads});
  tessera::memcheck::guardAllocations({});
  TESSERA_TRY(Context context, std::move(created));
  TESSERA_TRY_VOID(bindInputs(options, folder, executable.info(), context));
  TESSERA_TRY_VOID(bindOutputs(options, executable.info(), context));
  tessera::memcheck::guardAllocations(options.edge);
  if (options.plantsUse) useTooFar(options.edge);
  const tessera::Status status = context.run();
  tessera::memcheck::guardAllocations({});
  TESSERA_TRY_VOID(status);
  return writeOutputs(folder, executable.info().num_outputs, context);
}

static Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--begin") {
      options.edge = Edge::kBegin;
    } else if (word == "--plain") {
      options.isPlain = true;
    } else if (word == "--plant-read") {
      options.plantsRead = true;
    } else if (word == "--plant-use") {
      options.plantsUse = true;
    } else if (word == "--threads" && i + 1 < argc) {
      options.numThreads = std::atoi(argv[++i]);
    } else {
      options.folders.emplace_back(word);
    }
  }
  return options;
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.folders.empty()) {
    std::fputs("usage: guarded_run [--begin] [--plain] [--threads N] folder...\n", stderr);
    return 2;
  }
  if (!options.isPlain) catchFaults();
  int worst = 0;
  for (const std::string& folder : options.folders) {
    std::printf("case %s\n", folder.c_str());
    std::fflush(stdout);
    std::fprintf(stderr, "case %s\n", folder.c_str());
    const tessera::Status status = runCase(options, folder);
    if (status) continue;
    std::fprintf(stderr, "error: %s\n", status.error().toString().c_str());
    std::printf("refused %d\n", static_cast<int>(status.error().code));
    worst = std::max(worst, static_cast<int>(status.error().code));
  }
  return worst;
}
