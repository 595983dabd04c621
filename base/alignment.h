// Where buffers start. TESSERA_BUFFER_ALIGNMENT of tessera/backend_runtime.h is the number; every
// other alignment of the project derives from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/backend_runtime.h"

namespace tessera::base {

/// Buffers of tensors start at multiples of this many bytes, in memory and in files.
inline constexpr size_t kBufferAlignment = TESSERA_BUFFER_ALIGNMENT;

/// The least multiple of `alignment` that is not below `value`; `value` is at most
/// UINT64_MAX - alignment.
constexpr uint64_t alignUp(uint64_t value, uint64_t alignment = kBufferAlignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace tessera::base
