// Where buffers start. TESSERA_BUFFER_ALIGNMENT of tessera/backend_runtime.h is the number; every
// other alignment of the project derives from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "tessera/backend_runtime.h"

namespace tessera::base {

/// Buffers of tensors start at multiples of this many bytes, in memory and in files.
inline constexpr size_t kBufferAlignment = TESSERA_BUFFER_ALIGNMENT;

/// The least multiple of `alignment` that is not below `value`; `value` is at most
/// UINT64_MAX - alignment.
constexpr uint64_t alignUp(uint64_t value, uint64_t alignment = kBufferAlignment) {
  return (value + alignment - 1) / alignment * alignment;
}

struct FreeMemory {
  void operator()(void* data) const { std::free(data); }
};
using AlignedMemory = std::unique_ptr<std::byte, FreeMemory>;

/// `sizeBytes` of memory that starts at a multiple of kBufferAlignment and is not initialised; an
/// address for 0 bytes, too. Null when memory is short.
inline AlignedMemory allocateAligned(size_t sizeBytes) {
  if (sizeBytes > SIZE_MAX - kBufferAlignment) return nullptr;
  const size_t rounded = sizeBytes == 0 ? kBufferAlignment : alignUp(sizeBytes);
  return AlignedMemory(static_cast<std::byte*>(std::aligned_alloc(kBufferAlignment, rounded)));
}

}  // namespace tessera::base
