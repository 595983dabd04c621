// Linear quantisation: scale and zero point for the tensor, for each slice along an axis, or for
// blocks of an axis.
#include "backends/native/compiler/kernel/broadcast.h"
#include "backends/native/compiler/kernel/lines.h"
#include "backends/native/compiler/lower/lowerings.h"

namespace tessera::backend_native {

using namespace mlir;

/// Scale or zero point as an operand that broadcasts to x.
template <typename QuantizeOp>
static BroadcastOperand parameterOf(KernelBuilder& b, QuantizeOp op, Value parameter) {
  const Value x = op.getX();
  const auto type = cast<RankedTensorType>(x.getType());
  const auto own = cast<RankedTensorType>(parameter.getType());
  const auto blockSize = static_cast<int64_t>(op.getBlockSize());
  const int64_t axis = op.getAxisNormalized();
  const Value tensor = b.get(parameter);
  if (blockSize > 0) {
    const Values whole = b.sizes(b.get(x));
    for (auto [i, size] : llvm::enumerate(b.sizes(tensor)))
      b.requireEqual(size,
                     static_cast<int64_t>(i) == axis ? b.ceilDiv(whole[i], blockSize) : whole[i],
                     "dimension " + Twine(i) + " of a parameter");
    const Value spread =
        b.compute(b.sizes(b.get(x)), typeOf(tensor).getElementType(), [&](ValueRange at) {
          Values from(at);
          from[axis] = b.floorDiv(from[axis], blockSize);
          return b.load(tensor, from);
        });
    return {.tensor = spread, .type = type};
  }
  const bool isPerTensor = own.getRank() == 0 || own.getDimSize(0) == 1;
  if (isPerTensor) return {.tensor = tensor, .type = own};
  b.requireEqual(b.size(tensor, 0), b.size(b.get(x), axis), "the length of a parameter");
  return alongAxis(b, tensor, type, axis);
}

std::optional<std::string> refuseQuantize(Operation* op) {
  if (!ir::isPlain(cast<RankedTensorType>(op->getOperand(0).getType())))
    return "a blocked layout is not supported";
  return std::nullopt;
}

LogicalResult lowerQuantizeLinear(KernelBuilder& b, Operation* op) {
  auto quantize = cast<ir::QuantizeLinearOp>(op);
  const Type from = elementOf(quantize.getX()), to = elementOf(quantize.getY()),
             scale = elementOf(quantize.getYScale());
  // f32 throughout where x is f32; everything else in f64, the quotient rounded to f32 unless x is
  // f64.
  const Type work = from.isF32() && scale.isF32() ? Type(b.getF32Type()) : Type(b.getF64Type());
  SmallVector<BroadcastOperand> operands = {operandOf(b, quantize.getX()),
                                            parameterOf(b, quantize, quantize.getYScale())};
  if (quantize.getYZeroPoint())
    operands.push_back(parameterOf(b, quantize, quantize.getYZeroPoint()));
  const auto type = cast<RankedTensorType>(quantize.getType());
  b.set(quantize.getY(), broadcast(b, operands, type, kernelElement(to), [&](Elements v) {
          Element quotient = convert(v[0].as(signednessOf(from)), work) / convert(v[1], work);
          if (work.isF64() && !from.isF64()) quotient = widened(narrowed(quotient));
          Element rounded = roundEven(quotient);
          if (v.size() > 2) rounded = rounded + convert(v[2].as(signednessOf(to)), work);
          return convert(rounded, to);
        }));
  return success();
}

LogicalResult lowerDequantizeLinear(KernelBuilder& b, Operation* op) {
  auto dequantize = cast<ir::DequantizeLinearOp>(op);
  const Type from = elementOf(dequantize.getX()), to = elementOf(dequantize.getY());
  const Type scale = elementOf(dequantize.getXScale());
  // f32 holds all 8-bit integers and their differences.
  const bool isNarrow = from.getIntOrFloatBitWidth() <= 8 && scale.isF32() && to.isF32();
  const Type work = isNarrow ? Type(b.getF32Type()) : Type(b.getF64Type());
  SmallVector<BroadcastOperand> operands = {operandOf(b, dequantize.getX()),
                                            parameterOf(b, dequantize, dequantize.getXScale())};
  if (dequantize.getXZeroPoint())
    operands.push_back(parameterOf(b, dequantize, dequantize.getXZeroPoint()));
  const auto type = cast<RankedTensorType>(dequantize.getType());
  b.set(dequantize.getY(), broadcast(b, operands, type, to, [&](Elements v) {
          const Signedness signedness = signednessOf(from);
          Element x = convert(v[0].as(signedness), work);
          if (v.size() > 2) x = x - convert(v[2].as(signedness), work);
          return convert(x * convert(v[1], work), to);
        }));
  return success();
}

/// u8, with a range that covers x and 0; all in f32.
LogicalResult lowerDynamicQuantizeLinear(KernelBuilder& b, Operation* op) {
  auto quantize = cast<ir::DynamicQuantizeLinearOp>(op);
  const Value x = b.get(quantize.getX());
  const Type f32 = b.getF32Type(), u8 = elementOf(quantize.getY());
  const Element zero = b.scalar(f32, 0), limit = b.scalar(f32, 255);
  const SmallVector<int64_t> all = dimRange(0, typeOf(x).getRank());
  const Value low =
      reduceLines(b, x, {}, all, zero, [](Elements v) { return smaller(v[1], v[0]); });
  const Value high =
      reduceLines(b, x, {}, all, zero, [](Elements v) { return larger(v[1], v[0]); });
  const Value scale = b.map({low, high}, f32, [&](Elements v) {
    const Condition isFlat = v[1] == v[0];
    return select(isFlat, 1, (v[1] - v[0]) / limit);
  });
  const Value zeroPoint = b.map({low, scale}, f32, [&](Elements v) {
    const Condition isFlat = v[1] == zero;
    const Element position = roundEven((zero - v[0]) / v[1]);
    return select(isFlat, zero, smaller(larger(position, zero), limit));
  });
  const LineOperand parameters[] = {{.tensor = scale, .loops = {}},
                                    {.tensor = zeroPoint, .loops = {}}};
  b.set(quantize.getY(), mapLines(b, x, parameters, kernelElement(u8), [&](Elements v) {
          const Condition isFlat = v[1] == zero;
          const Element steps = select(isFlat, zero, roundEven(v[0] / v[1]));
          return convert(steps + v[2], u8);
        }));
  b.set(quantize.getYScale(), scale);
  b.set(quantize.getYZeroPoint(),
        b.map(zeroPoint, kernelElement(u8), [&](Elements v) { return convert(v[0], u8); }));
  return success();
}

}  // namespace tessera::backend_native
