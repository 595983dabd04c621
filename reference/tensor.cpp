#include "reference/tensor.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace tessera::reference {

static constexpr size_t kAlignment = 64;

int64_t elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

Tensor::Tensor(ElementType type, Shape shape) : type_(type), shape_(std::move(shape)) {
  const size_t usedBytes = sizeBytes();
  const size_t allocatedBytes = (usedBytes / kAlignment + 1) * kAlignment;
  data_.reset(std::aligned_alloc(kAlignment, allocatedBytes));
  if (data_) std::memset(data_.get(), 0, allocatedBytes);
}

void Tensor::Free::operator()(void* p) const { std::free(p); }

}  // namespace tessera::reference
