#include "compiler/lowering/passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_WIDENBOOLPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct WidenBool : impl::WidenBoolPassBase<WidenBool> {
  void runOnOperation() override;
};

}  // namespace

static bool isBoolTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && tensor.getElementType().isInteger(1);
}

static Type widened(Type type) {
  if (!isBoolTensor(type)) return type;
  auto tensor = cast<TensorType>(type);
  return tensor.clone(IntegerType::get(type.getContext(), 8));
}

static Value testByte(OpBuilder& b, Location loc, Value byte) {
  const Value zero = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(byte.getType(), 0));
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, zero);
}

static Value extendToByte(OpBuilder& b, Location loc, Value scalar) {
  return b.create<arith::ExtUIOp>(loc, b.getI8Type(), scalar);
}

// Block arguments that stand for elements (i1) of widened tensors become bytes, tested where they
// are used.
static void widenElementArguments(OpBuilder& b, Block& block) {
  b.setInsertionPointToStart(&block);
  for (BlockArgument argument : block.getArguments()) {
    if (!argument.getType().isInteger(1)) continue;
    argument.setType(b.getI8Type());
    const Value tested = testByte(b, argument.getLoc(), argument);
    argument.replaceAllUsesExcept(tested, tested.getDefiningOp());
  }
}

// Elements that a terminator hands to a widened tensor are extended.
static void widenYieldedElements(OpBuilder& b, Block& block) {
  Operation* terminator = block.getTerminator();
  b.setInsertionPoint(terminator);
  for (OpOperand& operand : terminator->getOpOperands()) {
    if (operand.get().getType().isInteger(1))
      operand.set(extendToByte(b, terminator->getLoc(), operand.get()));
  }
}

static void widenConstant(arith::ConstantOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  auto type = cast<RankedTensorType>(widened(op.getType()));
  if (elements.isSplat()) {
    op.setValueAttr(
        DenseElementsAttr::get(type, static_cast<int8_t>(elements.getSplatValue<bool>())));
  } else {
    SmallVector<int8_t> bytes;
    for (const bool value : elements.getValues<bool>()) bytes.push_back(value ? 1 : 0);
    op.setValueAttr(DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  }
  op.getResult().setType(type);
}

// Scalar operands that become elements: linalg.fill's value, tensor.insert's and splat's scalar,
// from_elements' list.
static bool takesScalarElements(Operation* op) {
  return isa<linalg::FillOp, tensor::InsertOp, tensor::SplatOp, tensor::FromElementsOp>(op);
}

static bool touchesBoolTensor(Operation* op) {
  return llvm::any_of(op->getOperandTypes(), isBoolTensor) ||
         llvm::any_of(op->getResultTypes(), isBoolTensor);
}

// Regions whose block arguments or yields are tensor elements (the others carry tensors or nothing
// boolean in memory).
static bool hasElementRegion(Operation* op) {
  return isa<linalg::LinalgOp, tensor::GenerateOp, tensor::PadOp>(op);
}

static void widenOp(OpBuilder& b, Operation* op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) return widenConstant(constant);
  const bool yieldsElements = llvm::any_of(op->getResultTypes(), isBoolTensor);
  if (takesScalarElements(op) && yieldsElements) {
    b.setInsertionPoint(op);
    for (OpOperand& operand : op->getOpOperands()) {
      if (operand.get().getType().isInteger(1))
        operand.set(extendToByte(b, op->getLoc(), operand.get()));
    }
  }
  if (hasElementRegion(op)) {
    Block& block = op->getRegion(0).front();
    if (isa<linalg::LinalgOp>(op)) widenElementArguments(b, block);
    if (yieldsElements) widenYieldedElements(b, block);
  }
  for (Value result : op->getResults()) result.setType(widened(result.getType()));
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    b.setInsertionPointAfter(op);
    extract.getResult().setType(b.getI8Type());
    const Value tested = testByte(b, op->getLoc(), extract.getResult());
    extract.getResult().replaceAllUsesExcept(tested, tested.getDefiningOp());
  }
}

void WidenBool::runOnOperation() {
  func::FuncOp function = getOperation();
  OpBuilder b(&getContext());
  SmallVector<Operation*> ops;
  function.walk([&](Operation* op) {
    if (touchesBoolTensor(op)) ops.push_back(op);
  });
  for (Operation* op : ops) widenOp(b, op);
  function.walk([&](Block* block) {
    for (BlockArgument argument : block->getArguments())
      argument.setType(widened(argument.getType()));
  });
  const FunctionType type = function.getFunctionType();
  const SmallVector<Type> inputs = llvm::map_to_vector(type.getInputs(), widened);
  const SmallVector<Type> results = llvm::map_to_vector(type.getResults(), widened);
  function.setFunctionType(b.getFunctionType(inputs, results));
}

}  // namespace tessera::lowering
