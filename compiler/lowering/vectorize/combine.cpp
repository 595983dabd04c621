#include "compiler/lowering/vectorize/combine.h"

#include "compiler/lowering/vectorize/plan.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using vector::CombiningKind;

namespace tessera::lowering {

// Sums and products of floats may be reordered where they say so.
static bool mayReorder(Operation* combiner) {
  if (!isa<arith::AddFOp, arith::MulFOp>(combiner)) return true;
  const auto flags = cast<arith::ArithFastMathInterface>(combiner).getFastMathFlagsAttr();
  return flags && bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::reassoc);
}

std::optional<CombiningKind> combiningKind(Operation* combiner) {
  if (!mayReorder(combiner)) return std::nullopt;
  return llvm::TypeSwitch<Operation*, std::optional<CombiningKind>>(combiner)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return CombiningKind::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return CombiningKind::MUL; })
      .Case([](arith::MaximumFOp) { return CombiningKind::MAXIMUMF; })
      .Case([](arith::MinimumFOp) { return CombiningKind::MINIMUMF; })
      .Case([](arith::MaxNumFOp) { return CombiningKind::MAXNUMF; })
      .Case([](arith::MinNumFOp) { return CombiningKind::MINNUMF; })
      .Case([](arith::MaxSIOp) { return CombiningKind::MAXSI; })
      .Case([](arith::MinSIOp) { return CombiningKind::MINSI; })
      .Case([](arith::MaxUIOp) { return CombiningKind::MAXUI; })
      .Case([](arith::MinUIOp) { return CombiningKind::MINUI; })
      .Case([](arith::AndIOp) { return CombiningKind::AND; })
      .Case([](arith::OrIOp) { return CombiningKind::OR; })
      .Case([](arith::XOrIOp) { return CombiningKind::XOR; })
      .Default([](Operation*) { return std::nullopt; });
}

TypedAttr neutralElement(OpBuilder& b, CombiningKind kind, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics& semantics = floats.getFloatSemantics();
    switch (kind) {
      case CombiningKind::ADD:  // Not 0: -0 plus it is 0.
        return b.getFloatAttr(floats, APFloat::getZero(semantics, /*Negative=*/true));
      case CombiningKind::MUL:
        return b.getFloatAttr(floats, 1.0);
      case CombiningKind::MAXIMUMF:
      case CombiningKind::MAXNUMF:
        return b.getFloatAttr(floats, APFloat::getInf(semantics, /*Negative=*/true));
      default:
        return b.getFloatAttr(floats, APFloat::getInf(semantics));
    }
  }
  const unsigned width = type.getIntOrFloatBitWidth();
  const auto integer = [&](const APInt& value) { return b.getIntegerAttr(type, value); };
  switch (kind) {
    case CombiningKind::MUL:
      return integer(APInt(width, 1));
    case CombiningKind::MAXSI:
      return integer(APInt::getSignedMinValue(width));
    case CombiningKind::MINSI:
      return integer(APInt::getSignedMaxValue(width));
    case CombiningKind::MINUI:
    case CombiningKind::AND:
      return integer(APInt::getAllOnes(width));
    default:
      return integer(APInt::getZero(width));
  }
}

bool skipsNan(Operation* combiner) { return isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner); }

Value combineNumbers(OpBuilder& b, Operation* combiner, Value before, Value next) {
  const auto order =
      isa<arith::MaxNumFOp>(combiner) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  const Location loc = combiner->getLoc();
  const Value replaces = b.create<arith::CmpFOp>(loc, order, next, before);
  return b.create<arith::SelectOp>(loc, replaces, next, before);
}

// The values of a body that are made from one of its output elements, these included.
static DenseSet<Value> madeFromOutputs(linalg::LinalgOp op) {
  const auto outputs = op.getRegionOutputArgs();
  DenseSet<Value> made(outputs.begin(), outputs.end());
  for (Operation& inner : op.getBlock()->without_terminator()) {
    if (llvm::any_of(inner.getOperands(), [&](Value value) { return made.contains(value); }))
      made.insert(inner.result_begin(), inner.result_end());
  }
  return made;
}

SmallVector<Operation*> combinersOf(linalg::LinalgOp op) {
  const DenseSet<Value> made = madeFromOutputs(op);
  SmallVector<Operation*> combiners;
  for (const auto& [output, result] :
       llvm::zip_equal(op.getRegionOutputArgs(), op.getBlock()->getTerminator()->getOperands())) {
    Operation* combiner = result.getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || !combiningKind(combiner)) return {};
    const bool isLeft = combiner->getOperand(0) == output;
    if (!isLeft && combiner->getOperand(1) != output) return {};
    if (!output.hasOneUse() || made.contains(combiner->getOperand(isLeft ? 1 : 0))) return {};
    combiners.push_back(combiner);
  }
  return combiners;
}

}  // namespace tessera::lowering
