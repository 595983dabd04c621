#include "backends/native/compiler/lower/lowerings.h"

#include "backends/native/compiler/kernel/emit_scalar.h"
#include "backends/native/format/kernel_abi.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

struct Row {
  llvm::StringLiteral mnemonic;
  Lowering lowering;
};

}  // namespace

static constexpr Row kRows[] = {
#define TESSERA_LOWERING(mnemonic, lower, refuse) {#mnemonic, {lower, refuse}},
#include "backends/native/compiler/lower/lowerings.def"
#undef TESSERA_LOWERING
};

std::optional<std::string> takesAll(Operation* /*op*/) { return std::nullopt; }

const Lowering* findLowering(Operation* op) {
  static const auto* byName = [] {
    auto* map = new llvm::StringMap<const Lowering*>;
    for (const Row& row : kRows) map->try_emplace(("tsr." + row.mnemonic).str(), &row.lowering);
    return map;
  }();
  static constexpr Lowering kElementwise = {.lower = lowerElementwise, .refuse = takesAll};
  if (isScalarOp(op)) return &kElementwise;
  return byName->lookup(op->getName().getStringRef());
}

std::vector<std::string> loweredOperators() {
  std::vector<std::string> mnemonics;
  for (const Row& row : kRows) mnemonics.emplace_back(row.mnemonic);
  for (StringRef name : scalarOpNames()) {
    name.consume_front("tsr.");
    mnemonics.push_back(name.str());
  }
  llvm::sort(mnemonics);
  return mnemonics;
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
    case ElementType::kBool:
      return std::nullopt;
    default:
      break;
  }
  return std::string("element type ") +
         elementTypeName(ir::toElementType(tensor.getElementType())) + " is not supported";
}

std::optional<std::string> exceedsKernelAbi(TypeRange inputs, size_t numOutputs) {
  const size_t numArguments = inputs.size() + numOutputs;
  size_t numOpen = 0;
  for (const auto type : llvm::make_filter_range(inputs, llvm::IsaPred<RankedTensorType>))
    numOpen += static_cast<size_t>(cast<RankedTensorType>(type).getNumDynamicDims());
  if (numArguments <= TESSERA_NATIVE_MAX_ARGUMENTS && numOpen <= TESSERA_NATIVE_MAX_ARGUMENTS)
    return std::nullopt;
  return std::to_string(numArguments) + " inputs and outputs with " + std::to_string(numOpen) +
         " open dimensions are too many, at most " + std::to_string(TESSERA_NATIVE_MAX_ARGUMENTS) +
         " of each are supported";
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
  const auto elementType = [](Type type) { return getElementTypeOrSelf(type); };
  if (isa<ir::BatchNormOp, ir::RmsNormOp>(op) &&
      !llvm::all_equal(llvm::map_range(op->getOperandTypes(), elementType)))
    return "operands of more than one element type are not supported";
  const llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  if (auto reason =
          exceedsKernelAbi(ValueRange(inputs.getArrayRef()).getTypes(), op->getNumResults()))
    return reason;
  return lowering->refuse(op);
}

LogicalResult lowerOperation(KernelBuilder& b, Operation* op) {
  const Lowering* lowering = findLowering(op);
  if (!lowering) return op->emitError("the native backend has no code for this operator");
  return lowering->lower(b, op);
}

}  // namespace tessera::backend_native
