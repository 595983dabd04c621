#include "compiler/transforms/recognize/signs.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/io/constants.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera::transforms {

/// How many operations before a value are looked at.
static constexpr int kMaxDepth = 8;

/// True when every element of a constant f32 or f64 tensor `holds`.
static bool allFloats(Value value, llvm::function_ref<bool(double)> holds) {
  const auto numbers = ir::constantFloats(value);
  return numbers && llvm::all_of(*numbers, holds);
}

/// An operation whose elements are those of its operand 0.
static bool movesElements(Operation* op) {
  return isa<ir::FlattenOp, ir::IdentityOp, ir::ReshapeOp, ir::SqueezeOp, ir::TransposeOp,
             ir::UnsqueezeOp>(op);
}

static bool isPositiveOrZero(Value value, int depth) {
  Operation* op = value.getDefiningOp();
  if (!op || depth > kMaxDepth) return false;
  const auto operandIs = [&](unsigned i) { return isPositiveOrZero(op->getOperand(i), depth + 1); };
  if (movesElements(op)) return operandIs(0);
  return llvm::TypeSwitch<Operation*, bool>(op)
      .Case<ir::AbsOp, ir::ExpOp, ir::SigmoidOp, ir::SoftmaxOp, ir::SoftplusOp>(
          [](Operation*) { return true; })
      .Case([&](ir::ConstantOp) {
        return allFloats(value, [](double number) { return !std::signbit(number); });
      })
      .Case(
          [&](ir::MulOp mul) { return mul.getA() == mul.getB() || (operandIs(0) && operandIs(1)); })
      .Case([&](ir::PowOp pow) { return isConstantOf(pow.getB(), 2); })
      .Case<ir::AddOp, ir::DivOp>([&](Operation*) { return operandIs(0) && operandIs(1); })
      .Case<ir::ReduceMeanOp, ir::ReduceSumOp, ir::SqrtOp>([&](Operation*) { return operandIs(0); })
      .Default(false);
}

bool isPositiveOrZero(Value value) { return isPositiveOrZero(value, 0); }

static bool isNeverMinusZero(Value value, int depth) {
  Operation* op = value.getDefiningOp();
  if (!op || depth > kMaxDepth) return false;
  const auto operandIs = [&](unsigned i) { return isNeverMinusZero(op->getOperand(i), depth + 1); };
  if (movesElements(op)) return operandIs(0);
  return llvm::TypeSwitch<Operation*, bool>(op)
      .Case<ir::ConvOp, ir::ConvTransposeOp, ir::EinsumOp, ir::GemmOp, ir::MatmulOp,
            ir::ReduceMeanOp, ir::ReduceSumOp>([](Operation*) { return true; })
      .Case([&](ir::ConstantOp) {
        return allFloats(value, [](double number) { return number != 0 || !std::signbit(number); });
      })
      // Only -0.0 + -0.0 is -0.0.
      .Case([&](ir::AddOp) { return operandIs(0) || operandIs(1); })
      .Default([&](Operation*) { return isPositiveOrZero(value, depth); });
}

bool isNeverMinusZero(Value value) { return isNeverMinusZero(value, 0); }

bool isConstantZero(Value value, bool isNegative) {
  return allFloats(
      value, [=](double number) { return number == 0 && std::signbit(number) == isNegative; });
}

}  // namespace tessera::transforms
