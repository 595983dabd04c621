#include "backends/native/compiler/blocked.h"

#include "compiler/ir/spec/window.h"

namespace tessera::backend_native {

using namespace mlir;

static RankedTensorType withLayout(RankedTensorType type, ArrayRef<int64_t> order,
                                   ArrayRef<int64_t> dims, ArrayRef<int64_t> sizes) {
  const ir::LayoutAttr old = ir::layoutOf(type);
  const auto names = old ? old.getDims() : ArrayRef<StringAttr>();
  const auto layout =
      ir::LayoutAttr::get(type.getContext(), names, order, dims, sizes, ir::spaceOf(type));
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

RankedTensorType blockedAlong(RankedTensorType type, int64_t dim, int64_t lanes) {
  return withLayout(type, {}, dim, lanes);
}

bool isBlockedAlong(RankedTensorType type, int64_t dim, int64_t lanes) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  return layout && layout.getOrder().empty() && layout.getBlockDims() == ArrayRef<int64_t>(dim) &&
         layout.getBlockSizes() == ArrayRef<int64_t>(lanes);
}

RankedTensorType convWeightsType(RankedTensorType weights, lowering::ConvKind kind, int64_t lanes) {
  if (kind == lowering::ConvKind::kBlocked) return withLayout(weights, {}, {1, 0}, {lanes, lanes});
  return withLayout(weights, {}, {0}, {lanes});
}

RankedTensorType packedMatrixType(RankedTensorType matrix, bool isTransposed, int64_t lanes) {
  if (isTransposed) return withLayout(matrix, {}, {0}, {lanes});
  return withLayout(matrix, {1, 0}, {1}, {lanes});
}

std::optional<std::string> whyNoConvShape(ir::ConvOp op) {
  const auto x = cast<RankedTensorType>(op.getX().getType()),
             w = cast<RankedTensorType>(op.getW().getType());
  if (!x.getElementType().isF32()) return "is not of f32";
  if (x.getRank() != 3 && x.getRank() != 4)
    return "has " + std::to_string(x.getRank() - 2) + " spatial dimensions";
  if (!x.hasStaticShape() || !w.hasStaticShape()) return "has sizes known at run time only";
  if (x.getNumElements() == 0 || w.getNumElements() == 0) return "has no elements";
  return std::nullopt;
}

std::optional<lowering::ConvShape> convShapeOf(ir::ConvOp op) {
  if (whyNoConvShape(op)) return std::nullopt;
  const auto x = cast<RankedTensorType>(op.getX().getType()),
             w = cast<RankedTensorType>(op.getW().getType());
  const bool isLine = x.getRank() == 3;
  const ir::spec::WindowAttributes window = ir::spec::windowAttributes(op);
  const size_t last = window.rank() - 1;
  const auto geometryOf = [&](size_t d) {
    return ir::spec::windowGeometry(window, d, x.getDimSize(d + 2), w.getDimSize(d + 2));
  };
  // A line is an image of height 1 under a window of height 1.
  const auto width = geometryOf(last);
  const auto height = isLine ? ir::spec::WindowGeometry<int64_t>{} : geometryOf(0);
  return lowering::ConvShape{.batch = x.getDimSize(0),
                             .groups = static_cast<int64_t>(op.getGroup()),
                             .inChannels = x.getDimSize(1),
                             .outChannels = w.getDimSize(0),
                             .inHeight = isLine ? 1 : x.getDimSize(2),
                             .inWidth = x.getShape().back(),
                             .kernelHeight = isLine ? 1 : w.getDimSize(2),
                             .kernelWidth = w.getShape().back(),
                             .strideHeight = isLine ? 1 : window.strides[0],
                             .strideWidth = window.strides[last],
                             .dilationHeight = isLine ? 1 : window.dilations[0],
                             .dilationWidth = window.dilations[last],
                             .padTop = height.padBegin,
                             .padLeft = width.padBegin,
                             .padBottom = height.padEnd,
                             .padRight = width.padEnd};
}

bool isPointwise(ir::ConvOp op) {
  const auto shape = convShapeOf(op);
  return shape && shape->kernelHeight == 1 && shape->kernelWidth == 1 && shape->strideHeight == 1 &&
         shape->strideWidth == 1 && shape->outHeight() == shape->inHeight &&
         shape->outWidth() == shape->inWidth;
}

}  // namespace tessera::backend_native
