#include "backends/native/compiler/blocked.h"

#include "compiler/ir/spec/window.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::ConvAxis;

static RankedTensorType withLayout(RankedTensorType type, ArrayRef<int64_t> order,
                                   ArrayRef<int64_t> dims, ArrayRef<int64_t> sizes) {
  const ir::LayoutAttr old = ir::layoutOf(type);
  const auto names = old ? old.getDims() : ArrayRef<StringAttr>();
  const auto layout =
      ir::LayoutAttr::get(type.getContext(), names, order, dims, sizes, ir::spaceOf(type));
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

bool hasKnownImage(RankedTensorType type) {
  return type.getRank() > 0 && !ShapedType::isDynamicShape(type.getShape().drop_front());
}

int64_t imageElements(RankedTensorType type) {
  return ShapedType::getNumElements(type.getShape().drop_front());
}

RankedTensorType blockedAlong(RankedTensorType type, int64_t dim, int64_t lanes) {
  return withLayout(type, {}, dim, lanes);
}

bool isBlockedAlong(RankedTensorType type, int64_t dim, int64_t lanes) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  return layout && layout.getOrder().empty() && layout.getBlockDims() == ArrayRef<int64_t>(dim) &&
         layout.getBlockSizes() == ArrayRef<int64_t>(lanes);
}

RankedTensorType convWeightsType(RankedTensorType weights, lowering::ConvKind kind,
                                 bool isTransposed, int64_t lanes) {
  if (isTransposed) {
    // [IC, OC, k...] in memory as [OC / c, IC / c, k..., c in, c out].
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, weights.getRank()));
    std::swap(order[0], order[1]);
    return withLayout(weights, order, {0, 1}, {lanes, lanes});
  }
  if (kind == lowering::ConvKind::kBlocked) return withLayout(weights, {}, {1, 0}, {lanes, lanes});
  return withLayout(weights, {}, {0}, {lanes});
}

RankedTensorType packedMatrixType(RankedTensorType matrix, bool isTransposed, int64_t lanes) {
  const int64_t rank = matrix.getRank();
  if (isTransposed) return withLayout(matrix, {}, {rank - 2}, {lanes});
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[rank - 2], order[rank - 1]);
  return withLayout(matrix, order, {rank - 1}, {lanes});
}

std::optional<std::string> whyNoConvShape(Operation* op) {
  const auto x = cast<RankedTensorType>(op->getOperand(0).getType()),
             w = cast<RankedTensorType>(op->getOperand(1).getType()),
             y = cast<RankedTensorType>(op->getResult(0).getType());
  if (!x.getElementType().isF32()) return "is not of f32";
  if (!hasKnownImage(x) || !w.hasStaticShape() || !hasKnownImage(y))
    return "has sizes known at run time only";
  if (op->getNumOperands() > 2 &&
      !cast<RankedTensorType>(op->getOperand(2).getType()).hasStaticShape())
    return "has a bias of a size known at run time only";
  if (x.getDimSize(0) == 0 || imageElements(x) == 0 || w.getNumElements() == 0 ||
      imageElements(y) == 0)
    return "has no elements";
  return std::nullopt;
}

/// Spatial dimension `d` of a convolution.
static ConvAxis axisOf(Operation* op, size_t d) {
  const auto x = cast<RankedTensorType>(op->getOperand(0).getType()),
             w = cast<RankedTensorType>(op->getOperand(1).getType()),
             y = cast<RankedTensorType>(op->getResult(0).getType());
  const ir::spec::WindowAttributes window =
      ir::spec::windowAttributes(cast<ir::WindowOpInterface>(op));
  const auto dim = static_cast<unsigned>(d + 2);
  auto transposed = dyn_cast<ir::ConvTransposeOp>(op);
  ConvAxis axis{.in = x.getDimSize(dim),
                .out = y.getDimSize(dim),
                .kernel = w.getDimSize(dim),
                .stride = window.strides[d],
                .dilation = window.dilations[d],
                .isTransposed = transposed != nullptr};
  if (!transposed) {
    const auto geometry = ir::spec::windowGeometry(window, d, axis.in, axis.kernel);
    axis.padBegin = geometry.padBegin;
    axis.padEnd = geometry.padEnd;
    return axis;
  }
  const auto geometry = ir::spec::transposedGeometry(ir::spec::transposedAttributes(transposed), d,
                                                     axis.in, axis.kernel);
  axis.padBegin = geometry.padBegin;
  // What is left of all that the taps reach.
  axis.padEnd = (axis.in - 1) * axis.stride + geometry.reach - axis.padBegin - axis.out;
  return axis;
}

int64_t groupsOf(Operation* op) {
  if (auto transposed = dyn_cast<ir::ConvTransposeOp>(op))
    return static_cast<int64_t>(transposed.getGroup());
  return static_cast<int64_t>(cast<ir::ConvOp>(op).getGroup());
}

std::optional<lowering::ConvShape> convShapeOf(Operation* op) {
  if (whyNoConvShape(op)) return std::nullopt;
  const auto x = cast<RankedTensorType>(op->getOperand(0).getType()),
             y = cast<RankedTensorType>(op->getResult(0).getType());
  // Dimensions that are not there have one element under a window of one.
  const auto rank = static_cast<size_t>(x.getRank()) - 2;
  ConvAxis depth, height, width = axisOf(op, rank - 1);
  if (rank >= 2) height = axisOf(op, rank - 2);
  if (rank >= 3) depth = axisOf(op, rank - 3);
  SmallVector<ConvAxis, 0> outer;
  for (size_t d = 0; d + 3 < rank; ++d) outer.push_back(axisOf(op, d));
  return lowering::ConvShape{.batch = x.getDimSize(0),
                             .groups = groupsOf(op),
                             .inChannels = x.getDimSize(1),
                             .outChannels = y.getDimSize(1),
                             .inDepth = depth.in,
                             .inHeight = height.in,
                             .inWidth = width.in,
                             .kernelDepth = depth.kernel,
                             .kernelHeight = height.kernel,
                             .kernelWidth = width.kernel,
                             .strideDepth = depth.stride,
                             .strideHeight = height.stride,
                             .strideWidth = width.stride,
                             .dilationDepth = depth.dilation,
                             .dilationHeight = height.dilation,
                             .dilationWidth = width.dilation,
                             .padFront = depth.padBegin,
                             .padTop = height.padBegin,
                             .padLeft = width.padBegin,
                             .padBack = depth.padEnd,
                             .padBottom = height.padEnd,
                             .padRight = width.padEnd,
                             .isTransposed = isa<ir::ConvTransposeOp>(op),
                             .outer = std::move(outer)};
}

/// Of a pool; its end is where its last window ends, which padding need not be.
static ConvAxis poolAxisOf(Operation* op, ArrayRef<int64_t> kernel, size_t d) {
  const auto x = cast<RankedTensorType>(op->getOperand(0).getType()),
             y = cast<RankedTensorType>(op->getResult(0).getType());
  const ir::spec::WindowAttributes window =
      ir::spec::windowAttributes(cast<ir::WindowOpInterface>(op));
  const auto dim = static_cast<unsigned>(d + 2);
  ConvAxis axis{.in = x.getDimSize(dim),
                .out = y.getDimSize(dim),
                .kernel = kernel[d],
                .stride = window.strides[d],
                .dilation = window.dilations[d]};
  const auto geometry = ir::spec::windowGeometry(window, d, axis.in, axis.kernel);
  axis.padBegin = geometry.padBegin;
  axis.padEnd = (axis.out - 1) * axis.stride + geometry.reach - axis.in - axis.padBegin;
  return axis;
}

std::optional<PoolGeometry> poolGeometryOf(Operation* op) {
  const auto x = cast<RankedTensorType>(op->getOperand(0).getType()),
             y = cast<RankedTensorType>(op->getResult(0).getType());
  const auto rank = static_cast<size_t>(x.getRank()) - 2;
  auto average = dyn_cast<ir::AveragePoolOp>(op);
  auto maximum = dyn_cast<ir::MaxPoolOp>(op);
  if ((!average && !maximum) || (maximum && maximum.getIndices()) || rank > 3) return std::nullopt;
  if (!x.getElementType().isF32() || !hasKnownImage(x) || !hasKnownImage(y) ||
      x.getDimSize(0) == 0 || imageElements(x) == 0 || imageElements(y) == 0)
    return std::nullopt;
  const ArrayRef<int64_t> kernel = average ? average.getKernelShape() : maximum.getKernelShape();
  const ir::spec::WindowAttributes window =
      ir::spec::windowAttributes(cast<ir::WindowOpInterface>(op));
  const auto padEnd = [&](size_t d) {
    return ir::spec::windowGeometry(window, d, x.getDimSize(static_cast<unsigned>(d + 2)),
                                    kernel[d])
        .padEnd;
  };
  ConvAxis depth, height;
  const ConvAxis width = poolAxisOf(op, kernel, rank - 1);
  if (rank >= 2) height = poolAxisOf(op, kernel, rank - 2);
  if (rank >= 3) depth = poolAxisOf(op, kernel, rank - 3);
  const lowering::ConvShape shape{.batch = x.getDimSize(0),
                                  .groups = x.getDimSize(1),
                                  .inChannels = x.getDimSize(1),
                                  .outChannels = x.getDimSize(1),
                                  .inDepth = depth.in,
                                  .inHeight = height.in,
                                  .inWidth = width.in,
                                  .kernelDepth = depth.kernel,
                                  .kernelHeight = height.kernel,
                                  .kernelWidth = width.kernel,
                                  .strideDepth = depth.stride,
                                  .strideHeight = height.stride,
                                  .strideWidth = width.stride,
                                  .dilationDepth = depth.dilation,
                                  .dilationHeight = height.dilation,
                                  .dilationWidth = width.dilation,
                                  .padFront = depth.padBegin,
                                  .padTop = height.padBegin,
                                  .padLeft = width.padBegin,
                                  .padBack = depth.padEnd,
                                  .padBottom = height.padEnd,
                                  .padRight = width.padEnd};
  const lowering::Pool pool{.isMaximum = maximum != nullptr,
                            .countsPadding = average && average.getCountIncludePad() != 0,
                            .padBack = rank >= 3 ? padEnd(rank - 3) : 0,
                            .padBottom = rank >= 2 ? padEnd(rank - 2) : 0,
                            .padRight = padEnd(rank - 1)};
  return PoolGeometry{.shape = shape, .pool = pool};
}

bool isPointwise(ir::ConvOp op) {
  const auto shape = convShapeOf(op);
  return shape && shape->kernelSize() == 1 && shape->outDepth() == shape->inDepth &&
         shape->outHeight() == shape->inHeight && shape->outWidth() == shape->inWidth &&
         shape->strideDepth == 1 && shape->strideHeight == 1 && shape->strideWidth == 1 &&
         llvm::all_of(shape->outer, [](const ConvAxis& axis) { return axis.isIdentity(); });
}

}  // namespace tessera::backend_native
