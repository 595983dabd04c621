#include "frontends/onnx/export/node_draft.h"

#include <algorithm>
#include <map>

#include "compiler/ir/op_info.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/schema.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tessera::onnx {

Attribute NodeDraft::findAttribute(std::string_view name) const {
  for (const auto& [key, value] : attributes) {
    if (key == name) return value;
  }
  return {};
}

std::optional<int64_t> NodeDraft::intAttribute(std::string_view name) const {
  const auto value = dyn_cast_or_null<IntegerAttr>(findAttribute(name));
  return value ? std::optional(value.getValue().getSExtValue()) : std::nullopt;
}

std::string_view NodeDraft::stringAttribute(std::string_view name) const {
  const auto value = dyn_cast_or_null<StringAttr>(findAttribute(name));
  return value ? std::string_view(value.getValue()) : std::string_view();
}

void NodeDraft::setAttribute(std::string_view name, Attribute value) {
  removeAttribute(name);
  attributes.emplace_back(name, value);
}

void NodeDraft::removeAttribute(std::string_view name) {
  std::erase_if(attributes, [&](const auto& attribute) { return attribute.first == name; });
}

std::string describe(Operation* op, std::string_view opType) {
  const auto names = ir::sourceNames(op->getLoc());
  const std::string type(opType);
  return names.empty() || names.front().empty() ? type : names.front() + " (" + type + ")";
}

Error draftError(const NodeDraft& draft, std::string message) {
  Error error = invalidInput(std::move(message));
  error.node = describe(draft.op, draft.opType);
  return error;
}

/// Whether the attribute has the value that ONNX takes in its absence.
static bool isDefault(const ir::AttributeInfo& info, Attribute value) {
  if (info.defaultValue.empty()) return false;
  if (const auto number = dyn_cast<IntegerAttr>(value))
    return std::to_string(number.getValue().getSExtValue()) == info.defaultValue;
  if (const auto number = dyn_cast<FloatAttr>(value))
    return static_cast<float>(number.getValueAsDouble()) ==
           std::strtof(std::string(info.defaultValue).c_str(), nullptr);
  const auto text = dyn_cast<StringAttr>(value);
  return text && text.getValue() == llvm::StringRef(info.defaultValue);
}

/// Appends the values of each entry of the table, null for an optional one that is absent.
static void appendValues(std::vector<Value>& list, const std::vector<ir::ValueInfo>& entries,
                         ValueRange values, DenseI32ArrayAttr segments) {
  size_t next = 0;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    size_t count = 1;
    if (segments) {
      count = static_cast<size_t>(segments[static_cast<int64_t>(i)]);
    } else if (entry.presence == ir::Presence::kVariadic) {
      count = values.size() - next;
    } else if (entry.presence == ir::Presence::kOptional) {
      // Without segments there is one optional entry, and nothing variadic beside it.
      count = values.size() - next >= entries.size() - i ? 1 : 0;
    }
    if (count == 0 && entry.presence != ir::Presence::kVariadic) list.emplace_back();
    for (size_t k = 0; k < count; ++k) list.push_back(values[next++]);
  }
  while (!list.empty() && !list.back()) list.pop_back();
}

static NodeDraft draftTensorOp(Operation* op, const ir::OpInfo& info) {
  NodeDraft draft{.opType = std::string(info.onnxName), .op = op};
  appendValues(draft.inputs, info.operands, op->getOperands(),
               info.hasOperandSegments ? op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes")
                                       : DenseI32ArrayAttr());
  appendValues(draft.outputs, info.results, op->getResults(),
               info.hasResultSegments ? op->getAttrOfType<DenseI32ArrayAttr>("resultSegmentSizes")
                                      : DenseI32ArrayAttr());
  for (const ir::AttributeInfo& attribute : info.attributes) {
    const Attribute value = op->getAttr(attribute.name);
    if (value && !isDefault(attribute, value)) draft.attributes.emplace_back(attribute.name, value);
  }
  // Since opset 18 the number of parts is told, and need not divide the dimension.
  if (isa<ir::SplitOp>(op) && !draft.input(1))
    draft.setAttribute("num_outputs",
                       Builder(op->getContext()).getI64IntegerAttr(op->getNumResults()));
  return draft;
}

static NodeDraft draftCustomOp(ir::CustomOp op) {
  NodeDraft draft{.opType = op.getOpType().str(), .domain = op.getDomain().str(), .op = op};
  size_t next = 0;
  for (const bool isPresent : op.getPresent()) {
    const bool isThere = isPresent && next < op.getInputs().size();
    draft.inputs.push_back(isThere ? op.getInputs()[next++] : Value());
  }
  for (const Value result : op.getResults()) draft.outputs.push_back(result);
  for (const NamedAttribute attribute : op.getOnnxAttributes())
    draft.attributes.emplace_back(attribute.getName().str(), attribute.getValue());
  return draft;
}

static NodeDraft draftControlFlow(Operation* op, std::string opType) {
  NodeDraft draft{.opType = std::move(opType), .op = op};
  if (auto loop = dyn_cast<ir::LoopOp>(op)) {
    draft.inputs = {loop.getMaxTripCount(), loop.getCondition()};
    llvm::append_range(draft.inputs, loop.getInitial());
  } else {
    draft.inputs.assign(op->operand_begin(), op->operand_end());
  }
  draft.outputs.assign(op->result_begin(), op->result_end());
  if (!isa<ir::ScanOp>(op)) return draft;
  for (const char* name : {"num_scan_inputs", "scan_input_axes", "scan_input_directions",
                           "scan_output_axes", "scan_output_directions"}) {
    if (const Attribute value = op->getAttr(name)) draft.attributes.emplace_back(name, value);
  }
  return draft;
}

Result<NodeDraft> draftNode(Operation* op) {
  if (auto custom = dyn_cast<ir::CustomOp>(op)) return draftCustomOp(custom);
  if (isa<ir::IfOp>(op)) return draftControlFlow(op, "If");
  if (isa<ir::LoopOp>(op)) return draftControlFlow(op, "Loop");
  if (isa<ir::ScanOp>(op)) return draftControlFlow(op, "Scan");
  const llvm::StringRef mnemonic = op->getName().stripDialect();
  const ir::OpInfo* info =
      op->getName().getDialectNamespace() == ir::TsrDialect::getDialectNamespace()
          ? ir::findByMnemonic(std::string_view(mnemonic))
          : nullptr;
  if (info != nullptr) return draftTensorOp(op, *info);
  const std::string name = op->getName().getStringRef().str();
  Error error = invalidInput("operation '" + name + "' has no form in ONNX");
  error.node = describe(op, name);
  return error;
}

static std::string inOpset(const NodeDraft& draft, int opset) {
  return "operator " + draft.opType + " of opset " + std::to_string(opset);
}

/// Element types of one side, and that values of one type variable agree.
static Status checkTypes(const NodeDraft& draft, int opset, llvm::ArrayRef<Value> values,
                         std::span<const SchemaValue> formal, const char* side,
                         std::map<std::string_view, Type>& variables) {
  for (auto [i, value] : llvm::enumerate(values)) {
    const SchemaValue& expected = formal[std::min(i, formal.size() - 1)];
    const auto tensor = value ? dyn_cast<TensorType>(value.getType()) : TensorType();
    if (!tensor) continue;
    const Type element = tensor.getElementType();
    const ElementType type = ir::toElementType(element);
    const std::string what = std::string(side) + " " + std::to_string(i);
    if ((expected.elements >> static_cast<unsigned>(type) & 1U) == 0)
      return draftError(draft,
                        inOpset(draft, opset) + " has no " + elementTypeName(type) + " as " + what);
    if (expected.typeVariable.empty()) continue;
    const auto [known, isNew] = variables.try_emplace(expected.typeVariable, element);
    if (!isNew && known->second != element)
      return draftError(draft, inOpset(draft, opset) + " has one element type for " +
                                   std::string(expected.typeVariable) + ", but " + what + " is " +
                                   elementTypeName(type) + " beside " +
                                   elementTypeName(ir::toElementType(known->second)));
  }
  return {};
}

static Status checkCount(const NodeDraft& draft, int opset, size_t count,
                         std::span<const SchemaValue> formal, const char* side) {
  if (count <= formal.size() || (!formal.empty() && formal.back().isVariadic)) return {};
  return draftError(draft, inOpset(draft, opset) + " has at most " + std::to_string(formal.size()) +
                               " " + side + "s, found " + std::to_string(count));
}

Status checkOperator(const NodeDraft& draft, int opset) {
  if (!draft.domain.empty() || hasOperator(draft.opType, opset)) return {};
  const std::optional<int> first = firstOpsetOf(draft.opType);
  return draftError(draft, "operator " + draft.opType +
                               (first ? " came with opset " + std::to_string(*first) +
                                            " and has no other form in opset "
                                      : " is not in opset ") +
                               std::to_string(opset));
}

Status checkForm(const NodeDraft& draft, int opset) {
  TESSERA_TRY_VOID(checkOperator(draft, opset));
  if (!draft.domain.empty()) return {};
  const Schema schema = *findSchema(draft.opType, opset);
  for (const auto& [name, value] : draft.attributes) {
    if (!schema.hasAttribute(name))
      return draftError(draft, inOpset(draft, opset) + " has no attribute '" + name + "'");
  }
  TESSERA_TRY_VOID(checkCount(draft, opset, draft.inputs.size(), schema.inputs, "input"));
  TESSERA_TRY_VOID(checkCount(draft, opset, draft.outputs.size(), schema.outputs, "output"));
  std::map<std::string_view, Type> variables;
  TESSERA_TRY_VOID(checkTypes(draft, opset, draft.inputs, schema.inputs, "input", variables));
  return checkTypes(draft, opset, draft.outputs, schema.outputs, "output", variables);
}

}  // namespace tessera::onnx
