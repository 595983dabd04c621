#include "backends/native/compiler/contraction/resampling.h"

#include <numeric>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/resize.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::ResampledAxis;

bool isCropped(ir::ResizeOp op) {
  return op.getCoordinateTransformationMode() == ir::CoordinateTransformation::CropAndResize;
}

std::optional<double> knownScale(ir::ResizeOp op, size_t i) {
  if (ir::spec::isGiven(op.getScales())) {
    const auto scales = ir::constantFloats(op.getScales());
    return scales ? std::optional<double>((*scales)[i]) : std::nullopt;
  }
  const int64_t dim = ir::spec::resizedDims(op)[i];
  const int64_t from = cast<RankedTensorType>(op.getX().getType()).getDimSize(dim);
  const int64_t to = cast<RankedTensorType>(op.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to) || from == 0 ||
      op.getKeepAspectRatioPolicy() != ir::AspectRatioPolicy::Stretch)
    return std::nullopt;
  return static_cast<double>(to) / static_cast<double>(from);
}

static ResampledAxis unchanged(int64_t size) {
  ResampledAxis axis{.input = size, .output = size};
  axis.positions.resize(size);
  std::iota(axis.positions.begin(), axis.positions.end(), 0);
  return axis;
}

/// The input coordinate that output position `at` shows, near the input.
static double coordinate(ir::ResizeOp op, const ResampledAxis& axis, float scale, int64_t at) {
  const auto input = static_cast<float>(axis.input), output = static_cast<float>(axis.output);
  const bool hasScales = ir::spec::isGiven(op.getScales());
  const ir::spec::ResizedDim<float, bool> dim = {.input = input,
                                                 .lastInput = static_cast<float>(axis.input - 1),
                                                 .output = output,
                                                 .isSingle = axis.output == 1,
                                                 .scale = scale,
                                                 .extent = hasScales ? scale * input : output,
                                                 .roiBegin = 0,
                                                 .roiEnd = 1};
  const double x =
      ir::spec::inputCoordinate(op.getCoordinateTransformationMode(), dim, static_cast<float>(at));
  return ir::spec::nearInput(x, static_cast<double>(axis.input - 1));
}

/// Adds the taps of one output position.
static void addTaps(ir::ResizeOp op, double x, ResampledAxis& axis) {
  const auto last = static_cast<double>(axis.input - 1);
  const auto inside = [&](double position) { return std::clamp(position, 0.0, last); };
  if (op.getMode() == ir::ResizeMode::Nearest) {
    const double position = inside(ir::spec::roundNearest(op.getNearestMode(), x));
    axis.positions.push_back(static_cast<int64_t>(position));
    return;
  }
  SmallVector<double> weights;
  for (int64_t tap = 0; tap < axis.numTaps; ++tap) {
    const double position = std::ceil(x) + static_cast<double>(tap - axis.numTaps / 2);
    axis.positions.push_back(static_cast<int64_t>(inside(position)));
    const bool isLeftOut = op.getExcludeOutside() != 0 && inside(position) != position;
    weights.push_back(isLeftOut ? 0
                                : ir::spec::filterWeight(op.getMode(),
                                                         op.getCubicCoeffA().convertToDouble(),
                                                         std::abs(position - x)));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const double weight : weights) axis.weights.push_back(static_cast<float>(weight / sum));
}

static ResampledAxis resampledAxis(ir::ResizeOp op, int64_t input, int64_t output, double scale) {
  const bool isExact = ir::spec::isGiven(op.getScales());
  const float factor =
      isExact ? static_cast<float>(scale) : static_cast<float>(output) / static_cast<float>(input);
  ResampledAxis axis{.input = input, .output = output};
  if (op.getMode() != ir::ResizeMode::Nearest)
    axis.numTaps = op.getMode() == ir::ResizeMode::Linear ? 2 : 4;
  for (int64_t at = 0; at < output; ++at) addTaps(op, coordinate(op, axis, factor, at), axis);
  return axis;
}

std::optional<ResampledAxis> resampledAxisOf(ir::ResizeOp op, size_t i) {
  const int64_t dim = ir::spec::resizedDims(op)[i];
  const auto x = cast<RankedTensorType>(op.getX().getType()),
             y = cast<RankedTensorType>(op.getType());
  const auto scale = knownScale(op, i);
  const bool areKnown = !x.isDynamicDim(dim) && !y.isDynamicDim(dim) && x.getDimSize(dim) > 0;
  if (!scale || !areKnown || isCropped(op) || op.getAntialias() != 0) return std::nullopt;
  return resampledAxis(op, x.getDimSize(dim), y.getDimSize(dim), *scale);
}

std::optional<lowering::Resampling> resamplingOf(ir::ResizeOp op) {
  const auto x = cast<RankedTensorType>(op.getX().getType()),
             y = cast<RankedTensorType>(op.getType());
  const int64_t rank = x.getRank();
  if (!x.getElementType().isF32() || (rank != 3 && rank != 4)) return std::nullopt;
  for (int64_t d = 1; d < rank; ++d) {
    if (x.isDynamicDim(d) || y.isDynamicDim(d) || x.getDimSize(d) < 1 || y.getDimSize(d) < 1)
      return std::nullopt;
  }
  SmallVector<ResampledAxis> axes = {unchanged(1)};
  for (int64_t d = 2; d < rank; ++d) axes.push_back(unchanged(x.getDimSize(d)));
  for (auto [i, dim] : llvm::enumerate(ir::spec::resizedDims(op))) {
    if (knownScale(op, i) == 1.0) continue;
    // An open number of images cannot be known to stay, unless a scale says so.
    auto axis = dim < 2 ? std::nullopt : resampledAxisOf(op, i);
    if (!axis) return std::nullopt;
    axes[dim - 1] = std::move(*axis);
  }
  return lowering::Resampling{.rows = axes[axes.size() - 2], .columns = axes.back()};
}

}  // namespace tessera::backend_native
