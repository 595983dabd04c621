// Resize: output sizes from scales or sizes, computed in f32 as ONNX's own inference does: scales
// are f32, and 30 * 1.3 is 39 only where the product is rounded to f32.
#include <cmath>

#include "compiler/ir/infer_common.h"
#include "compiler/ir/known_dims.h"

namespace tessera::ir {

/// True for an optional operand that is absent or a tensor of no elements, which ONNX takes as
/// absent.
static bool isAbsent(mlir::Value operand) { return !operand || knownLength(operand) == 0; }

static mlir::LogicalResult checkModes(ResizeOp op) {
  const bool failed =
      mlir::failed(expectOneOf(op, "(C2)", "mode", op.getMode(), {"nearest", "linear", "cubic"})) ||
      mlir::failed(expectOneOf(
          op, "(C2)", "coordinate_transformation_mode", op.getCoordinateTransformationMode(),
          {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
           "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"})) ||
      mlir::failed(expectOneOf(op, "(C2)", "nearest_mode", op.getNearestMode(),
                               {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})) ||
      mlir::failed(expectOneOf(op, "(C2)", "keep_aspect_ratio_policy",
                               op.getKeepAspectRatioPolicy(),
                               {"stretch", "not_larger", "not_smaller"}));
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

/// The factor that fits the wanted sizes with the aspect ratio kept; nothing for "stretch" or
/// unknown sizes.
static std::optional<float> commonFactor(ResizeOp op, const Dims& x, llvm::ArrayRef<int64_t> axes,
                                         const Dims& sizes) {
  if (op.getKeepAspectRatioPolicy() == "stretch") return std::nullopt;
  std::optional<float> factor;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (!size.isStatic() || !x[axis].isStatic() || x[axis].size == 0) return std::nullopt;
    const float ratio = static_cast<float>(size.size) / static_cast<float>(x[axis].size);
    const bool isSmaller = op.getKeepAspectRatioPolicy() == "not_larger";
    factor = !factor ? ratio : isSmaller ? std::min(*factor, ratio) : std::max(*factor, ratio);
  }
  return factor;
}

static mlir::LogicalResult applySizes(ResizeOp op, llvm::ArrayRef<int64_t> axes, Dims& result) {
  const Dims sizes = knownDims(op.getSizes()).value_or(Dims(axes.size(), Dim{}));
  if (sizes.size() != axes.size())
    return op.emitOpError() << "(C1) sizes has " << sizes.size() << " entries, expected "
                            << axes.size();
  for (const Dim& size : sizes) {
    if (size.isStatic() && (size.size < 1 || size.size > kMaxExtent))
      return op.emitOpError() << "(C1) sizes is " << toText(sizes)
                              << ", expected values in [1, 2^30]";
  }
  const std::optional<float> factor = commonFactor(op, result, axes, sizes);
  const bool stretches = op.getKeepAspectRatioPolicy() == "stretch";
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
  const auto rank = static_cast<int64_t>(result.size());
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (getAxes() && !getAxes()->empty()) {
    const auto normalized = normalizeAxes(*this, "(C1)", *getAxes(), rank);
    if (!normalized) return mlir::failure();
    axes = *normalized;
  }
  if (isAbsent(getScales()) == isAbsent(getSizes()))
    return emitOpError() << "(C1) has " << (isAbsent(getScales()) ? "neither" : "both")
                         << " of scales and sizes, expected exactly one";
  if (mlir::failed(checkModes(*this))) return mlir::failure();
  const int64_t roiLength = isAbsent(getRoi()) ? 0 : knownLength(getRoi());
  if (getCoordinateTransformationMode() == "tf_crop_and_resize" && roiLength >= 0 &&
      roiLength != 2 * static_cast<int64_t>(axes.size()))
    return emitOpError() << "(C3) roi has " << roiLength << " entries, expected "
                         << 2 * axes.size();
  const mlir::Value given =
      isAbsent(getScales()) ? mlir::Value(getSizes()) : mlir::Value(getScales());
  if (mlir::failed(expectRank(*this, "(C1)", given, "scales or sizes", 1))) return mlir::failure();
  if (mlir::failed(isAbsent(getScales()) ? applySizes(*this, axes, result)
                                         : applyScales(*this, axes, result)))
    return mlir::failure();
  const Dims input = operandDims(*this, 0);
  if (llvm::any_of(input, [](const Dim& dim) { return dim.is(0); }) && staticProduct(result) > 0)
    return emitOpError() << "(C1) an input of shape " << toText(input) << " is enlarged to "
                         << toText(result) << ", expected one with elements";
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

}  // namespace tessera::ir
