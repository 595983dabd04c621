// Pad: each output index maps to an input index per dimension, or to the fill value. What negative
// pads cut off is not repeated: the standard does not say so, ONNX Runtime does.
#include <numeric>

#include "reference/loops/dispatch.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

enum class PadMode { kConstant, kEdge, kReflect, kWrap };

static Result<PadMode> parsePadMode(const OpCall& call) {
  TESSERA_TRY(const std::string mode, attributeOr<std::string>(call, "mode", "constant"));
  if (mode == "constant") return PadMode::kConstant;
  if (mode == "edge") return PadMode::kEdge;
  if (mode == "reflect") return PadMode::kReflect;
  if (mode == "wrap") return PadMode::kWrap;
  return opError(call,
                 "attribute 'mode' is '" + mode + "', expected constant, edge, reflect or wrap");
}

/// The position in [0, size) that position `i`, which may lie outside, shows, or -1 for the fill.
static int64_t sourcePosition(PadMode mode, int64_t i, int64_t size) {
  if (i >= 0 && i < size) return i;
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kEdge:
      return std::clamp<int64_t>(i, 0, size - 1);
    case PadMode::kWrap:
      return (i % size + size) % size;
    case PadMode::kReflect: {
      if (size == 1) return 0;
      const int64_t period = 2 * (size - 1);
      const int64_t folded = (i % period + period) % period;
      return folded < size ? folded : period - folded;
    }
  }
  return -1;
}

/// Pads per dimension, before and after; negative ones crop.
struct Padding {
  std::vector<int64_t> before;
  std::vector<int64_t> after;
};

static Result<Padding> parsePadding(const OpCall& call, int64_t rank) {
  TESSERA_TRY(const std::vector<int64_t> pads, integerInput(call, 1));
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (hasInput(call, 3)) {
    TESSERA_TRY(axes, integerInput(call, 3));
    TESSERA_TRY(axes, normalizeAxes(call, axes, rank));
  }
  if (pads.size() != 2 * axes.size()) {
    return opError(call,
                   "pads " + toText(pads) + " do not fit " + std::to_string(axes.size()) + " axes");
  }
  Padding padding{.before = std::vector<int64_t>(rank, 0), .after = std::vector<int64_t>(rank, 0)};
  for (size_t i = 0; i < axes.size(); ++i) {
    padding.before[axes[i]] = pads[i];
    padding.after[axes[i]] = pads[axes.size() + i];
  }
  return padding;
}

/// The part of a dimension that is left of its elements and repeated.
struct Kept {
  int64_t from;
  int64_t size;
};

static Kept keptPart(PadMode mode, int64_t size, int64_t before, int64_t after) {
  if (mode == PadMode::kConstant) return {.from = 0, .size = size};
  const int64_t from = std::max<int64_t>(-before, 0);
  return {.from = from, .size = size - from - std::max<int64_t>(-after, 0)};
}

/// sources[d][i]: the input offset along dimension d that output position i shows, or -1 for the
/// fill.
static Result<std::vector<std::vector<int64_t>>> sourceOffsets(const OpCall& call, PadMode mode,
                                                               const TensorView& x,
                                                               const Padding& padding,
                                                               const Shape& shape) {
  const std::vector<int64_t> strides = rowMajorStrides(x.shape);
  std::vector<std::vector<int64_t>> sources(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    const Kept kept = keptPart(mode, x.shape[d], padding.before[d], padding.after[d]);
    if (mode != PadMode::kConstant && kept.size <= 0 && shape[d] > 0) {
      return opError(call, "dimension " + std::to_string(d) + " of shape " + toText(x.shape) +
                               " has nothing left to repeat");
    }
    for (int64_t i = 0; i < shape[d]; ++i) {
      const int64_t at = i - padding.before[d] - kept.from;
      const int64_t position = sourcePosition(mode, at, kept.size);
      sources[d].push_back(position < 0 ? -1 : (position + kept.from) * strides[d]);
    }
  }
  return sources;
}

OpResult pad(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const PadMode mode, parsePadMode(call));
  TESSERA_TRY(const Padding padding, parsePadding(call, x.rank()));
  Shape shape = toShape(x.shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    // What is cut off, and positions, are sums and differences of these.
    constexpr int64_t kMostPads = int64_t{1} << 60;
    if (std::max(padding.before[d], padding.after[d]) > kMostPads ||
        std::min(padding.before[d], padding.after[d]) < -kMostPads)
      return opError(call, "pads are too large");
    if (__builtin_add_overflow(shape[d], padding.before[d], &shape[d]) ||
        __builtin_add_overflow(shape[d], padding.after[d], &shape[d])) {
      return opError(call, "pads are too large");
    }
  }
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, shape));
  if (y.count() == 0) return outputs(std::move(y));
  TESSERA_TRY(const auto sources, sourceOffsets(call, mode, x, padding, shape));
  return dispatchBySize(call, x.type, [&]<typename T>() -> OpResult {
    T fill{0};
    if (mode == PadMode::kConstant && hasInput(call, 2)) {
      TESSERA_TRY(const TensorView value, typedInput(call, 2, x.type));
      if (value.count() != 1)
        return opError(call, "the fill value has shape " + toText(value.shape));
      fill = value.as<T>()[0];
    }
    const T* in = x.as<T>().data();
    T* out = y.as<T>().data();
    forEachIndex(shape, [&](std::span<const int64_t> index) {
      int64_t offset = 0;
      for (size_t d = 0; d < index.size() && offset >= 0; ++d) {
        const int64_t step = sources[d][index[d]];
        offset = step < 0 ? -1 : offset + step;
      }
      *out++ = offset < 0 ? fill : in[offset];
    });
    return outputs(std::move(y));
  });
}

}  // namespace tessera::reference::ops
