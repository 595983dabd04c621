// The building blocks of emitScalar: arithmetic on floats or integers, scalar or vector.
#include <cmath>
#include <limits>

#include "backends/native/compiler/emit_scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::backend_native {

using namespace mlir;

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

/// `element`, or a vector of it where `like` is a vector.
static Type sameShape(Value like, Type element) {
  const auto vector = dyn_cast<VectorType>(like.getType());
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

Value emitAdd(KernelBuilder& b, Value a, Value c) {
  return isFloat(a) ? b.createOrFold<arith::AddFOp>(a, c) : b.createOrFold<arith::AddIOp>(a, c);
}
Value emitSub(KernelBuilder& b, Value a, Value c) {
  return isFloat(a) ? b.createOrFold<arith::SubFOp>(a, c) : b.createOrFold<arith::SubIOp>(a, c);
}
Value emitMul(KernelBuilder& b, Value a, Value c) {
  return isFloat(a) ? b.createOrFold<arith::MulFOp>(a, c) : b.createOrFold<arith::MulIOp>(a, c);
}

Value emitDiv(KernelBuilder& b, Value a, Value c, bool isUnsignedElement) {
  if (isFloat(a)) return b.createOrFold<arith::DivFOp>(a, c);
  const Value zero = b.integer(a.getType(), 0), one = b.integer(a.getType(), 1);
  const Value isZero = emitCompare(b, Compare::kEqual, c, zero);
  if (isUnsignedElement) {
    const Value quotient = b.create<arith::DivUIOp>(a, b.select(isZero, one, c));
    return b.select(isZero, zero, quotient);
  }
  // The most negative number divided by -1 traps: -1 is a negation.
  const Value isMinusOne = emitCompare(b, Compare::kEqual, c, b.integer(a.getType(), -1));
  const Value safe = b.select(b.createOrFold<arith::OrIOp>(isZero, isMinusOne), one, c);
  const Value quotient = b.createOrFold<arith::DivSIOp>(a, safe);
  return b.select(isZero, zero, b.select(isMinusOne, emitSub(b, zero, a), quotient));
}

Value emitCompare(KernelBuilder& b, Compare compare, Value a, Value c, bool isUnsignedElement) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  struct Row {
    F ofFloats;
    I ofSigned, ofUnsigned;
  };
  static constexpr Row kRows[] = {{F::OEQ, I::eq, I::eq},   {F::UNE, I::ne, I::ne},
                                  {F::OLT, I::slt, I::ult}, {F::OLE, I::sle, I::ule},
                                  {F::OGT, I::sgt, I::ugt}, {F::OGE, I::sge, I::uge}};
  const Row& row = kRows[static_cast<size_t>(compare)];
  if (isFloat(a)) return b.createOrFold<arith::CmpFOp>(row.ofFloats, a, c);
  return b.createOrFold<arith::CmpIOp>(isUnsignedElement ? row.ofUnsigned : row.ofSigned, a, c);
}

Value emitMax(KernelBuilder& b, Value a, Value c, bool isUnsignedElement) {
  if (isFloat(a)) return b.createOrFold<arith::MaximumFOp>(a, c);
  if (isUnsignedElement) return b.createOrFold<arith::MaxUIOp>(a, c);
  return b.createOrFold<arith::MaxSIOp>(a, c);
}

Value emitMin(KernelBuilder& b, Value a, Value c, bool isUnsignedElement) {
  if (isFloat(a)) return b.createOrFold<arith::MinimumFOp>(a, c);
  if (isUnsignedElement) return b.createOrFold<arith::MinUIOp>(a, c);
  return b.createOrFold<arith::MinSIOp>(a, c);
}

Value emitRelu(KernelBuilder& b, Value x) {
  const Value zero = b.scalar(x.getType(), 0);
  // In this form one instruction, which also keeps NaN.
  return b.select(emitCompare(b, Compare::kGreater, zero, x), zero, x);
}

Value emitSigmoid(KernelBuilder& b, Value x) {
  const Value one = b.scalar(x.getType(), 1);
  const Value e = b.create<math::ExpOp>(b.create<arith::NegFOp>(x));
  return b.create<arith::DivFOp>(one, b.create<arith::AddFOp>(one, e));
}

Value emitSoftplus(KernelBuilder& b, Value x) {
  const Value e = b.create<math::ExpOp>(b.create<arith::NegFOp>(b.create<math::AbsFOp>(x)));
  return emitAdd(b, emitRelu(b, x), b.create<math::Log1pOp>(e));
}

static Value floatToInteger(KernelBuilder& b, Value x, Type to) {
  const auto type = cast<IntegerType>(kernelElement(to));
  const unsigned width = type.getWidth();
  const APInt greatest =
      isUnsigned(to) ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  const APInt least = isUnsigned(to) ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  const auto asFloat = [&](const APInt& value) {
    return b.scalar(x.getType(),
                    isUnsigned(to) ? value.roundToDouble(false) : value.roundToDouble(true));
  };
  const Type result = sameShape(x, type);
  const auto asInteger = [&](const APInt& value) {
    return b.integer(result, value.getSExtValue());
  };
  Value y = isUnsigned(to) ? b.create<arith::FPToUIOp>(result, x).getResult()
                           : b.create<arith::FPToSIOp>(result, x).getResult();
  y = b.select(emitCompare(b, Compare::kGreaterOrEqual, x, asFloat(greatest)), asInteger(greatest),
               y);
  y = b.select(emitCompare(b, Compare::kLessOrEqual, x, asFloat(least)), asInteger(least), y);
  return b.select(emitCompare(b, Compare::kNotEqual, x, x), b.integer(result, 0), y);
}

Value emitCast(KernelBuilder& b, Value x, Type from, Type to) {
  if (from == to) return x;
  if (to.isInteger(1)) return emitCompare(b, Compare::kNotEqual, x, b.scalar(x.getType(), 0));
  const Type result = sameShape(x, kernelElement(to));
  if (isa<FloatType>(from)) {
    if (!isa<FloatType>(to)) return floatToInteger(b, x, to);
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return b.createOrFold<arith::ExtFOp>(result, x);
    return b.createOrFold<arith::TruncFOp>(result, x);
  }
  if (isa<FloatType>(to)) {
    return isUnsigned(from) ? b.createOrFold<arith::UIToFPOp>(result, x)
                            : b.createOrFold<arith::SIToFPOp>(result, x);
  }
  const unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth) return x;
  if (fromWidth > toWidth) return b.createOrFold<arith::TruncIOp>(result, x);
  return isUnsigned(from) ? b.createOrFold<arith::ExtUIOp>(result, x)
                          : b.createOrFold<arith::ExtSIOp>(result, x);
}

}  // namespace tessera::backend_native
