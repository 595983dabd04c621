// A product with the transpose of a matrix of the run is a Gemm that reads the matrix where it
// lies; that of transposes with columns is the product of rows with the matrices. Attention is
// recognised before, with transposes of its own; who takes no Gemm says so by a form
// (plain-products).
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"
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

/// The transpose of matrices of the run, of known sizes, that makes operand A of their product with
/// a column, where that is all it is for.
static ir::TransposeOp transposeTimesColumn(ir::MatmulOp op) {
  auto transpose = op.getA().getDefiningOp<ir::TransposeOp>();
  const auto a = cast<RankedTensorType>(op.getA().getType()),
             b = cast<RankedTensorType>(op.getB().getType());
  if (!transpose || !transpose->hasOneUse() || !a.getElementType().isF32()) return {};
  if (transpose.getData().getDefiningOp<ir::ConstantOp>()) return {};
  if (a.getRank() < 2 || b.getRank() < 2 || b.getShape().back() != 1) return {};
  if (!a.hasStaticShape() || !b.hasStaticShape()) return {};
  SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, a.getRank()));
  std::swap(swapped.back(), swapped[a.getRank() - 2]);
  const std::optional<ArrayRef<int64_t>> perm = transpose.getPerm();
  const bool isSwap = perm ? *perm == ArrayRef(swapped) : a.getRank() == 2;
  return isSwap ? transpose : ir::TransposeOp();
}

/// The last two dimensions, one of which is 1, in the other order: the same memory.
static RankedTensorType turned(Type type) {
  const auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  std::swap(shape.back(), shape[shape.size() - 2]);
  return RankedTensorType::get(shape, tensor.getElementType());
}

static void turnColumn(ir::MatmulOp op, ir::TransposeOp transpose) {
  OpBuilder b(op);
  const Location loc = b.getFusedLoc({transpose.getLoc(), op.getLoc()});
  const Value row = createReshape(b, loc, op.getB(), turned(op.getB().getType()));
  const Value product = b.create<ir::MatmulOp>(loc, turned(op.getType()), row, transpose.getData());
  const auto type = cast<RankedTensorType>(op.getType());
  op.getResult().replaceAllUsesWith(createReshape(b, loc, product, type));
  op.erase();
  transpose.erase();
}

static void turnMatrix(ir::MatmulOp op, ir::TransposeOp transpose) {
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

namespace {

struct TurnProducts : impl::TurnProductsPassBase<TurnProducts> {
  void runOnOperation() override;
};

}  // namespace

void TurnProducts::runOnOperation() {
  SmallVector<ir::MatmulOp> products;
  getOperation().walk([&](ir::MatmulOp op) {
    if (!op->getParentOfType<ir::CompositeOp>()) products.push_back(op);
  });
  for (ir::MatmulOp op : products) {
    if (ir::TransposeOp ofColumn = transposeTimesColumn(op))
      turnColumn(op, ofColumn);
    else if (ir::TransposeOp ofB = transposeOfB(op))
      turnMatrix(op, ofB);
  }
}

}  // namespace tessera::transforms
