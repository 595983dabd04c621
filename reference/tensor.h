// Plain tensors for the reference implementations: row-major, in host memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_memory.h"
#include "base/alignment.h"
#include "tessera/element_type.h"

namespace tessera::reference {

using Shape = std::vector<int64_t>;

/// Number of elements; 1 for rank 0.
int64_t elementCount(std::span<const int64_t> shape);

/// Borrowed, read-only, row-major tensor. `data` is aligned to its element size and outlives the
/// view.
struct TensorView {
  ElementType type = ElementType::kUndefined;
  std::span<const int64_t> shape;
  const void* data = nullptr;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t count() const { return elementCount(shape); }
  template <typename T>
  std::span<const T> as() const {
    return {static_cast<const T*>(data), static_cast<size_t>(count())};
  }
};

/// Owning, row-major tensor, aligned to base::kBufferAlignment, zero-initialised. Move-only.
class Tensor {
 public:
  Tensor() = default;
  Tensor(ElementType type, Shape shape);

  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  int64_t count() const { return elementCount(shape_); }
  size_t sizeBytes() const { return static_cast<size_t>(count()) * elementSizeBytes(type_); }
  void* data() { return data_.get(); }
  const void* data() const { return data_.get(); }
  template <typename T>
  std::span<T> as() {
    return {static_cast<T*>(data()), static_cast<size_t>(count())};
  }
  template <typename T>
  std::span<const T> as() const {
    return {static_cast<const T*>(data()), static_cast<size_t>(count())};
  }
  TensorView view() const { return {.type = type_, .shape = shape_, .data = data_.get()}; }

 private:
  ElementType type_ = ElementType::kUndefined;
  Shape shape_;
  base::AlignedMemory data_;
};

}  // namespace tessera::reference
