#include "reference/tensor.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::reference {

int64_t elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

/// The most one tensor may take: half of the machine's memory.
static int64_t maxTensorBytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<int64_t>(sysconf(_SC_PAGESIZE)) / 2;
}

/// Whether a tensor can exist. A zero anywhere makes it empty, but its other sizes are bounded too.
static bool fitsMemory(ElementType type, const Shape& shape) {
  auto bytes = static_cast<int64_t>(elementSizeBytes(type));
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes)) return false;
  }
  return bytes <= maxTensorBytes() || std::ranges::count(shape, 0) > 0;
}

// One that does not fit has no data.
Tensor::Tensor(ElementType type, Shape shape) : type_(type), shape_(std::move(shape)) {
  if (!fitsMemory(type_, shape_)) return;
  data_ = base::allocateAligned(sizeBytes());
  if (data_) std::memset(data_.get(), 0, sizeBytes());
}

}  // namespace tessera::reference
