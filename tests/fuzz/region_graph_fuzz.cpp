// The reader of region graphs on arbitrary bytes; what it accepts is written and read again.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "region_graph/graph.h"

using tessera::region_graph::readProgram;
using tessera::region_graph::writeProgram;

/// A copy of the bytes at an address that the reader accepts.
static std::unique_ptr<std::byte, decltype(&std::free)> aligned(const void* data, size_t size) {
  void* memory = nullptr;
  if (posix_memalign(&memory, 64, size + 1) != 0) std::abort();
  if (size != 0) std::memcpy(memory, data, size);
  return {static_cast<std::byte*>(memory), &std::free};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = aligned(data, size);
  const auto program = readProgram({bytes.get(), size});
  if (!program) {
    if (program.error().message.empty()) std::abort();
    return 0;
  }
  const std::vector<std::byte> written = writeProgram(**program);
  const auto again = aligned(written.data(), written.size());
  if (!readProgram({again.get(), written.size()})) std::abort();
  return 0;
}
