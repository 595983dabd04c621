#include "compiler/conformance/expected.h"

#include <cmath>

#include "base/half.h"
#include "compiler/evaluate/evaluate.h"
#include "compiler/ir/types.h"

namespace tessera::conformance {

using namespace mlir;
using reference::TensorView;

namespace {

/// What an approximation of exp, erf, ... may be off, in units in the last place.
constexpr int64_t kFunctionRoundings = 8;

double unitOf(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return 0x1p-53;
    case ElementType::kF16:
      return 0x1p-11;
    case ElementType::kBF16:
      return 0x1p-8;
    default:
      return 0x1p-24;
  }
}

template <typename T, typename Convert>
double greatest(const TensorView& tensor, const Convert& convert) {
  double result = 0;
  for (const T element : tensor.as<T>()) {
    const double value = std::abs(static_cast<double>(convert(element)));
    if (std::isfinite(value)) result = std::max(result, value);
  }
  return result;
}

/// The greatest finite number of a tensor of floats; 0 for others.
double greatestOf(const TensorView& tensor) {
  switch (tensor.type) {
    case ElementType::kF16:
      return greatest<uint16_t>(tensor, base::decodeF16);
    case ElementType::kBF16:
      return greatest<uint16_t>(tensor, base::decodeBF16);
    case ElementType::kF32:
      return greatest<float>(tensor, [](float x) { return x; });
    case ElementType::kF64:
      return greatest<double>(tensor, [](double x) { return x; });
    default:
      return 0;
  }
}

/// The type with the sizes of a tensor of it.
Type typeOf(Type open, const TensorView& tensor) {
  return RankedTensorType::get(ArrayRef(tensor.shape.data(), tensor.shape.size()),
                               cast<RankedTensorType>(open).getElementType());
}

/// roundingsOf, for an operator whose sizes are known by its data alone.
int64_t roundingsAt(Operation& op, std::span<const TensorView> operands,
                    std::span<const TensorView> results) {
  const auto isOpen = [](Type type) { return !cast<RankedTensorType>(type).hasStaticShape(); };
  if (llvm::none_of(op.getOperandTypes(), isOpen) && llvm::none_of(op.getResultTypes(), isOpen))
    return roundingsOf(op);
  Block arguments;
  IRMapping mapping;
  for (auto [value, tensor] : llvm::zip_equal(op.getOperands(), operands)) {
    // What is counted may depend on a constant.
    if (!isa_and_nonnull<ir::ConstantOp>(value.getDefiningOp()))
      mapping.map(value, arguments.addArgument(typeOf(value.getType(), tensor), op.getLoc()));
  }
  Operation* closed = op.clone(mapping);
  for (auto [value, tensor] : llvm::zip_equal(closed->getResults(), results))
    value.setType(typeOf(value.getType(), tensor));
  const int64_t roundings = roundingsOf(*closed);
  closed->destroy();
  return roundings;
}

/// Follows an evaluation.
struct Watch {
  double unit = 0x1p-53;
  double greatestTerm = 1;
  int64_t roundings = 0;

  void see(const TensorView& tensor) {
    const double value = greatestOf(tensor);
    greatestTerm = std::max(greatestTerm, value);
    if (value > 0) unit = std::max(unit, unitOf(tensor.type));
  }
  void see(Operation& op, std::span<const TensorView> operands,
           std::span<const TensorView> results) {
    const int64_t added = roundingsAt(op, operands, results);
    roundings += added;
    double product = 1;
    for (const TensorView& operand : operands) {
      see(operand);
      product *= std::max(greatestOf(operand), 1.0);
    }
    // Terms are products where the operator multiplies.
    auto interface = dyn_cast<ir::TsrOpInterface>(op);
    if (interface && added > 0 && interface.getFusionKind() == ir::FusionKind::OutFusable)
      greatestTerm = std::max(greatestTerm, product);
    for (const TensorView& result : results) see(result);
  }
};

using Values = std::vector<evaluate::TensorValue>;

Result<Values> runBlock(Block& block, Values arguments, Watch& watch);

Result<Values> runOperation(Operation& op, const evaluate::Environment& environment, Watch& watch) {
  if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    TESSERA_TRY(evaluate::TensorValue value, evaluate::constantTensor(constant));
    return Values{std::move(value)};
  }
  TESSERA_TRY(Values operands, evaluate::operandValues(op, environment));
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isExternal()) return invalidInput("a function has no body");
    return runBlock(callee.getBody().front(), std::move(operands), watch);
  }
  if (auto composite = dyn_cast<ir::CompositeOp>(op))
    return runBlock(composite.getBody().front(), std::move(operands), watch);
  std::vector<TensorView> views, resultViews;
  for (const evaluate::TensorValue& operand : operands) views.push_back(operand.view());
  TESSERA_TRY(std::vector<reference::Tensor> tensors, evaluate::evaluateOperation(op, views));
  Values results;
  for (reference::Tensor& tensor : tensors)
    results.push_back(evaluate::shareTensor(std::move(tensor)));
  for (const evaluate::TensorValue& result : results) resultViews.push_back(result.view());
  watch.see(op, views, resultViews);
  return results;
}

Result<Values> runBlock(Block& block, Values arguments, Watch& watch) {
  return evaluate::evaluateBlock(block, std::move(arguments), nullptr,
                                 [&](Operation& op, const evaluate::Environment& environment) {
                                   return runOperation(op, environment, watch);
                                 });
}

}  // namespace

int64_t roundingsOf(Operation& op) {
  auto counted = dyn_cast<ir::TsrOpInterface>(op);
  if (!counted || op.getNumResults() == 0 || counted.getFlops() <= 0) return 0;
  int64_t elements = 1;
  for (const Type type : op.getResultTypes()) {
    const auto tensor = cast<RankedTensorType>(type);
    if (tensor.hasStaticShape()) elements = std::max(elements, tensor.getNumElements());
  }
  int64_t roundings = counted.getFlops() / elements + kFunctionRoundings;
  if (auto recurrent = dyn_cast<ir::RecurrentOpInterface>(op)) {
    // An element of the last step has gone through all of them.
    const auto x = cast<RankedTensorType>(op.getOperand(0).getType());
    roundings *= std::max<int64_t>(x.getDimSize(recurrent.getLayout() == 0 ? 0 : 1), 1);
  }
  return roundings;
}

Result<Expected> evaluateFunction(func::FuncOp function, std::span<const TensorView> inputs) {
  Watch watch;
  Values arguments;
  for (const TensorView& input : inputs) {
    watch.see(input);
    arguments.push_back({.type = input.type,
                         .shape = {input.shape.begin(), input.shape.end()},
                         .data = input.data,
                         .owner = nullptr});
  }
  TESSERA_TRY(const Values values,
              runBlock(function.getBody().front(), std::move(arguments), watch));
  Expected expected;
  for (const evaluate::TensorValue& value : values)
    expected.outputs.push_back(evaluate::copyTensor(value));
  expected.relativeTolerance = static_cast<double>(watch.roundings) * watch.unit;
  expected.absoluteTolerance = watch.greatestTerm * expected.relativeTolerance;
  return expected;
}

}  // namespace tessera::conformance
