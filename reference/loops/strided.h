// Walking several strided operands of one logical shape together; broadcasting is a stride of 0.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/arguments.h"

namespace tessera::reference {

/// Multidirectional (numpy) broadcasting of all shapes; an error when they do not fit.
Result<Shape> broadcastShapes(const OpCall& call, std::span<const Shape> shapes);

/// Strides with which a row-major tensor of shape `from`, which broadcasts to `to`, is read at
/// `to`'s indices.
std::vector<int64_t> broadcastStrides(std::span<const int64_t> from, std::span<const int64_t> to);

/// Calls visit(index) for every index of `shape` in row-major order.
template <typename Visit>
void forEachIndex(std::span<const int64_t> shape, Visit visit) {
  if (elementCount(shape) == 0) return;
  std::vector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(std::span<const int64_t>(index));
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// The offset of `index` under `strides`.
inline int64_t offsetOf(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

/// A shape and K operands' strides, with neighbouring dimensions merged where every operand allows
/// it, so that equal shapes become one long row. The last dimension is the row; rank is at least 1.
template <size_t K>
struct StridedWalk {
  std::vector<int64_t> shape;
  std::array<std::vector<int64_t>, K> strides;
};

template <size_t K>
StridedWalk<K> coalesce(std::span<const int64_t> shape,
                        const std::array<std::vector<int64_t>, K>& strides) {
  StridedWalk<K> walk;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    bool merges = !walk.shape.empty();
    for (size_t k = 0; k < K && merges; ++k)
      merges = walk.strides[k].back() == strides[k][d] * shape[d];
    if (!merges) {
      walk.shape.push_back(1);
      for (size_t k = 0; k < K; ++k) walk.strides[k].push_back(0);
    }
    walk.shape.back() *= shape[d];
    for (size_t k = 0; k < K; ++k) walk.strides[k].back() = strides[k][d];
  }
  if (walk.shape.empty()) {
    walk.shape.push_back(1);
    for (size_t k = 0; k < K; ++k) walk.strides[k].push_back(0);
  }
  return walk;
}

/// Calls row(offsets, steps, length) for each innermost row: element j of the row is at
/// offsets[k] + j * steps[k] in operand k. Rows come in row-major order of `shape`.
template <size_t K, typename Row>
void forEachRow(std::span<const int64_t> shape, const std::array<std::vector<int64_t>, K>& strides,
                Row row) {
  if (elementCount(shape) == 0) return;
  const StridedWalk<K> walk = coalesce<K>(shape, strides);
  const size_t outer = walk.shape.size() - 1;
  std::array<int64_t, K> steps;
  for (size_t k = 0; k < K; ++k) steps[k] = walk.strides[k][outer];
  forEachIndex(std::span(walk.shape).first(outer), [&](std::span<const int64_t> index) {
    std::array<int64_t, K> offsets;
    for (size_t k = 0; k < K; ++k) offsets[k] = offsetOf(index, walk.strides[k]);
    row(offsets, steps, walk.shape[outer]);
  });
}

/// out[i] = in[offset + i . strides] for every index i of `shape`, in row-major order.
template <typename T>
void copyStrided(std::span<const int64_t> shape, const T* in, const std::vector<int64_t>& strides,
                 T* out) {
  forEachRow<1>(shape, {strides}, [&](auto offsets, auto steps, int64_t length) {
    const T* source = in + offsets[0];
    for (int64_t j = 0; j < length; ++j) *out++ = source[j * steps[0]];
  });
}

}  // namespace tessera::reference
