#include "backends/native/compiler/lowerings.h"

#include "backends/native/compiler/emit_scalar.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

struct Row {
  const char* mnemonic;
  Lowering lowering;
};

}  // namespace

/// Elementwise operators are those of emitScalar; all others are listed here.
static constexpr Row kRows[] = {
    {"batch_norm", {lowerBatchNorm}},
    {"composite", {lowerComposite, refuseComposite}},
    {"constant", {lowerConstant}},
    {"dropout", {lowerDropout}},
    {"relayout", {lowerRelayout, refuseRelayout}},
};

const Lowering* findLowering(Operation* op) {
  static const auto* byName = [] {
    auto* map = new llvm::StringMap<const Lowering*>;
    for (const Row& row : kRows) map->try_emplace(std::string("tsr.") + row.mnemonic, &row.lowering);
    return map;
  }();
  static constexpr Lowering kElementwise = {lowerElementwise};
  if (isScalarOp(op)) return &kElementwise;
  return byName->lookup(op->getName().getStringRef());
}

static std::optional<std::string> refuseType(Type type) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return "a value is no tensor of known rank";
  switch (ir::toElementType(tensor.getElementType())) {
    case ElementType::kF32:
    case ElementType::kF64:
    case ElementType::kI8:
    case ElementType::kU8:
    case ElementType::kI32:
    case ElementType::kI64:
    case ElementType::kBool: return std::nullopt;
    default: break;
  }
  return std::string("element type ") + elementTypeName(ir::toElementType(tensor.getElementType())) +
         " is not supported";
}

std::optional<std::string> whyDeclined(Operation* op) {
  const Lowering* lowering = findLowering(op);
  if (!lowering) return "operator " + op->getName().stripDialect().str() + " is not supported";
  for (const Type type : op->getOperandTypes()) {
    if (auto reason = refuseType(type)) return reason;
  }
  for (const Type type : op->getResultTypes()) {
    if (auto reason = refuseType(type)) return reason;
  }
  return lowering->refuse ? lowering->refuse(op) : std::nullopt;
}

LogicalResult lowerBlock(KernelBuilder& b, Block& block) {
  for (Operation& op : block.without_terminator()) {
    const Lowering* lowering = findLowering(&op);
    if (!lowering) return op.emitError("the native backend has no code for this operator");
    if (failed(lowering->lower(b, &op))) return failure();
  }
  return success();
}

}  // namespace tessera::backend_native
