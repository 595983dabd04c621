// Pad in all its modes; negative sizes crop.
#include "backends/native/compiler/lowerings.h"
#include "compiler/ir/constants.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

std::optional<std::string> refusePad(Operation* op) {
  auto pad = cast<ir::PadOp>(op);
  if (pad.getAxes() && !ir::constantInts(pad.getAxes())) return "axes are not constant";
  if (!cast<RankedTensorType>(pad.getPads().getType()).hasStaticShape())
    return "the number of pads is not known";
  return std::nullopt;
}

/// The position in [0, size) that position `at`, which may lie outside, shows.
static Value sourcePosition(KernelBuilder& b, StringRef mode, Value at, Value size) {
  const Value zero = b.index(0), last = b.sub(size, 1);
  if (mode == "edge") return b.minIndex(b.maxIndex(at, zero), last);
  if (mode == "wrap") return b.rem(b.add(b.rem(at, size), size), size);
  // Reflection repeats with period 2 * (size - 1), or always shows the only element.
  const Value period = b.maxIndex(b.mul(last, 2), b.index(1));
  const Value folded = b.rem(b.add(b.rem(at, period), period), period);
  return b.select(b.less(folded, size), folded, b.sub(period, folded));
}

LogicalResult lowerPad(KernelBuilder& b, Operation* op) {
  auto pad = cast<ir::PadOp>(op);
  const Value data = b.get(pad.getData());
  const Type element = typeOf(data).getElementType();
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const Values pads = b.readInts(pad.getPads()), from = b.sizes(data);
  const auto axes = ir::constantInts(pad.getAxes());
  const size_t numAxes = pads.size() / 2;
  Values before(from.size(), b.index(0)), to = from;
  bool onlyGrows = true;
  for (size_t i = 0; i < numAxes; ++i) {
    int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    if (axis < 0) axis += static_cast<int64_t>(from.size());
    before[axis] = pads[i];
    to[axis] = b.add(b.add(from[axis], pads[i]), pads[numAxes + i]);
    for (const Value size : {pads[i], pads[numAxes + i]})
      onlyGrows &= getConstantIntValue(size).value_or(-1) >= 0;
  }
  for (auto [size, extent] : llvm::zip_equal(to, type.getShape())) {
    if (!ShapedType::isDynamic(extent)) size = b.index(extent);
  }
  const bool isConstant = pad.getMode() == "constant";
  Value fill;
  if (isConstant) {
    const Value value = b.get(pad.getConstantValue());
    fill =
        value ? b.load(value, Values(typeOf(value).getRank(), b.index(0))) : b.scalar(element, 0);
  }
  if (isConstant && onlyGrows) {
    b.set(op->getResult(0), b.insert(data, b.filled(fill, to), before));
    return success();
  }
  b.set(op->getResult(0), b.compute(to, element, [&](ValueRange indices) {
    Values source;
    Value inside = b.integer(b.getI1Type(), 1);
    for (auto [i, index] : llvm::enumerate(indices)) {
      const Value at = b.sub(index, before[i]);
      if (!isConstant) {
        source.push_back(sourcePosition(b, pad.getMode(), at, from[i]));
        continue;
      }
      inside = b.both(inside, b.both(b.lessOrEqual(b.index(0), at), b.less(at, from[i])));
      source.push_back(b.minIndex(b.maxIndex(at, b.index(0)), b.sub(from[i], 1)));
    }
    const Value value = b.load(data, source);
    return isConstant ? b.select(inside, value, fill) : value;
  }));
  return success();
}

}  // namespace tessera::backend_native
