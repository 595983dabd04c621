#include "compiler/lowering/vectorize/access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tessera::lowering {

// Whether neighbours along the innermost dimension are neighbours in memory.
static bool hasUnitStride(MemRefType type) {
  if (type.getRank() == 0) return false;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return succeeded(getStridesAndOffset(type, strides, offset)) && strides.back() == 1;
}

Step Access::step(unsigned loop) const {
  if (!dependsOn(loop)) return Step::kNone;
  const unsigned last = map.getNumResults() - 1;
  for (unsigned i = 0; i < last; ++i) {
    if (map.getResult(i).isFunctionOfDim(loop)) return Step::kFar;
  }
  if (!hasUnitStride(type())) return Step::kFar;
  const AffineExpr index = map.getResult(last);
  const AffineExpr dim = getAffineDimExpr(loop, map.getContext());
  const AffineExpr next = index.replace(dim, dim + 1);
  const AffineExpr moved = simplifyAffineExpr(next - index, map.getNumDims(), 0);
  return moved == getAffineConstantExpr(1, map.getContext()) ? Step::kNext : Step::kSkip;
}

Value wholeOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ReinterpretCastOp>(view.getOperation())) break;
    buffer = view.getViewSource();
  }
  return buffer;
}

bool isCallers(Value whole) {
  auto view = whole.getDefiningOp<memref::ReinterpretCastOp>();
  if (view && view.getSource().getDefiningOp<UnrealizedConversionCastOp>()) return true;
  const auto argument = dyn_cast<BlockArgument>(whole);
  return argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

SmallVector<Access> accessesOf(linalg::LinalgOp op) {
  SmallVector<Access> accesses;
  for (OpOperand& operand : op->getOpOperands())
    accesses.push_back({.buffer = operand.get(), .map = op.getMatchingIndexingMap(&operand)});
  return accesses;
}

static bool isSumOfLoops(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr)) return true;
  const auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) return false;
  if (expr.getKind() == AffineExprKind::Add)
    return isSumOfLoops(binary.getLHS()) && isSumOfLoops(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && isSumOfLoops(binary.getLHS()) &&
         isa<AffineConstantExpr>(binary.getRHS());
}

bool isSumOfLoops(AffineMap map) {
  return map.getNumSymbols() == 0 &&
         llvm::all_of(map.getResults(), [](AffineExpr expr) { return isSumOfLoops(expr); });
}

static Variation varying() { return {.kind = Variation::kVarying, .factor = 0}; }
static Variation linear(int64_t factor, std::optional<int64_t> shift = std::nullopt) {
  return {.kind = factor == 0 ? Variation::kUniform : Variation::kLinear,
          .factor = factor,
          .shift = shift};
}

// A sum or difference of a varying number and one that does not vary, or of two linear ones.
static Variation sumOf(const Variation& a, const Variation& b, std::optional<int64_t> constant,
                       int64_t sign) {
  if (a.kind == Variation::kRepeated && b.kind == Variation::kUniform) return a;
  if (b.kind == Variation::kRepeated && a.kind == Variation::kUniform && sign > 0) return b;
  if (a.kind == Variation::kRepeated || b.kind == Variation::kRepeated) return varying();
  if (constant && a.shift) return linear(a.factor, *a.shift + sign * *constant);
  return linear(a.factor + sign * b.factor);
}

// Vectors begin where the loop is a multiple of the lanes: each repeats its elements alike if the
// divisor is a divisor of the lanes.
static Variation quotientOf(const Variation& a, std::optional<int64_t> divisor, int64_t lanes) {
  if (!divisor || *divisor < 2 || lanes % *divisor != 0 || a.factor != 1 ||
      a.kind != Variation::kLinear || !a.shift || *a.shift < 0)
    return varying();
  return {
      .kind = Variation::kRepeated, .factor = 0, .divisor = *divisor, .shift = *a.shift % *divisor};
}

static Variation variationOf(Operation& op, unsigned loop, int64_t lanes, const Variations& known) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return index.getDim() == loop ? linear(1, 0) : Variation();
  const auto operand = [&](unsigned i) { return known.lookup(op.getOperand(i)); };
  const auto constant = [&](unsigned i) { return getConstantIntValue(op.getOperand(i)); };
  const auto isVarying = [&](Value value) {
    return known.lookup(value).kind == Variation::kVarying;
  };
  if (llvm::all_of(op.getOperands(),
                   [&](Value value) { return known.lookup(value).kind == Variation::kUniform; }))
    return {};
  if (llvm::any_of(op.getOperands(), isVarying)) return varying();
  if (isa<arith::AddIOp>(op)) return sumOf(operand(0), operand(1), constant(1), 1);
  if (isa<arith::SubIOp>(op)) return sumOf(operand(0), operand(1), constant(1), -1);
  if (isa<arith::IndexCastOp>(op)) return operand(0);
  if (isa<arith::FloorDivSIOp, arith::DivSIOp>(op))
    return quotientOf(operand(0), constant(1), lanes);
  if (isa<arith::MulIOp>(op) && operand(0).kind != Variation::kRepeated &&
      operand(1).kind != Variation::kRepeated) {
    if (const auto right = constant(1)) return linear(operand(0).factor * *right);
    if (const auto left = constant(0)) return linear(operand(1).factor * *left);
  }
  return varying();
}

Variations variationsAlong(linalg::LinalgOp op, unsigned loop, int64_t lanes) {
  Variations variations;
  for (const auto& [argument, access] :
       llvm::zip_equal(op.getBlock()->getArguments(), accessesOf(op))) {
    if (access.dependsOn(loop)) variations[argument] = varying();
  }
  for (Operation& inner : op.getBlock()->without_terminator()) {
    const Variation variation = variationOf(inner, loop, lanes, variations);
    for (const Value result : inner.getResults()) variations[result] = variation;
  }
  return variations;
}

Variation placeVariation(memref::LoadOp load, const Variations& variations) {
  const auto of = [&](Value index) { return variations.lookup(index); };
  const auto isUniform = [&](Value index) { return of(index).kind == Variation::kUniform; };
  if (llvm::all_of(load.getIndices(), isUniform)) return {};
  const bool isInner =
      llvm::all_of(load.getIndices().drop_back(), isUniform) && hasUnitStride(load.getMemRefType());
  const Variation last = of(load.getIndices().back());
  const bool isNext = last.kind == Variation::kLinear && last.factor == 1;
  return isInner && (isNext || last.kind == Variation::kRepeated) ? last : varying();
}

}  // namespace tessera::lowering
