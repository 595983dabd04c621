#include "backends/native/compiler/contraction/open_pool.h"

#include "backends/native/compiler/contraction/open_conv.h"
#include "compiler/ir/spec/window.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::OpenAxis;

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
