// If, Loop and Scan of ONNX opset 23. Slices and stacks go through the reference's gather and
// concat.
#include <algorithm>

#include "compiler/interpreter/machine.h"
#include "compiler/ir/spec/axes.h"
#include "compiler/ir/types.h"
#include "reference/op_call.h"

using namespace mlir;

namespace tessera::interpreter {

static Result<TensorValue> evaluateOne(std::string_view op,
                                       std::span<const reference::TensorView> inputs,
                                       const reference::Attributes& attributes) {
  TESSERA_TRY(
      std::vector<reference::Tensor> results,
      reference::evaluate({.op = op, .inputs = inputs, .attributes = attributes, .numOutputs = 1}));
  return evaluate::shareTensor(std::move(results[0]));
}

static Result<bool> boolScalar(const TensorValue& value) {
  if (value.type != ElementType::kBool || value.view().count() != 1) {
    return invalidInput("the condition is not one bool");
  }
  return *static_cast<const uint8_t*>(value.data) != 0;
}

static TensorValue scalar(ElementType type, int64_t value) {
  reference::Tensor tensor(type, {});
  if (type == ElementType::kBool)
    tensor.as<uint8_t>()[0] = value != 0 ? 1 : 0;
  else
    tensor.as<int64_t>()[0] = value;
  return evaluate::shareTensor(std::move(tensor));
}

/// Joins `parts` along a new dimension `axis`. Without parts the shape follows from `element`, with
/// 0 for a size that is not known.
static Result<TensorValue> stack(const Values& parts, Type element, int64_t axis) {
  const auto type = cast<RankedTensorType>(element);
  const int64_t rank =
      (parts.empty() ? type.getRank() : static_cast<int64_t>(parts[0].shape.size())) + 1;
  if (!ir::spec::isAxis(axis, rank))
    return invalidInput("the axis of a scan output is out of range");
  axis = ir::spec::normalizedAxis(axis, rank);
  if (parts.empty()) {
    reference::Shape shape;
    for (const int64_t size : type.getShape()) {
      shape.push_back(ShapedType::isDynamic(size) ? 0 : size);
    }
    shape.insert(shape.begin() + axis, 0);
    return evaluate::shareTensor(
        reference::Tensor(ir::toElementType(type.getElementType()), std::move(shape)));
  }
  std::vector<reference::Shape> shapes;
  for (const TensorValue& part : parts) {
    shapes.push_back(part.shape);
    if (static_cast<int64_t>(part.shape.size()) + 1 != rank) {
      return invalidInput("the elements of a scan output differ in rank");
    }
    shapes.back().insert(shapes.back().begin() + axis, 1);
  }
  std::vector<reference::TensorView> views;
  views.reserve(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    views.push_back({parts[i].type, shapes[i], parts[i].data});
  }
  return evaluateOne("concat", views, {{"axis", axis}});
}

Result<Values> runIf(Machine& machine, ir::IfOp op, const Environment& environment) {
  TESSERA_TRY(const Values operands, evaluate::operandValues(*op, environment));
  TESSERA_TRY(const bool condition, boolScalar(operands[0]));
  Region& branch = condition ? op.getThenBranch() : op.getElseBranch();
  return machine.runBlock(branch.front(), {}, &environment);
}

Result<Values> runLoop(Machine& machine, ir::LoopOp op, const Environment& environment) {
  const auto valueOf = [&](Value value) { return *environment.find(value); };
  TESSERA_TRY(Values operands, evaluate::operandValues(*op, environment));
  std::optional<int64_t> maxTrips;
  if (op.getMaxTripCount()) {
    const TensorValue trips = valueOf(op.getMaxTripCount());
    if (trips.view().count() != 1) return invalidInput("the trip count is not one number");
    maxTrips = *static_cast<const int64_t*>(trips.data);
  }
  TensorValue condition =
      op.getCondition() ? valueOf(op.getCondition()) : scalar(ElementType::kBool, 1);
  const size_t numCarried = op.getInitial().size();
  Values carried(operands.end() - static_cast<ptrdiff_t>(numCarried), operands.end());
  operands.clear();
  Block& body = op.getBody().front();
  const size_t numScanned = op.getNumResults() - numCarried;
  std::vector<Values> scanned(numScanned);

  for (int64_t trip = 0; !maxTrips || trip < *maxTrips; ++trip) {
    TESSERA_TRY(const bool goesOn, boolScalar(condition));
    if (!goesOn) break;
    Values arguments{scalar(ElementType::kI64, trip), std::move(condition)};
    std::ranges::move(carried, std::back_inserter(arguments));
    TESSERA_TRY(Values yielded, machine.runBlock(body, std::move(arguments), &environment));
    if (yielded.size() != 1 + numCarried + numScanned) {
      return invalidInput("the loop body yields " + std::to_string(yielded.size()) +
                          " values, expected " + std::to_string(1 + numCarried + numScanned));
    }
    condition = std::move(yielded[0]);
    std::ranges::move(std::span(yielded).subspan(1, numCarried), carried.begin());
    for (size_t i = 0; i < numScanned; ++i) {
      scanned[i].push_back(std::move(yielded[1 + numCarried + i]));
    }
  }
  for (size_t i = 0; i < numScanned; ++i) {
    const Type element = body.getTerminator()->getOperand(1 + numCarried + i).getType();
    TESSERA_TRY(TensorValue stacked, stack(scanned[i], element, 0));
    carried.push_back(std::move(stacked));
  }
  return carried;
}

static int64_t at(std::optional<llvm::ArrayRef<int64_t>> values, size_t index) {
  return values && index < values->size() ? (*values)[index] : 0;
}

/// Step `step` of a scan input along `axis`.
static Result<TensorValue> slice(const TensorValue& input, int64_t axis, int64_t step) {
  const TensorValue index = scalar(ElementType::kI64, step);
  return evaluateOne("gather", std::vector{input.view(), index.view()}, {{"axis", axis}});
}

static Result<int64_t> numSteps(ir::ScanOp op, std::span<const TensorValue> inputs) {
  std::optional<int64_t> steps;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto rank = static_cast<int64_t>(inputs[i].shape.size());
    const int64_t axis = at(op.getScanInputAxes(), i);
    if (!ir::spec::isAxis(axis, rank)) {
      return invalidInput("the axis of a scan input is out of range");
    }
    const int64_t size = inputs[i].shape[ir::spec::normalizedAxis(axis, rank)];
    if (steps && *steps != size) return invalidInput("the scan inputs differ in length");
    steps = size;
  }
  return steps.value_or(0);
}

Result<Values> runScan(Machine& machine, ir::ScanOp op, const Environment& environment) {
  TESSERA_TRY(const Values operands, evaluate::operandValues(*op, environment));
  const auto numScanInputs = static_cast<size_t>(op.getNumScanInputs());
  if (numScanInputs > operands.size()) return invalidInput("scan has fewer inputs than it scans");
  const size_t numStates = operands.size() - numScanInputs;
  const auto scanInputs = std::span(operands).subspan(numStates);
  TESSERA_TRY(const int64_t steps, numSteps(op, scanInputs));
  Values states(operands.begin(), operands.begin() + static_cast<ptrdiff_t>(numStates));
  Block& body = op.getBody().front();
  std::vector<Values> scanned(op.getNumResults() - numStates);

  for (int64_t step = 0; step < steps; ++step) {
    Values arguments = std::move(states);
    for (size_t i = 0; i < numScanInputs; ++i) {
      const bool isReversed = at(op.getScanInputDirections(), i) == 1;
      TESSERA_TRY(TensorValue part, slice(scanInputs[i], at(op.getScanInputAxes(), i),
                                          isReversed ? steps - 1 - step : step));
      arguments.push_back(std::move(part));
    }
    TESSERA_TRY(Values yielded, machine.runBlock(body, std::move(arguments), &environment));
    if (yielded.size() != op.getNumResults()) {
      return invalidInput("the scan body yields " + std::to_string(yielded.size()) +
                          " values, expected " + std::to_string(op.getNumResults()));
    }
    states.assign(yielded.begin(), yielded.begin() + static_cast<ptrdiff_t>(numStates));
    for (size_t i = 0; i < scanned.size(); ++i) scanned[i].push_back(yielded[numStates + i]);
  }
  for (size_t i = 0; i < scanned.size(); ++i) {
    if (at(op.getScanOutputDirections(), i) == 1) std::ranges::reverse(scanned[i]);
    const Type element = body.getTerminator()->getOperand(numStates + i).getType();
    TESSERA_TRY(TensorValue stacked, stack(scanned[i], element, at(op.getScanOutputAxes(), i)));
    states.push_back(std::move(stacked));
  }
  return states;
}

}  // namespace tessera::interpreter
