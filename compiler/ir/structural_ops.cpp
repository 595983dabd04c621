// Verifiers and interfaces of operators with bodies, constants, layout and space conversion, and of
// the host program.
#include "compiler/ir/infer/common.h"

namespace tessera::ir {

/// The operands of the yield that ends the only block of `body`; nothing, after an error, when
/// there is none.
static std::optional<mlir::OperandRange> yieldedValues(mlir::Operation* op, mlir::Region& body,
                                                       llvm::StringRef label) {
  const bool hasYield =
      body.hasOneBlock() && !body.front().empty() && llvm::isa<YieldOp>(body.front().back());
  if (hasYield) return llvm::cast<YieldOp>(body.front().back()).getValues();
  op->emitOpError() << label
                    << " a body does not end in tsr.yield, expected one block with a tsr.yield";
  return std::nullopt;
}

/// Types of values that are passed on: equal, or tensors with one element type, one layout and
/// sizes that do not contradict.
static bool arePassable(mlir::Type from, mlir::Type to) {
  if (from == to) return true;
  const auto fromTensor = llvm::dyn_cast<mlir::RankedTensorType>(from);
  const auto toTensor = llvm::dyn_cast<mlir::RankedTensorType>(to);
  return fromTensor && toTensor && isCompatible(fromTensor, toTensor) &&
         isSameLayout(fromTensor, toTensor);
}

/// Each of `found` can be passed on as the corresponding one of `expected`.
static mlir::LogicalResult expectTypes(mlir::Operation* op, llvm::StringRef label,
                                       llvm::StringRef what, mlir::TypeRange found,
                                       mlir::TypeRange expected) {
  if (found.size() != expected.size())
    return op->emitOpError() << label << " has " << found.size() << " " << what << "s, expected "
                             << expected.size();
  for (auto [index, type, wanted] : llvm::enumerate(found, expected)) {
    if (!arePassable(type, wanted))
      return op->emitOpError() << label << " " << what << " #" << index << " has type " << type
                               << ", expected " << wanted;
  }
  return mlir::success();
}

mlir::LogicalResult ConstantOp::verify() {
  const auto type = llvm::cast<mlir::RankedTensorType>(getType());
  if (const auto blob = llvm::dyn_cast<BlobAttr>(getValue())) {
    const Blob found = getContext()->getOrLoadDialect<TsrDialect>()->constants().find(
        std::string_view(blob.getHash()));
    if (!found.owner)
      return emitOpError() << "(C2) blob " << blob.getHash() << " is not in the store of constants";
    const int64_t expected = physicalSizeBytes(type);
    if (static_cast<int64_t>(found.bytes.size()) != expected)
      return emitOpError() << "(C2) blob " << blob.getHash() << " has " << found.bytes.size()
                           << " bytes, expected " << expected;
    return mlir::success();
  }
  if (isInlineConstant(getValue(), type)) return mlir::success();
  return emitOpError() << "(C1) has value " << getValue() << ", expected a dense value of type "
                       << withoutLayout(type);
}

mlir::LogicalResult CodeOp::verify() {
  if (static_cast<int32_t>(getAbi()) < 1)
    return emitOpError() << "(C2) abi " << static_cast<int32_t>(getAbi()) << " is less than 1";
  const llvm::StringRef hash = getBytes().getHash();
  if (getContext()->getOrLoadDialect<TsrDialect>()->constants().contains(std::string_view(hash)))
    return mlir::success();
  return emitOpError() << "(C1) blob " << hash << " is not in the store of constants";
}

mlir::LogicalResult CompositeOp::inferTypes(Types& types) {
  const std::optional<mlir::OperandRange> yielded = yieldedValues(*this, getBody(), "(C2)");
  if (!yielded) return mlir::failure();
  if (mlir::failed(expectTypes(*this, "(C1)", "block argument", getBody().getArgumentTypes(),
                               getInputs().getTypes())))
    return mlir::failure();
  for (const mlir::Type type : yielded->getTypes()) {
    const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor)
      return emitOpError() << "(C2) yields a value of type " << type
                           << ", expected a ranked tensor";
    types.push_back(tensorType(tensor.getElementType(), dimsOf(tensor)));
  }
  return mlir::success();
}

mlir::LogicalResult CompositeOp::verify() {
  return expectTypes(*this, "(C2)", "yielded value",
                     getBody().front().getTerminator()->getOperandTypes(), getResultTypes());
}

FusionKind CompositeOp::getFusionKind() {
  std::optional<FusionKind> only;
  for (mlir::Operation& op : getBody().front()) {
    if (llvm::isa<ConstantOp, YieldOp>(op)) continue;
    auto tensorOp = llvm::dyn_cast<TsrOpInterface>(op);
    if (!tensorOp || only) return FusionKind::Opaque;
    only = tensorOp.getFusionKind();
  }
  return only.value_or(FusionKind::Opaque);
}

int64_t CompositeOp::getFlops() {
  int64_t total = 0;
  for (mlir::Operation& op : getBody().front()) {
    if (llvm::isa<ConstantOp, YieldOp>(op)) continue;
    auto tensorOp = llvm::dyn_cast<TsrOpInterface>(op);
    const int64_t flops = tensorOp ? tensorOp.getFlops() : -1;
    if (flops < 0) return -1;
    total += std::min(flops, INT64_MAX - total);
  }
  return total;
}

mlir::LogicalResult IfOp::verify() {
  if (!isScalarLike(typeOf(getCondition())))
    return emitOpError() << "(C1) condition has shape " << toText(dimsOf(typeOf(getCondition())))
                         << ", expected one element";
  for (mlir::Region* branch : {&getThenBranch(), &getElseBranch()}) {
    const auto yielded = yieldedValues(*this, *branch, "(C2)");
    if (!yielded || mlir::failed(expectTypes(*this, "(C2)", "yielded value", yielded->getTypes(),
                                             getResultTypes())))
      return mlir::failure();
  }
  return mlir::success();
}

mlir::LogicalResult LoopOp::verify() {
  const size_t carried = getInitial().size();
  if (getBody().getNumArguments() != carried + 2)
    return emitOpError() << "(C1) the body has " << getBody().getNumArguments()
                         << " arguments, expected iteration number, "
                         << "condition and " << carried << " carried values";
  const auto yielded = yieldedValues(*this, getBody(), "(C2)");
  if (!yielded) return mlir::failure();
  if (yielded->size() != getNumResults() + 1 || getNumResults() < carried)
    return emitOpError() << "(C2) the body yields " << yielded->size() << " values for "
                         << getNumResults() << " results and " << carried
                         << " carried values, expected a condition and one value for each result";
  return mlir::success();
}

mlir::LogicalResult ScanOp::verify() {
  const auto numScanInputs = static_cast<int64_t>(getNumScanInputs());
  if (numScanInputs < 0 || numScanInputs > static_cast<int64_t>(getInputs().size()))
    return emitOpError() << "(C1) num_scan_inputs is " << numScanInputs
                         << ", expected a value in [0, " << getInputs().size() << "]";
  const auto yielded = yieldedValues(*this, getBody(), "(C2)");
  if (!yielded) return mlir::failure();
  if (getBody().getNumArguments() != getInputs().size() || yielded->size() != getNumResults())
    return emitOpError() << "(C2) the body has " << getBody().getNumArguments()
                         << " arguments and yields " << yielded->size() << " values, expected "
                         << getInputs().size() << " and " << getNumResults();
  return mlir::success();
}

/// True when both have the same size everywhere, or are dynamic in the same places, and one element
/// type.
static bool isSameLogicalTensor(mlir::RankedTensorType a, mlir::RankedTensorType b) {
  return a.getElementType() == b.getElementType() && a.getShape() == b.getShape();
}

mlir::LogicalResult RelayoutOp::inferTypes(Types& types) { return inferSameAsFirst(*this, types); }

mlir::LogicalResult RelayoutOp::verify() {
  const mlir::RankedTensorType from = typeOf(getInput()), to = typeOf(getOutput());
  if (isSameLogicalTensor(from, to) && spaceOf(from) == spaceOf(to)) return mlir::success();
  return emitOpError() << "(C1) converts " << from << " to " << to
                       << ", expected one shape, element type and memory space";
}

mlir::LogicalResult CopyOp::verify() {
  const mlir::RankedTensorType from = typeOf(getInput()), to = typeOf(getOutput());
  if (isSameLogicalTensor(from, to) && isSameLayout(inSpace(from, ""), inSpace(to, "")))
    return mlir::success();
  return emitOpError() << "(C1) copies " << from << " to " << to
                       << ", expected one shape, element type and physical order";
}

mlir::LogicalResult ViewOp::verify() {
  const auto offset = static_cast<int64_t>(getOffset());
  const int64_t whole = physicalSizeBytes(getSource().getType().getTensor());
  const int64_t part = physicalSizeBytes(getView().getType().getTensor());
  if (offset < 0 || (whole >= 0 && part >= 0 && (part > whole || offset > whole - part)))
    return emitOpError() << "(C1) views " << part << " bytes at " << offset << " of " << whole
                         << ", expected a part inside";
  return mlir::success();
}

mlir::LogicalResult CallOp::verifySymbolUses(mlir::SymbolTableCollection& symbolTable) {
  mlir::Operation* callee = symbolTable.lookupNearestSymbolFrom(*this, getCalleeAttr());
  auto function = llvm::dyn_cast_or_null<mlir::FunctionOpInterface>(callee);
  if (!function)
    return emitOpError() << "calls " << getCalleeAttr() << ", expected the name of a function";
  const auto isOf = [](mlir::Value buffer, mlir::Type type) {
    return llvm::cast<BufferType>(buffer.getType()).getTensor() == type;
  };
  if (!llvm::equal(getIns(), function.getArgumentTypes(), isOf) ||
      !llvm::equal(getOuts(), function.getResultTypes(), isOf))
    return emitOpError() << "calls " << getCalleeAttr() << " with buffers of other types than its";
  return mlir::success();
}

}  // namespace tessera::ir
