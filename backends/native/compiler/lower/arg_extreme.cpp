// Argmax, argmin and hardmax.
#include "backends/native/compiler/kernel/extreme_search.h"
#include "backends/native/compiler/kernel/lines.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tessera::backend_native {

using namespace mlir;

/// Element by element.
static Value argExtremeByElements(KernelBuilder& b, Value x, const ExtremeSought& sought) {
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  const SmallVector<int64_t> kept = otherDims(rank, sought.axis);
  const Values sizes = b.sizes(x);
  Values to;
  for (const int64_t dim : kept) to.push_back(sizes[dim]);
  const Type i64 = b.getI64Type();
  const Value inits[] = {b.filled(sought.start(b), to), b.filled(b.integer(i64, 0), to)};
  Kinds kinds = parallelLoops(rank);
  kinds[sought.axis] = utils::IteratorType::reduction;
  const AffineMap keep = loopMap(b, rank, kept);
  return b.genericMany(
      x, {identityMap(b, rank), keep, keep}, inits, kinds, [&](Elements v) -> Values {
        const Condition beats = sought.beats(b, v[0], v[1], /*asksNan=*/true);
        const Element here =
            b.fromIndex(b.create<linalg::IndexOp>(static_cast<uint64_t>(sought.axis)), i64);
        return {select(beats, v[0], v[1]), select(beats, here, v[2])};
      })[1];
}

static Value argExtreme(KernelBuilder& b, Value x, const ExtremeSought& sought) {
  // Vectors of a shorter line are not worth finding the best one of their lanes.
  constexpr int64_t kLeastAlong = 64;
  const RankedTensorType type = typeOf(x);
  const int64_t length = type.getDimSize(sought.axis);
  const bool isLong = ShapedType::isDynamic(length) || length >= kLeastAlong;
  const bool liesInPieces = llvm::any_of(type.getShape().drop_front(sought.axis + 1),
                                         [](int64_t size) { return size != 1; });
  if (!isLong && !liesInPieces) return argExtremeByElements(b, x, sought);
  const Values sizes = b.sizes(x);
  const Values nest = {b.product(ArrayRef(sizes).take_front(sought.axis)), sizes[sought.axis],
                       b.product(ArrayRef(sizes).drop_front(sought.axis + 1))};
  Values kept;
  for (const int64_t dim : otherDims(type.getRank(), sought.axis)) kept.push_back(sizes[dim]);
  return b.reshape(positionsOfExtremes(b, sought, x, nest), kept);
}

LogicalResult lowerArgExtreme(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const int64_t axis = cast<ir::AxisOpInterface>(op).getAxisNormalized();
  b.requireAtLeast(b.sizes(x)[axis], 1, "dimension " + Twine(axis));
  const bool selectsLast = llvm::TypeSwitch<Operation*, bool>(op).Case<ir::ArgmaxOp, ir::ArgminOp>(
      [](auto extreme) { return extreme.getSelectLastIndex() != 0; });
  Value best = argExtreme(b, x,
                          {.axis = axis,
                           .wantMax = isa<ir::ArgmaxOp>(op),
                           .selectLast = selectsLast,
                           .element = elementOf(op->getOperand(0))});
  if (cast<ir::ReductionOpInterface>(op).getKeepdims() != 0)
    best = keepDims(b, best, b.sizes(x), axis);
  b.set(op->getResult(0), best);
  return success();
}

LogicalResult lowerHardmax(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  const int64_t axis = cast<ir::AxisOpInterface>(op).getAxisNormalized();
  const Value best =
      argExtreme(b, x, {.axis = axis, .wantMax = true, .selectLast = false, .element = element});
  const LineOperand champion = {.tensor = best, .loops = otherDims(typeOf(x).getRank(), axis)};
  b.set(op->getResult(0), mapLines(b, x, champion, element, [&](Elements v) {
          const Value position = b.create<linalg::IndexOp>(static_cast<uint64_t>(axis));
          const Condition isHere = b.fromIndex(position, b.getI64Type()) == v[1];
          return select(isHere, b.scalar(element, 1), 0);
        }));
  return success();
}

}  // namespace tessera::backend_native
