// Resize: output sizes from scales or sizes, computed in f32 as ONNX's own inference does: scales
// are f32, and 30 * 1.3 is 39 only where the product is rounded to f32.
#include <cmath>

#include "compiler/ir/infer/common.h"
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/spec/resize.h"

namespace tessera::ir {

static mlir::LogicalResult checkModes(ResizeOp op) {
  const bool failed =
      mlir::failed(expectWord<ResizeMode>(op, "(C2)", "mode", op.getModeAttr())) ||
      mlir::failed(
          expectWord<CoordinateTransformation>(op, "(C2)", "coordinate_transformation_mode",
                                               op.getCoordinateTransformationModeAttr())) ||
      mlir::failed(expectWord<NearestMode>(op, "(C2)", "nearest_mode", op.getNearestModeAttr())) ||
      mlir::failed(expectWord<AspectRatioPolicy>(op, "(C2)", "keep_aspect_ratio_policy",
                                                 op.getKeepAspectRatioPolicyAttr()));
  return mlir::failure(failed);
}

/// floor(f32(dim * factor) + offset), dynamic when the size is; nothing after an error.
static std::optional<Dim> scaledDim(ResizeOp op, const Dim& dim, float factor, double offset) {
  if (!dim.isStatic()) return Dim{};
  const float product = static_cast<float>(dim.size) * factor;
  const double size = std::floor(static_cast<double>(product) + offset);
  if (size < static_cast<double>(kMaxTensorBytes)) return Dim{.size = static_cast<int64_t>(size)};
  op.emitOpError() << "(C1) a size of " << dim.size << " is scaled by " << factor
                   << ", expected a smaller result";
  return std::nullopt;
}

/// The factor that fits the wanted sizes with the aspect ratio kept; nothing where it may change,
/// and for unknown sizes.
static std::optional<float> commonFactor(ResizeOp op, const Dims& x, llvm::ArrayRef<int64_t> axes,
                                         const Dims& sizes) {
  if (op.getKeepAspectRatioPolicy() == AspectRatioPolicy::Stretch || axes.empty())
    return std::nullopt;
  llvm::SmallVector<float> ratios;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (!size.isStatic() || !x[axis].isStatic() || x[axis].size == 0) return std::nullopt;
    ratios.push_back(static_cast<float>(size.size) / static_cast<float>(x[axis].size));
  }
  return spec::commonScale<float>(op.getKeepAspectRatioPolicy(), ratios);
}

static mlir::LogicalResult applySizes(ResizeOp op, llvm::ArrayRef<int64_t> axes, Dims& result) {
  const Dims sizes = knownDims(op.getSizes()).value_or(Dims(axes.size(), Dim{}));
  if (sizes.size() != axes.size())
    return op.emitOpError() << "(C1) sizes has " << sizes.size() << " entries, expected "
                            << axes.size();
  const bool stretches = op.getKeepAspectRatioPolicy() == AspectRatioPolicy::Stretch;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    // A dimension without elements stays so.
    const bool mayBeNone = stretches && (!result[axis].isStatic() || result[axis].is(0));
    if (size.isStatic() && (size.size < (mayBeNone ? 0 : 1) || size.size > kMaxExtent))
      return op.emitOpError() << "(C1) sizes is " << toText(sizes)
                              << ", expected values in [1, 2^30]";
  }
  const std::optional<float> factor = commonFactor(op, result, axes, sizes);
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    const std::optional<Dim> dim = stretches ? size
                                   : factor  ? scaledDim(op, result[axis], *factor, 0.5)
                                             : Dim{};
    if (!dim) return mlir::failure();
    result[axis] = *dim;
  }
  return mlir::success();
}

static mlir::LogicalResult applyScales(ResizeOp op, llvm::ArrayRef<int64_t> axes, Dims& result) {
  const int64_t length = knownLength(op.getScales());
  if (length >= 0 && length != static_cast<int64_t>(axes.size()))
    return op.emitOpError() << "(C1) scales has " << length << " entries, expected " << axes.size();
  const std::optional<llvm::SmallVector<double>> scales = constantFloats(op.getScales());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    const float scale = scales ? static_cast<float>((*scales)[i]) : 1;
    if (!(scale > 0) || !std::isfinite(scale))
      return op.emitOpError() << "(C1) a scale is " << scale << ", expected a value above 0";
    if (scales && scale == 1) continue;
    const std::optional<Dim> dim = scales ? scaledDim(op, result[axis], scale, 0) : Dim{};
    if (!dim) return mlir::failure();
    result[axis] = *dim;
  }
  return mlir::success();
}

mlir::LogicalResult ResizeOp::inferTypes(Types& types) {
  Dims result = operandDims(*this, 0);
  if (getAxes() && !normalizeAxes(*this, "(C1)", *getAxes(), static_cast<int64_t>(result.size())))
    return mlir::failure();
  const llvm::SmallVector<int64_t> axes = spec::resizedDims(*this);
  const bool hasScales = spec::isGiven(getScales());
  if (hasScales == spec::isGiven(getSizes()))
    return emitOpError() << "(C1) has " << (hasScales ? "both" : "neither")
                         << " of scales and sizes, expected exactly one";
  if (mlir::failed(checkModes(*this))) return mlir::failure();
  const int64_t roiLength = spec::isGiven(getRoi()) ? knownLength(getRoi()) : 0;
  if (getCoordinateTransformationMode() == CoordinateTransformation::CropAndResize &&
      roiLength >= 0 && roiLength != 2 * static_cast<int64_t>(axes.size()))
    return emitOpError() << "(C3) roi has " << roiLength << " entries, expected "
                         << 2 * axes.size();
  const mlir::Value given = hasScales ? mlir::Value(getScales()) : mlir::Value(getSizes());
  if (mlir::failed(expectRank(*this, "(C1)", given, "scales or sizes", 1))) return mlir::failure();
  if (mlir::failed(hasScales ? applyScales(*this, axes, result) : applySizes(*this, axes, result)))
    return mlir::failure();
  const Dims input = operandDims(*this, 0);
  if (llvm::any_of(input, [](const Dim& dim) { return dim.is(0); }) && staticProduct(result) > 0)
    return emitOpError() << "(C1) an input of shape " << toText(input) << " is enlarged to "
                         << toText(result) << ", expected one with elements";
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

}  // namespace tessera::ir
