// Memory that the runtime owns: aligned, growing, never throwing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "tessera/backend_runtime.h"

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
    constexpr uint64_t kAlignment = TESSERA_BUFFER_ALIGNMENT;
    if (bytes > UINT64_MAX - kAlignment) return false;
    const uint64_t rounded =
        bytes == 0 ? kAlignment : (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* data = std::aligned_alloc(kAlignment, rounded);
    if (data == nullptr) return false;
    data_.reset(data);
    sizeBytes_ = rounded;
    return true;
  }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<void, Free> data_;
  uint64_t sizeBytes_ = 0;
};

}  // namespace tessera::runtime
