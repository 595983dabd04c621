// A product with the transpose of a matrix of the run is a Gemm that reads the matrix where it
// lies. Attention is recognised before, with transposes of its own; who takes no Gemm says so by a
// form (plain-products).
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::transforms {

using namespace mlir;

#define GEN_PASS_DEF_TURNPRODUCTSPASS
#include "compiler/transforms/passes.h.inc"

/// The transpose that makes operand B of a product of two f32 matrices of known sizes, where that
/// is all it is for; constants are brought into order once.
static ir::TransposeOp transposeOfB(ir::MatmulOp op) {
  auto transpose = op.getB().getDefiningOp<ir::TransposeOp>();
  const auto a = cast<RankedTensorType>(op.getA().getType()),
             b = cast<RankedTensorType>(op.getB().getType());
  const bool areMatrices = a.getRank() == 2 && b.getRank() == 2 && a.hasStaticShape() &&
                           b.hasStaticShape() && b.getElementType().isF32();
  if (!transpose || !areMatrices || !transpose->hasOneUse()) return {};
  if (transpose.getData().getDefiningOp<ir::ConstantOp>()) return {};
  const std::optional<ArrayRef<int64_t>> perm = transpose.getPerm();
  return !perm || *perm == ArrayRef<int64_t>{1, 0} ? transpose : ir::TransposeOp();
}

namespace {

struct TurnProducts : impl::TurnProductsPassBase<TurnProducts> {
  void runOnOperation() override;
};

}  // namespace

void TurnProducts::runOnOperation() {
  SmallVector<ir::MatmulOp> products;
  getOperation().walk([&](ir::MatmulOp op) {
    if (!op->getParentOfType<ir::CompositeOp>() && transposeOfB(op)) products.push_back(op);
  });
  for (ir::MatmulOp op : products) {
    ir::TransposeOp transpose = transposeOfB(op);
    OpBuilder b(op);
    const FloatAttr one = b.getF32FloatAttr(1);
    const Value product =
        b.create<ir::GemmOp>(b.getFusedLoc({transpose.getLoc(), op.getLoc()}), op.getType(),
                             op.getA(), transpose.getData(), Value(), one, one,
                             /*transA=*/b.getI64IntegerAttr(0), /*transB=*/b.getI64IntegerAttr(1));
    op.getResult().replaceAllUsesWith(product);
    op.erase();
    transpose.erase();
  }
}

}  // namespace tessera::transforms
