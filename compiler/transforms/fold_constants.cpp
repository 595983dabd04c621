// Constant folding. One walk in order: a folded operation is a constant by the time its users are
// visited, and types are refined on the way, so chains of any length go in one pass.
#include <algorithm>

#include "compiler/evaluate/evaluate.h"
#include "compiler/evaluate/operation_call.h"
#include "compiler/evaluate/relayout.h"
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"
#include "compiler/transforms/shapes/refine_types.h"
#include "reference/op_call.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "compiler/transforms/passes.h.inc"

static bool isFoldable(Operation& op) {
  if (op.getNumResults() == 0 || op.use_empty()) return false;
  if (isa<ir::CompositeOp, ir::RelayoutOp, ir::ConstantOfShapeOp>(op)) return true;
  if (isa<ir::DequantizeLinearOp>(op)) return false;
  const ir::OpInfo* info = evaluate::opInfo(op);
  return info != nullptr && reference::isImplemented(info->mnemonic);
}

/// Largest total size of the results that is worth storing.
static bool isSmallEnough(Operation& op, int64_t maxBytes) {
  // The same value in another order; the rest of its last blocks is what it may be larger by.
  if (isa<ir::RelayoutOp>(op)) return true;
  int64_t operandBytes = 0;
  for (const Value operand : op.getOperands()) {
    operandBytes += ir::physicalSizeBytes(tensorType(operand));
  }
  int64_t resultBytes = 0;
  for (const Value result : op.getResults()) {
    const int64_t bytes = ir::physicalSizeBytes(tensorType(result));
    // Of a size that is not known even now that the operands are, the operands bound it or nothing
    // does.
    if (bytes < 0 && !isa<ir::NonzeroOp, ir::CompressOp>(op)) return false;
    resultBytes += bytes < 0 ? operandBytes : bytes;
  }
  return resultBytes <= std::max(maxBytes, operandBytes);
}

static void replaceByConstants(Operation& op, std::vector<reference::Tensor> tensors) {
  OpBuilder builder(&op);
  for (auto [result, tensor] : llvm::zip_equal(op.getResults(), tensors)) {
    const auto declared = tensorType(result);
    const auto plain = RankedTensorType::get(tensor.shape(), declared.getElementType());
    const ir::LayoutAttr layout = ir::layoutOf(declared);
    const bool isPlain = !layout || layout.isPlain();
    const auto type =
        isPlain ? plain : RankedTensorType::get(tensor.shape(), declared.getElementType(), layout);
    const Value constant = evaluate::createConstant(builder, op.getLoc(), type, std::move(tensor));
    result.replaceAllUsesWith(constant);
  }
  op.erase();
}

/// A relayout goes straight from one physical order to the other.
static void foldRelayout(ir::RelayoutOp op) {
  const auto to = tensorType(op.getOutput());
  const std::optional<ir::Blob> blob = ir::constantBytes(op.getInput());
  OpBuilder builder(op);
  const Value constant = ir::createConstant(
      builder, op.getLoc(), to, evaluate::relayoutBlob(blob->bytes, tensorType(op.getInput()), to));
  op.getOutput().replaceAllUsesWith(constant);
  op.erase();
}

/// Sizes that are known although the tensor they belong to is not.
static bool foldKnownInts(Operation& op) {
  if (op.getNumResults() != 1 || op.use_empty()) return false;
  const auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || type.getRank() > 1 || !type.getElementType().isInteger(64)) return false;
  const auto ints = ir::knownInts(op.getResult(0));
  if (!ints) return false;
  reference::Tensor tensor(ElementType::kI64,
                           type.getRank() == 0
                               ? reference::Shape{}
                               : reference::Shape{static_cast<int64_t>(ints->size())});
  if (tensor.count() != static_cast<int64_t>(ints->size())) return false;
  std::ranges::copy(*ints, tensor.as<int64_t>().begin());
  std::vector<reference::Tensor> tensors;
  tensors.push_back(std::move(tensor));
  replaceByConstants(op, std::move(tensors));
  return true;
}

static LogicalResult foldOperation(Operation& op, int64_t maxBytes) {
  if (isa<ir::ConstantOp>(op) || !isa<ir::TsrOpInterface>(op)) return success();
  // A shape can be known without the tensor; nothing else can.
  if (!llvm::all_of(op.getOperands(), isConstant)) {
    foldKnownInts(op);
    return success();
  }
  if (!isFoldable(op) || !isSmallEnough(op, maxBytes)) return success();
  if (auto relayout = dyn_cast<ir::RelayoutOp>(op)) {
    foldRelayout(relayout);
    return success();
  }
  std::vector<evaluate::TensorValue> values;
  std::vector<reference::TensorView> views;
  for (const Value operand : op.getOperands()) {
    std::optional<evaluate::TensorValue> value = evaluate::constantTensor(operand);
    if (!value) return success();
    values.push_back(std::move(*value));
  }
  views.reserve(values.size());
  for (const evaluate::TensorValue& value : values) views.push_back(value.view());
  Result<std::vector<reference::Tensor>> results = evaluate::evaluateOperation(op, views);
  // What the reference lacks (an element type) stays for a backend that has it.
  if (!results) return success();
  replaceByConstants(op, std::move(*results));
  return success();
}

namespace {

struct FoldConstants : impl::FoldConstantsPassBase<FoldConstants> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    const auto visit = [&](Operation& op) -> LogicalResult {
      if (failed(refineResultTypes(op))) return failure();
      return foldOperation(op, maxBytes);
    };
    if (failed(refineModule(getOperation(), visit))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
