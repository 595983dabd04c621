#include "backends/native/compiler/contraction/open_window.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/lower/window.h"
#include "compiler/ir/spec/window.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::OpenAxis;

bool hasOpenImage(Operation* conv) {
  return !hasKnownImage(typeOf(conv->getOperand(0))) || !hasKnownImage(typeOf(conv->getResult(0)));
}

/// The geometry without what depends on sizes of the run.
static lowering::OpenConvShape knownShape(Operation* conv) {
  const RankedTensorType w = typeOf(conv->getOperand(1));
  const int64_t groups = groupsOf(conv);
  auto transposed = dyn_cast<ir::ConvTransposeOp>(conv);
  const ir::spec::WindowAttributes window =
      ir::spec::windowAttributes(cast<ir::WindowOpInterface>(conv));
  lowering::OpenConvShape shape{.groups = groups, .isTransposed = transposed != nullptr};
  shape.inChannels = shape.isTransposed ? w.getDimSize(0) : w.getDimSize(1) * groups;
  shape.outChannels = shape.isTransposed ? w.getDimSize(1) * groups : w.getDimSize(0);
  const auto added = transposed ? ir::spec::transposedAttributes(transposed).outputPadding
                                : SmallVector<int64_t>(window.rank(), 0);
  for (size_t d = 0; d < window.rank(); ++d) {
    const int64_t kernel = w.getDimSize(static_cast<unsigned>(d + 2));
    // Windows of one element that are padded to the input's size have no pads.
    const bool isIdentity = kernel == 1 && window.strides[d] == 1 && window.padsBegin[d] == 0 &&
                            window.padsEnd[d] == 0 && added[d] == 0;
    shape.axes.push_back({.kernel = kernel,
                          .stride = window.strides[d],
                          .dilation = window.dilations[d],
                          .cutBegin = window.padsBegin[d],
                          .isIdentity = isIdentity});
  }
  return shape;
}

std::optional<std::string> whyNoOpenConv(Operation* conv) {
  const RankedTensorType x = typeOf(conv->getOperand(0)), w = typeOf(conv->getOperand(1)),
                         y = typeOf(conv->getResult(0));
  if (!x.getElementType().isF32()) return "is not of f32";
  const bool hasBias = conv->getNumOperands() > 2;
  if (!w.hasStaticShape() || (hasBias && !typeOf(conv->getOperand(2)).hasStaticShape()))
    return "has weights or a bias of sizes known at run time only";
  if (w.getNumElements() == 0) return "has no weights";
  if (x.isDynamicDim(1) || y.isDynamicDim(1))
    return "has channels whose number is known at run time only";
  if (const auto reason = lowering::whyNoOpenConv(knownShape(conv))) return reason->str();
  auto transposed = dyn_cast<ir::ConvTransposeOp>(conv);
  const bool hasOpenPads =
      transposed && (!ir::spec::transposedAttributes(transposed).output.empty() ||
                     ir::spec::windowAttributes(cast<ir::WindowOpInterface>(conv)).padsToSame());
  if (hasOpenPads) return "has pads known at run time only";
  return std::nullopt;
}

/// The window of a convolution or a pool, with the sizes of its result.
static Window openWindowOf(KernelBuilder& b, Operation* op, ValueRange kernel, ValueRange input) {
  const RankedTensorType y = typeOf(op->getResult(0));
  if (auto transposed = dyn_cast<ir::ConvTransposeOp>(op))
    return transposedWindow(b, transposed, kernel, input);
  return windowOf(b, cast<ir::WindowOpInterface>(op), kernel, input, y);
}

/// Adds sizes and pads to the axes of a convolution or a pool whose input lies in `input`.
static void readAxes(KernelBuilder& b, Operation* op, MutableArrayRef<OpenAxis> axes, Value input) {
  Values kernel, sizes;
  for (auto [d, axis] : llvm::enumerate(axes)) {
    kernel.push_back(b.index(axis.kernel));
    sizes.push_back(b.createOrFold<memref::DimOp>(input, static_cast<int64_t>(d) + 2));
  }
  const Window window = openWindowOf(b, op, kernel, sizes);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    axis.in = sizes[d];
    axis.out = window.output[d];
    axis.padBegin = window.padsBegin[d];
    if (!window.padsEnd.empty()) axis.padEnd = window.padsEnd[d];
  }
}

lowering::OpenConvShape openConvShape(KernelBuilder& b, Operation* conv, Value input) {
  lowering::OpenConvShape shape = knownShape(conv);
  readAxes(b, conv, shape.axes, input);
  return shape;
}

static ArrayRef<int64_t> kernelOf(Operation* pool) {
  if (auto average = dyn_cast<ir::AveragePoolOp>(pool)) return average.getKernelShape();
  return cast<ir::MaxPoolOp>(pool).getKernelShape();
}

/// The spatial dimensions without what depends on sizes of the run.
static SmallVector<OpenAxis> knownAxes(Operation* pool) {
  const ir::spec::WindowAttributes window =
      ir::spec::windowAttributes(cast<ir::WindowOpInterface>(pool));
  SmallVector<OpenAxis> axes;
  for (auto [d, kernel] : llvm::enumerate(kernelOf(pool)))
    axes.push_back(
        {.kernel = kernel, .stride = window.strides[d], .dilation = window.dilations[d]});
  return axes;
}

std::optional<std::string> whyNoOpenPool(Operation* pool) {
  const RankedTensorType x = typeOf(pool->getOperand(0)), y = typeOf(pool->getResult(0));
  auto maximum = dyn_cast<ir::MaxPoolOp>(pool);
  if (!x.getElementType().isF32()) return "is not of f32";
  if (maximum && maximum.getIndices()) return "tells where its maxima are";
  if (x.getDimSize(1) != y.getDimSize(1)) return "has channels whose number is not known";
  if (const auto reason = lowering::whyNoOpenPool(knownAxes(pool))) return reason->str();
  return std::nullopt;
}

SmallVector<OpenAxis> openPoolAxes(KernelBuilder& b, Operation* pool, Value input) {
  SmallVector<OpenAxis> axes = knownAxes(pool);
  readAxes(b, pool, axes, input);
  return axes;
}

lowering::Pool openPoolOf(Operation* pool) {
  auto average = dyn_cast<ir::AveragePoolOp>(pool);
  return {.isMaximum = !average, .countsPadding = average && average.getCountIncludePad() != 0};
}

}  // namespace tessera::backend_native
