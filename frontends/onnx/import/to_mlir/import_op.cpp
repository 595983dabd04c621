// One node without subgraphs -> one operation.
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/import/to_mlir/attributes_to_mlir.h"
#include "frontends/onnx/import/to_mlir/importer.h"
#include "frontends/onnx/import/to_mlir/types_to_mlir.h"
#include "mlir/IR/Verifier.h"

namespace tessera::onnx {

static Status checkOperand(const Importer& importer, std::string_view name, mlir::Value value) {
  if (llvm::isa<mlir::RankedTensorType>(value.getType())) return {};
  const std::string what = "the type of input '" + std::string(name) + "' is not known: ";
  if (auto custom = llvm::dyn_cast_or_null<ir::CustomOp>(value.getDefiningOp())) {
    const std::string why = importer.whyUntyped.lookup(custom);
    return invalidInput(what + "it comes from operator '" + custom.getOpType().str() +
                        "', which Tessera does not know, and the file does not declare it" +
                        (why.empty() ? "" : "; " + why));
  }
  return invalidInput(what + "its rank depends on the data");
}

/// Operands in the table's order, and how many values each operand of the table takes.
static Status collectOperands(const Importer& importer, const Node& node, const ir::OpInfo& info,
                              llvm::ArrayRef<mlir::Value> inputs,
                              llvm::SmallVectorImpl<mlir::Value>& operands,
                              llvm::SmallVectorImpl<int32_t>& segments) {
  size_t next = 0;
  for (const ir::ValueInfo& operand : info.operands) {
    const bool isVariadic = operand.presence == ir::Presence::kVariadic;
    const size_t end = isVariadic ? inputs.size() : std::min(next + 1, inputs.size());
    int32_t count = 0;
    for (; next < end; ++next) {
      if (!inputs[next]) continue;
      TESSERA_TRY_VOID(checkOperand(importer, node.inputs[next], inputs[next]));
      operands.push_back(inputs[next]);
      ++count;
    }
    if (operand.presence == ir::Presence::kRequired && count == 0) {
      return invalidInput("input '" + std::string(operand.name) + "' is missing");
    }
    segments.push_back(count);
  }
  for (size_t i = next; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    return invalidInput("the node has " + std::to_string(inputs.size()) + " inputs, but " +
                        node.opType + " has at most " + std::to_string(info.operands.size()));
  }
  return {};
}

/// How many results each result of the table has; the node's outputs are taken in the same order.
static Status countResults(const Node& node, const ir::OpInfo& info,
                           llvm::SmallVectorImpl<int32_t>& segments) {
  size_t next = 0;
  for (const ir::ValueInfo& result : info.results) {
    if (result.presence == ir::Presence::kVariadic) {
      segments.push_back(
          static_cast<int32_t>(node.outputs.size() - std::min(next, node.outputs.size())));
      next = node.outputs.size();
      continue;
    }
    segments.push_back(result.presence == ir::Presence::kRequired || node.hasOutput(next) ? 1 : 0);
    ++next;
  }
  for (size_t i = next; i < node.outputs.size(); ++i) {
    if (node.hasOutput(i)) {
      return invalidInput("output " + std::to_string(i) + " ('" + node.outputs[i] + "') of " +
                          node.opType + " is not supported");
    }
  }
  return {};
}

static Status inferResultTypes(Importer& importer, mlir::Operation* op) {
  llvm::SmallVector<mlir::Type> types;
  // Checks the operands first: one may be the result of a foreign operator and no ranked tensor.
  if (mlir::failed(ir::inferResultTypes(op, types)) || types.size() != op->getNumResults()) {
    return takeReason(importer, "its inputs do not fit");
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) result.setType(type);
  if (mlir::failed(mlir::verify(op, /*verifyRecursively=*/false))) {
    return takeReason(importer, "its inputs do not fit");
  }
  return {};
}

/// Before opset 18 parts were equal, since then the last may be smaller: where they are known to be
/// equal both are one operation, and come back so from a file of either kind.
static void dropNumberOfEqualParts(ir::SplitOp split) {
  const auto part = llvm::cast<mlir::RankedTensorType>(split.getOutputs().front().getType());
  if (!part.isDynamicDim(static_cast<unsigned>(split.getAxisNormalized())) &&
      llvm::all_equal(split.getOutputs().getTypes()))
    split.removeNumOutputsAttr();
}

Result<NodeResults> importTensorOp(Importer& importer, const Node& node, const ir::OpInfo& info,
                                   llvm::ArrayRef<mlir::Value> inputs, mlir::Location location) {
  mlir::MLIRContext* context = importer.builder.getContext();
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<int32_t> operandSegments;
  llvm::SmallVector<int32_t> resultSegments;
  TESSERA_TRY_VOID(collectOperands(importer, node, info, inputs, operands, operandSegments));
  TESSERA_TRY_VOID(countResults(node, info, resultSegments));
  TESSERA_TRY(mlir::NamedAttrList attributes, convertAttributes(context, node, info));
  if (info.hasOperandSegments) {
    attributes.set("operandSegmentSizes", importer.builder.getDenseI32ArrayAttr(operandSegments));
  }
  if (info.hasResultSegments) {
    attributes.set("resultSegmentSizes", importer.builder.getDenseI32ArrayAttr(resultSegments));
  }
  int32_t numResults = 0;
  for (const int32_t count : resultSegments) numResults += count;

  mlir::OperationState state(location, ("tsr." + std::string(info.mnemonic)));
  state.addOperands(operands);
  state.addAttributes(attributes.getAttrs());
  // A tensor type, as accessors of results expect, until the types are inferred.
  const auto placeholder = mlir::RankedTensorType::get({}, importer.builder.getF32Type());
  state.addTypes(llvm::SmallVector<mlir::Type>(static_cast<size_t>(numResults), placeholder));
  mlir::Operation* op = importer.builder.create(state);
  if (Status status = inferResultTypes(importer, op); !status) {
    op->erase();
    return std::move(status).error();
  }
  if (auto split = llvm::dyn_cast<ir::SplitOp>(op)) dropNumberOfEqualParts(split);

  NodeResults results(node.outputs.size());
  size_t output = 0;
  unsigned result = 0;
  for (const int32_t count : resultSegments) {
    for (int32_t i = 0; i < count; ++i, ++result) {
      const size_t index = output + static_cast<size_t>(i);
      if (index < results.size()) results[index] = op->getResult(result);
    }
    output += static_cast<size_t>(std::max(count, 1));
  }
  return results;
}

/// Gives the results the types that somebody knows of them.
static Status inferCustomTypes(Importer& importer, ir::CustomOp op) {
  if (importer.inferTypes == nullptr || !*importer.inferTypes) return {};
  const Result<llvm::SmallVector<mlir::Type>> types = (*importer.inferTypes)(op);
  if (!types) {
    importer.whyUntyped[op] = types.error().message;
    return {};
  }
  for (auto [result, inferred] : llvm::zip(op->getResults(), *types)) {
    const auto type = llvm::dyn_cast_or_null<mlir::RankedTensorType>(inferred);
    if (!type) continue;
    const std::string what = "output " + std::to_string(result.getResultNumber());
    const auto declared = llvm::dyn_cast<mlir::TensorType>(result.getType());
    if (declared && declared.getElementType() != type.getElementType())
      return invalidInput(what + " is declared as " +
                          elementTypeName(ir::toElementType(declared.getElementType())) +
                          ", but inferred as " +
                          elementTypeName(ir::toElementType(type.getElementType())));
    result.setType(type);
  }
  return {};
}

Result<NodeResults> importCustomOp(Importer& importer, const Node& node,
                                   llvm::ArrayRef<mlir::Value> inputs, const Scope& scope,
                                   mlir::Location location) {
  mlir::MLIRContext* context = importer.builder.getContext();
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<bool> present;
  for (const mlir::Value input : inputs) {
    present.push_back(static_cast<bool>(input));
    if (input) operands.push_back(input);
  }
  llvm::SmallVector<mlir::Type> types;
  for (const std::string& output : node.outputs) {
    const ValueType declared = scope.declaredType(output);
    const mlir::RankedTensorType ranked = rankedType(context, declared, /*keepSymbols=*/false);
    types.push_back(ranked ? mlir::Type(ranked) : unknownType(context, declared));
  }
  TESSERA_TRY(const mlir::DictionaryAttr attributes, convertCustomAttributes(context, node));
  auto op =
      importer.builder.create<ir::CustomOp>(location, types, operands, node.domain, node.opType,
                                            static_cast<uint64_t>(node.opset), attributes, present);
  TESSERA_TRY_VOID(inferCustomTypes(importer, op));
  NodeResults results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    results.push_back(node.outputs[i].empty() ? mlir::Value()
                                              : op.getResult(static_cast<unsigned>(i)));
  }
  return results;
}

}  // namespace tessera::onnx
