// Index tensors of the gather and scatter families, checked and turned into element offsets.
#pragma once

#include "reference/arguments.h"

namespace tessera::reference {

/// All elements of an i64 or i32 input of any rank.
Result<std::vector<int64_t>> indexInput(const OpCall& call, size_t input);

/// `index` in [-size, size) as [0, size).
Result<int64_t> normalizeIndex(const OpCall& call, int64_t index, int64_t size);

/// For gather_elements and scatter_elements: for each element of the index tensor, which is input
/// `input`, the offset in a tensor of shape `data` at the same position, with the coordinate along
/// attribute `axis` replaced.
Result<std::vector<int64_t>> elementOffsets(const OpCall& call, std::span<const int64_t> data,
                                            size_t input);

/// For gather_nd and scatter_nd: where each indexed slice begins.
struct SliceOffsets {
  std::vector<int64_t> offsets;
  int64_t rank;  ///< Of a slice: the last dimensions of the data.
  int64_t size;  ///< Elements of a slice.
};

/// The index tensor, input `input`, is [batch..., ..., depth]; each of its rows picks a slice of
/// `data` below the first `batchDims` dimensions, which both share.
Result<SliceOffsets> sliceOffsets(const OpCall& call, std::span<const int64_t> data, size_t input,
                                  int64_t batchDims);

}  // namespace tessera::reference
