#include "compiler/evaluate/evaluate.h"

#include <cstring>

#include "compiler/evaluate/operation_call.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tessera::evaluate {

using Tensors = std::vector<reference::Tensor>;

Error atOperation(Error error, Operation& op) {
  if (!error.node.empty()) return error;
  const auto names = ir::sourceNames(op.getLoc());
  error.node = names.empty() ? op.getName().getStringRef().str()
                             : names.front() + " (" + op.getName().getStringRef().str() + ")";
  return error;
}

/// The tensor attribute `value` is one element that fills the shape given by input 0.
static Result<Tensors> evaluateConstantOfShape(ir::ConstantOfShapeOp op,
                                               const reference::TensorView& input) {
  const auto resultType = cast<RankedTensorType>(op.getType());
  reference::Shape shape;
  for (const int64_t size : input.as<int64_t>()) {
    if (size < 0) return invalidInput("the shape has a negative size " + std::to_string(size));
    shape.push_back(size);
  }
  reference::Tensor filled(ir::toElementType(resultType.getElementType()), std::move(shape));
  if (!filled.data()) return invalidInput("the shape does not fit into memory");
  if (const auto value = dyn_cast_or_null<DenseElementsAttr>(op.getValueAttr())) {
    const auto type = cast<RankedTensorType>(value.getType());
    const ir::Blob element = ir::constantBytes(value, type, op.getContext());
    auto* bytes = static_cast<std::byte*>(filled.data());
    const size_t size = elementSizeBytes(filled.type());
    if (element.bytes.size() < size) return invalidInput("attribute 'value' is empty");
    for (size_t at = 0; at < filled.sizeBytes(); at += size) {
      std::memcpy(bytes + at, element.bytes.data(), size);
    }
  }
  Tensors results;
  results.push_back(std::move(filled));
  return results;
}

static Result<Tensors> evaluateOperator(Operation& op, const ir::OpInfo& info,
                                        std::span<const reference::TensorView> inputs) {
  std::vector<reference::TensorView> slots;
  for (const int slot : operandSlots(op, info)) {
    slots.push_back(slot < 0 ? reference::TensorView{} : inputs[slot]);
  }
  const std::vector<int> outputs = resultSlots(op, info);
  size_t wanted = outputs.size();
  while (wanted > 0 && outputs[wanted - 1] < 0) --wanted;
  TESSERA_TRY(const reference::Attributes attributes, onnxAttributes(op, info));
  TESSERA_TRY(
      Tensors all,
      reference::evaluate(
          {.op = info.mnemonic, .inputs = slots, .attributes = attributes, .numOutputs = wanted}));
  Tensors results;
  for (size_t i = 0; i < wanted; ++i) {
    if (outputs[i] >= 0) results.push_back(std::move(all[i]));
  }
  return results;
}

static Result<std::vector<TensorValue>> evaluateInEnvironment(Operation& op,
                                                              const Environment& environment) {
  if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    TESSERA_TRY(TensorValue value, constantTensor(constant));
    return std::vector{std::move(value)};
  }
  TESSERA_TRY(const std::vector<TensorValue> operands, operandValues(op, environment));
  std::vector<reference::TensorView> views;
  views.reserve(operands.size());
  for (const TensorValue& operand : operands) views.push_back(operand.view());
  TESSERA_TRY(Tensors tensors, evaluateOperation(op, views));
  std::vector<TensorValue> values;
  for (reference::Tensor& tensor : tensors) values.push_back(shareTensor(std::move(tensor)));
  return values;
}

static Result<Tensors> evaluateComposite(ir::CompositeOp op,
                                         std::span<const reference::TensorView> inputs) {
  std::vector<TensorValue> arguments;
  for (const reference::TensorView& input : inputs) {
    arguments.push_back({.type = input.type,
                         .shape = {input.shape.begin(), input.shape.end()},
                         .data = input.data,
                         .owner = nullptr});
  }
  TESSERA_TRY(
      const std::vector<TensorValue> values,
      evaluateBlock(op.getBody().front(), std::move(arguments), nullptr, evaluateInEnvironment));
  Tensors results;
  for (const TensorValue& value : values) results.push_back(copyTensor(value));
  return results;
}

static Result<Tensors> evaluateUnnamed(Operation& op,
                                       std::span<const reference::TensorView> inputs) {
  if (auto constantOfShape = dyn_cast<ir::ConstantOfShapeOp>(op)) {
    return evaluateConstantOfShape(constantOfShape, inputs[0]);
  }
  if (const ir::OpInfo* info = opInfo(op)) return evaluateOperator(op, *info, inputs);
  if (auto composite = dyn_cast<ir::CompositeOp>(op)) return evaluateComposite(composite, inputs);
  Tensors results;
  if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    TESSERA_TRY(const TensorValue value, constantTensor(constant));
    results.push_back(copyTensor(value));
    return results;
  }
  if (isa<ir::RelayoutOp, ir::CopyOp, ir::CompilerBeginOp, ir::CompilerEndOp>(op)) {
    const reference::TensorView& input = inputs[0];
    results.push_back(copyTensor({.type = input.type,
                                  .shape = {input.shape.begin(), input.shape.end()},
                                  .data = input.data,
                                  .owner = nullptr}));
    return results;
  }
  if (auto custom = dyn_cast<ir::CustomOp>(op)) {
    return invalidInput("operator '" + custom.getOpType().str() + "' of domain '" +
                        custom.getDomain().str() + "' has no reference implementation");
  }
  return invalidInput("operation " + op.getName().getStringRef().str() + " cannot be evaluated");
}

Result<Tensors> evaluateOperation(Operation& op, std::span<const reference::TensorView> inputs) {
  Result<Tensors> results = evaluateUnnamed(op, inputs);
  if (!results) return atOperation(std::move(results).error(), op);
  return results;
}

const TensorValue* Environment::find(Value value) const {
  for (const Environment* scope = this; scope; scope = scope->outer) {
    const auto it = scope->values.find(value);
    if (it != scope->values.end()) return &it->second;
  }
  return nullptr;
}

Result<std::vector<TensorValue>> operandValues(Operation& op, const Environment& environment) {
  std::vector<TensorValue> values;
  for (const Value operand : op.getOperands()) {
    const TensorValue* value = environment.find(operand);
    if (!value) return atOperation(invalidInput("an operand has no value"), op);
    values.push_back(*value);
  }
  return values;
}

/// For each operation of the block the values of the block that it, or its regions, use last.
static llvm::DenseMap<Operation*, llvm::SmallVector<Value, 2>> lastUses(Block& block) {
  llvm::DenseMap<Operation*, llvm::SmallVector<Value, 2>> dying;
  llvm::DenseSet<Value> seen;
  for (Operation& op : llvm::reverse(block)) {
    op.walk([&](Operation* nested) {
      for (Value operand : nested->getOperands()) {
        if (operand.getParentBlock() == &block && seen.insert(operand).second) {
          dying[&op].push_back(operand);
        }
      }
    });
  }
  return dying;
}

Result<std::vector<TensorValue>> evaluateBlock(Block& block, std::vector<TensorValue> arguments,
                                               const Environment* outer,
                                               OperationEvaluator evaluator) {
  Environment environment;
  environment.outer = outer;
  if (arguments.size() != block.getNumArguments()) {
    return invalidInput("got " + std::to_string(arguments.size()) + " inputs, expected " +
                        std::to_string(block.getNumArguments()));
  }
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments)) {
    environment.values.try_emplace(argument, std::move(value));
  }
  arguments.clear();
  const auto dying = lastUses(block);
  for (Operation& op : block.without_terminator()) {
    Result<std::vector<TensorValue>> results = evaluator(op, environment);
    if (!results) return atOperation(std::move(results).error(), op);
    if (const auto it = dying.find(&op); it != dying.end()) {
      for (const Value value : it->second) environment.values.erase(value);
    }
    for (auto [result, value] : llvm::zip_equal(op.getResults(), *results)) {
      if (!result.use_empty()) environment.values.try_emplace(result, std::move(value));
    }
  }
  return operandValues(*block.getTerminator(), environment);
}

}  // namespace tessera::evaluate
