// Operators that rearrange elements by strides: every output element is one input element.
#include <numeric>

#include "reference/loops/dispatch.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// y[i] = x[offset + i . strides] for every index i of `shape`.
static OpResult readStrided(const OpCall& call, const TensorView& x, Shape shape,
                            const std::vector<int64_t>& strides, int64_t offset = 0) {
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, std::move(shape)));
  return dispatchBySize(call, x.type, [&]<typename T>() -> OpResult {
    copyStrided(y.shape(), static_cast<const T*>(x.data) + offset, strides, y.as<T>().data());
    return outputs(std::move(y));
  });
}

/// x, seen as `shape`, transposed by `permutation`, seen as `result`.
static OpResult transposeAs(const OpCall& call, const TensorView& x, const Shape& shape,
                            std::span<const int64_t> permutation, Shape result) {
  const std::vector<int64_t> own = rowMajorStrides(shape);
  Shape permuted;
  std::vector<int64_t> strides;
  for (const int64_t d : permutation) {
    permuted.push_back(shape[d]);
    strides.push_back(own[d]);
  }
  TESSERA_TRY(OpResult::value_type y, readStrided(call, x, std::move(permuted), strides));
  TESSERA_TRY(Tensor reshaped, copyWithShape(call, y[0].view(), std::move(result)));
  return outputs(std::move(reshaped));
}

/// Broadcasting both ways: a size of 1 in `shape` keeps the input's size.
OpResult expand(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(Shape target, integerInput(call, 1));
  const std::array<Shape, 2> shapes = {toShape(x.shape), std::move(target)};
  TESSERA_TRY(Shape shape, broadcastShapes(call, shapes));
  const std::vector<int64_t> strides = broadcastStrides(x.shape, shape);
  return readStrided(call, x, std::move(shape), strides);
}

/// Each dimension is seen as [repeat, size] with stride 0 for the repeats.
OpResult tile(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(std::vector<int64_t> repeats, integerInput(call, 1));
  if (static_cast<int64_t>(repeats.size()) != x.rank()) {
    return opError(call, "repeats " + toText(repeats) + " do not fit shape " + toText(x.shape));
  }
  const std::vector<int64_t> own = rowMajorStrides(x.shape);
  Shape shape, split;
  std::vector<int64_t> strides;
  for (size_t d = 0; d < repeats.size(); ++d) {
    int64_t size;
    if (repeats[d] < 0) return opError(call, "repeats " + toText(repeats) + " are negative");
    if (__builtin_mul_overflow(x.shape[d], repeats[d], &size)) {
      return opError(call, "repeats " + toText(repeats) + " are too large");
    }
    shape.push_back(size);
    split.insert(split.end(), {repeats[d], x.shape[d]});
    strides.insert(strides.end(), {0, own[d]});
  }
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, std::move(shape)));
  return dispatchBySize(call, x.type, [&]<typename T>() -> OpResult {
    copyStrided(split, x.as<T>().data(), strides, y.as<T>().data());
    return outputs(std::move(y));
  });
}

OpResult transpose(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  std::vector<int64_t> reversed(x.shape.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  TESSERA_TRY(const std::vector<int64_t> wanted,
              attributeOr<std::vector<int64_t>>(call, "perm", reversed));
  TESSERA_TRY(const std::vector<int64_t> permutation, normalizeAxes(call, wanted, x.rank()));
  if (permutation.size() != x.shape.size()) {
    return opError(call,
                   "permutation " + toText(wanted) + " does not fit shape " + toText(x.shape));
  }
  const std::vector<int64_t> own = rowMajorStrides(x.shape);
  Shape shape;
  std::vector<int64_t> strides;
  for (const int64_t d : permutation) {
    shape.push_back(x.shape[d]);
    strides.push_back(own[d]);
  }
  return readStrided(call, x, std::move(shape), strides);
}

/// One dimension of a slice: `size` elements from `start` every `step`.
struct SliceRange {
  int64_t start;
  int64_t size;
  int64_t step;
};

/// ONNX's clamping: out-of-range bounds stop at the dimension's ends; a negative step walks
/// backwards, from an element at least.
static SliceRange resolveRange(int64_t start, int64_t end, int64_t step, int64_t dim) {
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, dim);
    end = std::clamp<int64_t>(end, 0, dim);
    return {.start = start, .size = end > start ? (end - start - 1) / step + 1 : 0, .step = step};
  }
  if (dim == 0) return {.start = 0, .size = 0, .step = step};
  start = std::clamp<int64_t>(start, 0, dim - 1);
  end = std::clamp<int64_t>(end, -1, dim - 1);
  // The negated step would overflow for the smallest integer; no dimension is that long.
  const int64_t stride = step == INT64_MIN ? INT64_MAX : -step;
  return {
      .start = start, .size = start > end ? (start - end - 1) / stride + 1 : 0, .step = -stride};
}

OpResult slice(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const std::vector<int64_t> starts, integerInput(call, 1));
  TESSERA_TRY(const std::vector<int64_t> ends, integerInput(call, 2));
  std::vector<int64_t> axes(starts.size()), steps(starts.size(), 1);
  std::iota(axes.begin(), axes.end(), 0);
  if (hasInput(call, 3)) {
    TESSERA_TRY(axes, integerInput(call, 3));
  }
  if (hasInput(call, 4)) {
    TESSERA_TRY(steps, integerInput(call, 4));
  }
  TESSERA_TRY(axes, normalizeAxes(call, axes, x.rank()));
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    return opError(call, "starts, ends, axes and steps differ in length");
  }
  Shape shape = toShape(x.shape);
  std::vector<int64_t> strides = rowMajorStrides(x.shape);
  int64_t offset = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] == 0) return opError(call, "step 0");
    const int64_t axis = axes[i];
    const SliceRange range = resolveRange(starts[i], ends[i], steps[i], x.shape[axis]);
    shape[axis] = range.size;
    if (range.size > 0) offset += range.start * strides[axis];
    // A single element needs no step, which may be too large to multiply.
    strides[axis] = range.size > 1 ? strides[axis] * range.step : 0;
  }
  const int64_t first = elementCount(shape) > 0 ? offset : 0;
  return readStrided(call, x, std::move(shape), strides, first);
}

/// Channels and blocks of [N, C, H, W] trade places; also checks the arguments common to both
/// directions.
static Result<int64_t> blockSize(const OpCall& call, const TensorView& x) {
  TESSERA_TRY(const int64_t block, attributeOr<int64_t>(call, "blocksize", 0));
  if (block <= 0 || block > (1 << 20)) {
    return opError(
        call, "attribute 'blocksize' is " + std::to_string(block) + ", expected a positive number");
  }
  if (x.rank() != 4)
    return opError(call, "input has shape " + toText(x.shape) + ", expected rank 4");
  return block;
}

OpResult depthToSpace(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const int64_t block, blockSize(call, x));
  TESSERA_TRY(const std::string mode, attributeOr<std::string>(call, "mode", "DCR"));
  if (mode != "DCR" && mode != "CRD") {
    return opError(call, "attribute 'mode' is '" + mode + "', expected 'DCR' or 'CRD'");
  }
  const int64_t n = x.shape[0], c = x.shape[1], h = x.shape[2], w = x.shape[3];
  if (c % (block * block) != 0)
    return opError(call, std::to_string(c) + " channels do not split into blocks");
  const int64_t depth = c / (block * block);
  const Shape result = {n, depth, h * block, w * block};
  if (mode == "DCR") {
    return transposeAs(call, x, {n, block, block, depth, h, w},
                       std::array<int64_t, 6>{0, 3, 4, 1, 5, 2}, result);
  }
  return transposeAs(call, x, {n, depth, block, block, h, w},
                     std::array<int64_t, 6>{0, 1, 4, 2, 5, 3}, result);
}

OpResult spaceToDepth(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const int64_t block, blockSize(call, x));
  const int64_t n = x.shape[0], c = x.shape[1], h = x.shape[2], w = x.shape[3];
  if (h % block != 0 || w % block != 0) {
    return opError(call, "shape " + toText(x.shape) + " does not split into blocks of " +
                             std::to_string(block));
  }
  return transposeAs(call, x, {n, c, h / block, block, w / block, block},
                     std::array<int64_t, 6>{0, 3, 5, 1, 2, 4},
                     {n, c * block * block, h / block, w / block});
}

}  // namespace tessera::reference::ops
