// Pad in all its modes; negative sizes crop.
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

std::optional<std::string> refusePad(Operation* op) {
  auto pad = cast<ir::PadOp>(op);
  if (pad.getAxes() && !ir::constantInts(pad.getAxes())) return "axes are not constant";
  return std::nullopt;
}

/// The position in [0, size) that position `at`, which may lie outside, shows.
static Index sourcePosition(ir::PadMode mode, Index at, Index size) {
  const Index last = size - 1;
  if (mode == ir::PadMode::Edge) return smaller(larger(at, 0), last);
  if (mode == ir::PadMode::Wrap) return (at % size + size) % size;
  // Reflection repeats with period 2 * (size - 1), or always shows the only element.
  const Index period = larger(last * 2, 1);
  const Index folded = (at % period + period) % period;
  return select(folded < size, folded, period - folded);
}

/// `data` at offset `before` in `whole`; what lies outside is cut off.
static Value placeInside(KernelBuilder& b, Value data, Value whole, ValueRange before) {
  const Value zero = b.index(0);
  Values from, count, offsets;
  for (auto [offset, size, extent] : llvm::zip_equal(before, b.sizes(data), b.sizes(whole))) {
    const Index end = smaller(b.term(offset) + size, extent);
    const Index begin = larger(b.term(offset), zero);
    offsets.push_back(begin);
    from.push_back(begin - offset);
    count.push_back(larger(end - begin, zero));
  }
  const Values ones(from.size(), b.index(1));  // Inside by construction.
  return b.insert(b.slice(data, from, count, ones), whole, offsets, ones);
}

/// Elements of `data` again beside it. Along dimension `last`, the last one that may be padded, the
/// middle is read as it lies, in vectors; only the borders look for their elements one by one.
static Value repeatedBeside(KernelBuilder& b, Value data, ir::PadMode mode, size_t last,
                            const Values& before, const Values& to) {
  const Type element = typeOf(data).getElementType();
  const Values from = b.sizes(data);
  const auto part = [&](Value begin, Value end, bool isInside, Value whole) {
    Values sizes = to, offsets(to.size(), b.index(0));
    sizes[last] = b.sub(end, begin);
    offsets[last] = begin;
    const Value values = b.compute(sizes, element, [&](ValueRange indices) {
      Values source;
      for (auto [i, index] : llvm::enumerate(indices)) {
        const Index at = b.term(index) + offsets[i] - before[i];
        const bool isAsItLies = i == last ? isInside
                                          : getConstantIntValue(before[i]) == 0 &&
                                                isEqualConstantIntOrValue(from[i], to[i]);
        source.push_back(isAsItLies ? at : sourcePosition(mode, at, b.term(from[i])));
      }
      return b.load(data, source);
    });
    return b.insert(values, whole, offsets);
  };
  const Index begin = smaller(larger(b.term(before[last]), 0), to[last]);
  const Index end = larger(smaller(b.term(before[last]) + from[last], to[last]), begin);
  Value whole = b.empty(element, to);
  whole = part(begin, end, /*isInside=*/true, whole);
  for (const auto& [first, behind] :
       {std::pair<Value, Value>{b.index(0), begin}, {end, to[last]}}) {
    if (getConstantIntValue(b.sub(behind, first)) == 0) continue;
    whole = part(first, behind, /*isInside=*/false, whole);
  }
  return whole;
}

LogicalResult lowerPad(KernelBuilder& b, Operation* op) {
  auto pad = cast<ir::PadOp>(op);
  const Value data = b.get(pad.getData());
  const Type element = typeOf(data).getElementType();
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const auto axes = ir::spec::constantAxes(pad.getAxes(), type.getRank());
  const Values from = b.sizes(data);
  const Values pads =
      b.readInts(pad.getPads(), static_cast<int64_t>(2 * (axes ? axes->size() : from.size())));
  const size_t numAxes = pads.size() / 2;
  Values before(from.size(), b.index(0)), to = from;
  for (const Value size : pads) {
    b.requireAtLeast(size, -kMaxElements, "a number of pads");
    b.requireAtMost(size, b.index(kMaxElements), "a number of pads");
  }
  for (size_t i = 0; i < numAxes; ++i) {
    const int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    before[axis] = pads[i];
    to[axis] = b.term(from[axis]) + pads[i] + pads[numAxes + i];
  }
  const bool isBlocked = typeOf(data).getRank() > type.getRank();
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    if (isBlocked && i == 1) continue;  // Channels, which are not padded.
    b.requireAtLeast(to[i], 0, "dimension " + Twine(i));
    to[i] = b.declaredOr(to[i], extent, "dimension " + Twine(i));
  }
  if (!ir::constantInts(pad.getPads())) b.requireShape(to);
  const bool isConstant = pad.getMode() == ir::PadMode::Constant;
  Value fill;
  if (isConstant) {
    fill = pad.getConstantValue() ? onlyElement(b, pad.getConstantValue()) : b.scalar(element, 0);
  }
  if (isConstant) {
    b.set(op->getResult(0), placeInside(b, data, b.filled(fill, to), before));
    return success();
  }
  for (auto [i, size] : llvm::enumerate(from)) {
    // There is nothing to repeat in an empty dimension.
    const Condition isPossible = b.less(b.index(0), size) | b.equal(to[i], 0);
    b.require(isPossible, to[i], size, "a dimension of {1} elements is padded to {0}");
  }
  const auto rank = static_cast<size_t>(type.getRank());
  b.set(op->getResult(0),
        rank == 0 ? data : repeatedBeside(b, data, pad.getMode(), rank - 1, before, to));
  return success();
}

}  // namespace tessera::backend_native
