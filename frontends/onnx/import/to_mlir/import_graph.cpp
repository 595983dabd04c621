// Graphs to blocks: names to values, nodes one after the other.
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/import/to_mlir/importer.h"
#include "frontends/onnx/import/to_mlir/types_to_mlir.h"

namespace tessera::onnx {

Error takeReason(Importer& importer, std::string fallback) {
  Error error = importer.diagnostics.take(invalidInput(std::move(fallback)));
  // "'tsr.conv' op (C1) ..." -> "(C1) ...": the error names the ONNX node.
  if (const size_t prefixEnd = error.message.find("' op ");
      error.message.starts_with("'") && prefixEnd != std::string::npos) {
    error.message = error.message.substr(prefixEnd + 5);
  }
  error.node.clear();  // Who imports the node says its operator, too.
  return error;
}

Scope::Scope(Importer& importer, const Graph& graph, mlir::Block& block, Scope* outer)
    : importer_(importer), graph_(graph), block_(block), outer_(outer) {
  for (const Initializer& initializer : graph.initializers)
    initializers_[initializer.name] = &initializer;
  for (const NamedValue& output : graph.outputs) outputTypes_[output.name] = &output.type;
}

Result<mlir::Value> Scope::lookup(const std::string& name) {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  const auto initializer = initializers_.find(name);
  if (initializer == initializers_.end()) {
    if (outer_ != nullptr) return outer_->lookup(name);
    return invalidInput("value '" + name + "' is not defined");
  }
  const TensorData& tensor = initializer->second->tensor;
  mlir::MLIRContext* context = importer_.builder.getContext();
  Result<mlir::RankedTensorType> type = constantType(context, tensor);
  if (!type) return invalidInput("initializer '" + name + "': " + type.error().message);
  // Constants stand at the start of the block, in order of first use.
  const mlir::OpBuilder::InsertionGuard guard(importer_.builder);
  if (lastConstant_ != nullptr) {
    importer_.builder.setInsertionPointAfter(lastConstant_);
  } else {
    importer_.builder.setInsertionPointToStart(&block_);
  }
  auto constant = ir::createConstant(importer_.builder, mlir::UnknownLoc::get(context), *type,
                                     {.bytes = tensor.bytes, .owner = tensor.owner});
  lastConstant_ = constant;
  values_[name] = constant;
  return mlir::Value(constant);
}

std::optional<ValueType> Scope::typeOf(std::string_view name) const {
  if (const auto found = values_.find(std::string(name)); found != values_.end()) {
    return toValueType(found->second.getType());
  }
  if (const auto found = initializers_.find(name); found != initializers_.end()) {
    ValueType type{
        .element = found->second->tensor.type, .shape = std::vector<Dimension>(), .otherKind = {}};
    for (const int64_t size : found->second->tensor.shape)
      type.shape->push_back({.size = size, .symbol = {}});
    return type;
  }
  return outer_ == nullptr ? std::nullopt : outer_->typeOf(name);
}

std::optional<TensorData> Scope::constantOf(std::string_view name) const {
  if (const auto found = values_.find(std::string(name)); found != values_.end()) {
    std::optional<ir::Blob> blob = ir::constantBytes(found->second);
    if (!blob) return std::nullopt;
    const auto type = llvm::cast<mlir::RankedTensorType>(found->second.getType());
    return TensorData{.type = ir::toElementType(type.getElementType()),
                      .shape = {type.getShape().begin(), type.getShape().end()},
                      .bytes = blob->bytes,
                      .owner = std::move(blob->owner)};
  }
  if (const auto found = initializers_.find(name); found != initializers_.end())
    return found->second->tensor;
  return outer_ == nullptr ? std::nullopt : outer_->constantOf(name);
}

ValueType Scope::declaredType(const std::string& name) const {
  if (const auto found = graph_.valueTypes.find(name); found != graph_.valueTypes.end())
    return found->second;
  if (const auto found = outputTypes_.find(name); found != outputTypes_.end())
    return *found->second;
  return {};
}

static Result<NodeResults> importConstant(Importer& importer, const Node& node,
                                          mlir::Location location) {
  const Attribute* attribute = node.findAttribute("value");
  const auto* tensor = attribute == nullptr ? nullptr : std::get_if<TensorData>(&attribute->value);
  if (tensor == nullptr) return invalidInput("the constant has no tensor");
  TESSERA_TRY(const mlir::RankedTensorType type,
              constantType(importer.builder.getContext(), *tensor));
  return NodeResults{ir::createConstant(importer.builder, location, type,
                                        {.bytes = tensor->bytes, .owner = tensor->owner})};
}

Status checkRankIsKnown(const Importer& importer, mlir::Value value, std::string_view name) {
  if (!importer.padded.contains(value)) return {};
  const int64_t rank = llvm::cast<mlir::RankedTensorType>(value.getType()).getRank();
  return invalidInput("the rank of '" + std::string(name) + "' is " + std::to_string(rank) +
                      " or less, whichever branch of an If the data chooses, expected one rank");
}

/// Lets the operation of a node use values whose rank depends on the data where that does not show.
static Status passPaddedOn(Importer& importer, const Node& node, llvm::ArrayRef<mlir::Value> inputs,
                           const NodeResults& results) {
  const auto isPadded = [&](mlir::Value input) { return input && importer.padded.contains(input); };
  if (llvm::none_of(inputs, isPadded)) return {};
  mlir::Operation* op = results.empty() || !results[0] ? nullptr : results[0].getDefiningOp();
  auto tensorOp = llvm::dyn_cast_or_null<ir::TsrOpInterface>(op);
  const auto rankOf = [](mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getRank();
  };
  if (tensorOp && tensorOp->hasTrait<ir::NumpyBroadcast>()) {
    const bool hasFullRank = llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
      return !isPadded(operand) && rankOf(operand) == rankOf(results[0]);
    });
    if (!hasFullRank) importer.padded.insert(results[0]);
    return {};
  }
  if (tensorOp && op->getNumOperands() == 1 &&
      tensorOp.getFusionKind() == ir::FusionKind::Elementwise) {
    importer.padded.insert(results[0]);
    return {};
  }
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (input) TESSERA_TRY_VOID(checkRankIsKnown(importer, input, node.inputs[i]));
  }
  return {};
}

/// A node of opset 23.
static Status importCurrentNode(Importer& importer, const Node& node, Scope& scope) {
  const mlir::Location location = mlir::NameLoc::get(importer.builder.getStringAttr(node.name));
  llvm::SmallVector<mlir::Value> inputs;
  for (const std::string& name : node.inputs) {
    if (name.empty()) {
      inputs.push_back({});
      continue;
    }
    TESSERA_TRY(const mlir::Value value, scope.lookup(name));
    inputs.push_back(value);
  }
  Result<NodeResults> results = [&]() -> Result<NodeResults> {
    if (!node.domain.empty()) return importCustomOp(importer, node, inputs, scope, location);
    if (node.opType == "Constant") return importConstant(importer, node, location);
    if (isControlFlow(node)) return importControlFlow(importer, node, inputs, scope, location);
    if (const ir::OpInfo* info = ir::findByOnnxName(node.opType)) {
      return importTensorOp(importer, node, *info, inputs, location);
    }
    return importCustomOp(importer, node, inputs, scope, location);
  }();
  if (!results) return std::move(results).error();
  TESSERA_TRY_VOID(passPaddedOn(importer, node, inputs, *results));
  for (size_t i = 0; i < node.outputs.size() && i < results->size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (!(*results)[i]) return invalidInput("output '" + node.outputs[i] + "' is not supported");
    scope.define(node.outputs[i], (*results)[i]);
  }
  return {};
}

static Status importNode(Importer& importer, const Node& node, Scope& scope) {
  if (importer.remainingNodes-- == 0)
    return invalidInput("the types in nested loops do not settle");
  TESSERA_TRY(const std::vector<Node> upgraded, upgradeNode(node, scope));
  for (const Node& current : upgraded)
    TESSERA_TRY_VOID(importCurrentNode(importer, current, scope));
  return {};
}

Result<llvm::SmallVector<mlir::Value>> importNodes(Importer& importer, const Graph& graph,
                                                   Scope& scope) {
  for (const Node& node : graph.nodes) {
    if (Status status = importNode(importer, node, scope); !status) {
      Error error = std::move(status).error();
      // A node of a body has put its own name already.
      if (error.node.empty()) error.node = describeNode(node);
      return error;
    }
  }
  llvm::SmallVector<mlir::Value> outputs;
  for (const NamedValue& output : graph.outputs) {
    Result<mlir::Value> value = scope.lookup(output.name);
    if (!value) return invalidInput("graph output '" + output.name + "': " + value.error().message);
    outputs.push_back(*value);
  }
  return outputs;
}

}  // namespace tessera::onnx
