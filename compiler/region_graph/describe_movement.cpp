// Slices, splits and resampling: ranges and factors are constants.
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/resize.h"
#include "compiler/ir/spec/slice.h"
#include "compiler/region_graph/describe_families.h"

using namespace mlir;

namespace tessera::region_graph {

DescribedList describeSlice(ir::SliceOp op) {
  const auto type = typeOf(op.getData());
  const auto starts = ir::constantInts(op.getStarts()), ends = ir::constantInts(op.getEnds());
  const auto axes = op.getAxes() ? ir::spec::constantAxes(op.getAxes(), type.getRank())
                                 : ir::spec::allAxes(type.getRank());
  const auto steps = op.getSteps() ? ir::constantInts(op.getSteps())
                                   : SmallVector<int64_t>(starts ? starts->size() : 0, 1);
  if (!starts || !ends || !axes || !steps) return invalidInput("its range is not constant");
  SliceT slice;
  slice.starts.assign(static_cast<size_t>(type.getRank()), 0);
  slice.steps.assign(static_cast<size_t>(type.getRank()), 1);
  for (size_t i = 0; i < starts->size(); ++i) {
    const auto axis = static_cast<size_t>((*axes)[i]);
    const auto range = ir::spec::sliceRange(type.getDimSize(static_cast<unsigned>(axis)),
                                            (*starts)[i], (*ends)[i], (*steps)[i]);
    slice.starts[axis] = std::max<int64_t>(range.start, 0);  // -1 where there is nothing to take.
    slice.steps[axis] = (*steps)[i];
  }
  return withAttributes(named(op, {op.getData()}), std::move(slice));
}

DescribedList describeSplit(ir::SplitOp op) {
  const auto type = typeOf(op.getInput());
  const auto axis = static_cast<size_t>(op.getAxisNormalized());
  std::vector<Described> parts;
  int64_t start = 0;
  for (const Value part : op.getOutputs()) {
    Described described{.name = "slice", .inputs = {op.getInput()}, .outputs = {part}};
    SliceT slice;
    slice.starts.assign(static_cast<size_t>(type.getRank()), 0);
    slice.steps.assign(static_cast<size_t>(type.getRank()), 1);
    slice.starts[axis] = start;
    start += typeOf(part).getDimSize(static_cast<unsigned>(axis));
    described.attributes.Set(std::move(slice));
    if (!part.use_empty()) parts.push_back(std::move(described));
  }
  return parts;
}

/// Whether each output is exactly `scale` times the input: then sizes alone say where it samples.
static bool scalesAreExact(ir::ResizeOp op) {
  if (!ir::spec::isGiven(op.getScales()))
    return op.getKeepAspectRatioPolicy() == ir::AspectRatioPolicy::Stretch;
  const auto scales = ir::constantFloats(op.getScales());
  if (!scales) return false;
  const auto x = typeOf(op.getX()), y = typeOf(op.getY());
  for (auto [dim, scale] : llvm::zip(ir::spec::resizedDims(op), *scales)) {
    const auto d = static_cast<unsigned>(dim);
    if (static_cast<double>(x.getDimSize(d)) * scale != static_cast<double>(y.getDimSize(d)))
      return false;
  }
  return true;
}

/// Whether nearest elements are those of (x + 0.5) * input / output - 0.5, rounded.
static bool isPlainNearest(ir::ResizeOp op, int64_t input, int64_t output) {
  if (input == output) return true;
  if (output % input != 0) return false;  // Where roundings would differ.
  switch (op.getCoordinateTransformationMode()) {
    case ir::CoordinateTransformation::Asymmetric:
      return op.getNearestMode() == ir::NearestMode::Floor;
    case ir::CoordinateTransformation::HalfPixel:
      return op.getNearestMode() == ir::NearestMode::RoundPreferFloor ||
             op.getNearestMode() == ir::NearestMode::RoundPreferCeil;
    default:
      return false;
  }
}

DescribedList describeResize(ir::ResizeOp op) {
  const auto x = typeOf(op.getX()), y = typeOf(op.getY());
  const bool isLinear = op.getMode() == ir::ResizeMode::Linear;
  const bool isHalfPixel =
      op.getCoordinateTransformationMode() == ir::CoordinateTransformation::HalfPixel;
  if (op.getMode() == ir::ResizeMode::Cubic || op.getAntialias() || op.getExcludeOutside() ||
      !scalesAreExact(op) || (isLinear && !isHalfPixel))
    return invalidInput("only nearest and linear sampling at half pixels is described");
  for (unsigned d = 0; d < static_cast<unsigned>(x.getRank()); ++d) {
    const int64_t input = x.getDimSize(d), output = y.getDimSize(d);
    if (d < 2 && input != output)
      return invalidInput("sampling of batch or channels is not described");
    if (input == 0 || (!isLinear && !isPlainNearest(op, input, output)))
      return invalidInput("this rounding of nearest positions is not described");
  }
  ResampleT resample;
  resample.filter = isLinear ? Filter_Linear : Filter_Nearest;
  return withAttributes(named(op, {op.getX()}), resample);
}

}  // namespace tessera::region_graph
