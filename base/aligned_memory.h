// Memory for tensors, in the compiler and at run time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace tessera::base {

struct FreeMemory {
  void operator()(void* data) const { std::free(data); }
};
using AlignedMemory = std::unique_ptr<std::byte, FreeMemory>;

/// `sizeBytes` of memory that starts at a multiple of kBufferAlignment and is not initialised; an
/// address for 0 bytes, too. Null when memory is short. What fills huge pages (2 MiB) asks the
/// kernel for them, madvise(2): one fault instead of 512 at the first touch.
AlignedMemory allocateAligned(size_t sizeBytes);

}  // namespace tessera::base
