// How much memory an artifact takes: loads it, runs it once on zeros and prints the figures as
// JSON. memory_test.py compares them with the weights.
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tessera/runtime.hpp"

namespace {

using tessera::Context;
using tessera::Executable;

/// Resident bytes of this process, shared ones included.
struct Resident {
  uint64_t total = 0;
  uint64_t artifact = 0;  ///< Pages of the artifact's file.
};

Resident residentBytes(const std::string& artifact) {
  Resident resident;
  std::ifstream maps("/proc/self/smaps");
  bool isArtifact = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long kib = 0;
    if (std::sscanf(line.c_str(), "Rss: %llu kB", &kib) == 1) {
      resident.total += kib * 1024;
      if (isArtifact) resident.artifact += kib * 1024;
    } else if (line.find(": ") == std::string::npos) {
      isArtifact = line.ends_with(artifact);  // "from-to rights offset device inode path"
    }
  }
  return resident;
}

uint64_t sizeBytes(const tessera_tensor_info& tensor) {
  uint64_t bytes = tensor.dtype.bits / 8;
  for (int32_t d = 0; d < tensor.rank; ++d) bytes *= static_cast<uint64_t>(tensor.dims[d]);
  return bytes;
}

tessera::Status probe(const std::string& path) {
  const Resident before = residentBytes(path);
  TESSERA_TRY(const Executable executable, Executable::loadFile(path));
  TESSERA_TRY(Context context, Context::create(executable, {.numThreads = 1}));
  const tessera_executable_info& info = executable.info();
  std::vector<std::vector<std::byte>> inputs(info.num_inputs);
  uint64_t inputBytes = 0;
  for (uint32_t i = 0; i < info.num_inputs; ++i) {
    const tessera_tensor_info& tensor = *info.inputs[i];
    inputs[i].resize(sizeBytes(tensor));
    inputBytes += inputs[i].size();
    TESSERA_TRY_VOID(context.setInput(i, tessera::fromDtype(tensor.dtype),
                                      {tensor.dims, static_cast<size_t>(tensor.rank)},
                                      inputs[i].data()));
  }
  TESSERA_TRY_VOID(context.run());
  const Resident after = residentBytes(path);
  std::printf("{\"resident_growth\": %" PRIu64 ", \"artifact_resident\": %" PRIu64
              ", \"context\": %" PRIu64 ", \"inputs\": %" PRIu64 ", \"constants\": %" PRIu64 "}\n",
              after.total - before.total, after.artifact, context.memoryBytes(), inputBytes,
              info.constant_bytes);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: memory_probe artifact\n", stderr);
    return 2;
  }
  const tessera::Status status = probe(argv[1]);
  if (!status) std::fprintf(stderr, "error: %s\n", status.error().toString().c_str());
  return status ? 0 : static_cast<int>(status.error().code);
}
