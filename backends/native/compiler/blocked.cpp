#include "backends/native/compiler/blocked.h"

#include "backends/native/compiler/attributes.h"

namespace tessera::backend_native {

using namespace mlir;

static RankedTensorType withLayout(RankedTensorType type, ArrayRef<int64_t> order,
                                   ArrayRef<int64_t> dims, ArrayRef<int64_t> sizes) {
  const ir::LayoutAttr old = ir::layoutOf(type);
  const auto names = old ? old.getDims() : ArrayRef<StringAttr>();
  const auto layout =
      ir::LayoutAttr::get(type.getContext(), names, order, dims, sizes, old ? old.getSpace() : 0);
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

namespace {

/// One spatial dimension.
struct Extent {
  int64_t kernel = 1, stride = 1, dilation = 1, padBegin = 0, padEnd = 0;
};

}  // namespace

static Extent extentOf(ir::ConvOp op, size_t d, size_t rank, int64_t input, int64_t kernel) {
  Extent e{.kernel = kernel,
           .stride = intsOr(op, "strides", rank, 1)[d],
           .dilation = intsOr(op, "dilations", rank, 1)[d]};
  const SmallVector<int64_t> pads = intsOr(op, "pads", 2 * rank, 0);
  const StringRef mode = op.getAutoPad();
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    const int64_t count = (input + e.stride - 1) / e.stride;
    const int64_t total =
        std::max<int64_t>((count - 1) * e.stride + (kernel - 1) * e.dilation + 1 - input, 0);
    e.padBegin = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    e.padEnd = total - e.padBegin;
  } else if (mode != "VALID") {
    e.padBegin = pads[d];
    e.padEnd = pads[rank + d];
  }
  return e;
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
  const size_t rank = isLine ? 1 : 2;
  const Extent height = isLine ? Extent() : extentOf(op, 0, rank, x.getDimSize(2), w.getDimSize(2));
  const Extent width = extentOf(op, rank - 1, rank, x.getShape().back(), w.getShape().back());
  return lowering::ConvShape{.batch = x.getDimSize(0),
                             .groups = static_cast<int64_t>(op.getGroup()),
                             .inChannels = x.getDimSize(1),
                             .outChannels = w.getDimSize(0),
                             .inHeight = isLine ? 1 : x.getDimSize(2),
                             .inWidth = x.getShape().back(),
                             .kernelHeight = height.kernel,
                             .kernelWidth = width.kernel,
                             .strideHeight = height.stride,
                             .strideWidth = width.stride,
                             .dilationHeight = height.dilation,
                             .dilationWidth = width.dilation,
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
