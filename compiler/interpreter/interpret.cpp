#include "compiler/interpreter/interpret.h"

#include "base/shape_text.h"
#include "compiler/interpreter/machine.h"
#include "compiler/ir/types.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tessera::interpreter {

static constexpr int kMaxCallDepth = 64;

Result<Values> Machine::dispatch(Operation& op, const Environment& environment) {
  if (auto call = dyn_cast<func::CallOp>(op)) return runCall(*this, call, environment);
  if (auto branch = dyn_cast<ir::IfOp>(op)) return runIf(*this, branch, environment);
  if (auto loop = dyn_cast<ir::LoopOp>(op)) return runLoop(*this, loop, environment);
  if (auto scan = dyn_cast<ir::ScanOp>(op)) return runScan(*this, scan, environment);
  if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    TESSERA_TRY(TensorValue value, evaluate::constantTensor(constant));
    return Values{std::move(value)};
  }
  TESSERA_TRY(Values operands, evaluate::operandValues(op, environment));
  if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
    return runBlock(composite.getBody().front(), std::move(operands), nullptr);
  }
  if (isa<ir::RelayoutOp, ir::CopyOp, ir::CompilerBeginOp, ir::CompilerEndOp>(op)) return operands;
  std::vector<reference::TensorView> views;
  for (const TensorValue& operand : operands) views.push_back(operand.view());
  TESSERA_TRY(std::vector<reference::Tensor> tensors, evaluate::evaluateOperation(op, views));
  Values results;
  for (reference::Tensor& tensor : tensors) {
    results.push_back(evaluate::shareTensor(std::move(tensor)));
  }
  return results;
}

Result<Values> Machine::runOperation(Operation& op, const Environment& environment) {
  Result<Values> results = dispatch(op, environment);
  if (!results) return evaluate::atOperation(std::move(results).error(), op);
  if (observer) observer(op, *results);
  return results;
}

Result<Values> Machine::runBlock(Block& block, Values arguments, const Environment* outer) {
  return evaluate::evaluateBlock(block, std::move(arguments), outer,
                                 [this](Operation& op, const Environment& environment) {
                                   return runOperation(op, environment);
                                 });
}

Result<Values> Machine::runFunction(func::FuncOp function, Values arguments) {
  if (function.isExternal()) {
    return invalidInput("function '" + function.getSymName().str() + "' has no body");
  }
  if (++callDepth > kMaxCallDepth) {
    return invalidInput("functions call each other more than " + std::to_string(kMaxCallDepth) +
                        " deep");
  }
  Result<Values> results = runBlock(function.getBody().front(), std::move(arguments), nullptr);
  --callDepth;
  return results;
}

Result<Values> runCall(Machine& machine, func::CallOp op, const Environment& environment) {
  auto function = machine.symbols.lookup<func::FuncOp>(op.getCallee());
  if (!function) return invalidInput("unknown function '" + op.getCallee().str() + "'");
  TESSERA_TRY(Values operands, evaluate::operandValues(*op, environment));
  if (machine.caller) {
    if (auto results = machine.caller(op, operands)) return std::move(*results);
  }
  return machine.runFunction(function, std::move(operands));
}

static std::string toText(ElementType type, std::span<const int64_t> shape) {
  return elementTypeName(type) + base::shapeText(shape);
}

static Status checkInput(size_t index, Type declared, const reference::TensorView& input) {
  const auto type = dyn_cast<RankedTensorType>(declared);
  if (!type) return invalidInput("input " + std::to_string(index) + " is no tensor");
  const ElementType element = ir::toElementType(type.getElementType());
  bool fits = element == input.type && type.getRank() == input.rank();
  for (int64_t d = 0; fits && d < input.rank(); ++d) {
    fits = type.isDynamicDim(d) || type.getDimSize(d) == input.shape[d];
  }
  if (fits) return {};
  return invalidInput("input " + std::to_string(index) + " is " + toText(input.type, input.shape) +
                      ", expected " + toText(element, type.getShape()));
}

Result<std::vector<reference::Tensor>> interpret(ModuleOp module, std::string_view functionName,
                                                 std::span<const reference::TensorView> inputs,
                                                 Observer observer, Caller caller) {
  SymbolTable symbols(module);
  auto function = symbols.lookup<func::FuncOp>(StringRef(functionName.data(), functionName.size()));
  if (!function) {
    return invalidInput("the module has no function '" + std::string(functionName) + "'");
  }
  if (inputs.size() != function.getNumArguments()) {
    return invalidInput("got " + std::to_string(inputs.size()) + " inputs, expected " +
                        std::to_string(function.getNumArguments()));
  }
  Values arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TESSERA_TRY_VOID(checkInput(i, function.getArgumentTypes()[i], inputs[i]));
    arguments.push_back({.type = inputs[i].type,
                         .shape = {inputs[i].shape.begin(), inputs[i].shape.end()},
                         .data = inputs[i].data,
                         .owner = nullptr});
  }
  Machine machine{.symbols = symbols, .observer = observer, .caller = caller};
  TESSERA_TRY(const Values values, machine.runFunction(function, std::move(arguments)));
  std::vector<reference::Tensor> results;
  for (const TensorValue& value : values) results.push_back(evaluate::copyTensor(value));
  return results;
}

}  // namespace tessera::interpreter
