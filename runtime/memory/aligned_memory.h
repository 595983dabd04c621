// Memory that the runtime owns: aligned, growing, never throwing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/aligned_memory.h"
#include "base/alignment.h"

namespace tessera::runtime {

class AlignedMemory {
 public:
  void* data() const { return data_.get(); }
  uint64_t sizeBytes() const { return sizeBytes_; }

  /// Makes at least `bytes` available (and a valid address for 0), aligned to
  /// TESSERA_BUFFER_ALIGNMENT. Growing loses the contents; when memory is short, false, and the old
  /// memory stands.
  bool reserve(uint64_t bytes) {
    if (data_ != nullptr && bytes <= sizeBytes_) return true;
    base::AlignedMemory data = base::allocateAligned(bytes);
    if (data == nullptr) return false;
    data_ = std::move(data);
    sizeBytes_ = base::alignUp(bytes);
    return true;
  }

 private:
  base::AlignedMemory data_;
  uint64_t sizeBytes_ = 0;
};

}  // namespace tessera::runtime
