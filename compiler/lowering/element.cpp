#include "compiler/lowering/element.h"

#include <cassert>
#include <limits>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tessera::lowering {

Signedness signednessOf(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1) ? Signedness::kUnsigned
                                                             : Signedness::kSigned;
}

Type kernelElement(Type element) {
  if (!element.isUnsignedInteger()) return element;
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

bool Element::isFloat() const { return isa<FloatType>(getElementTypeOrSelf(type())); }

/// `attribute`, or a vector of it, as `type` says.
static Element constantOf(ImplicitLocOpBuilder& b, Type type, TypedAttr attribute,
                          Signedness signedness = Signedness::kSigned) {
  if (const auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, static_cast<Attribute>(attribute));
  return {b, b.create<arith::ConstantOp>(attribute), signedness};
}

Element Element::constant(ImplicitLocOpBuilder& b, Type type, double number) {
  const Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element)) return integer(b, type, static_cast<int64_t>(number));
  return constantOf(b, type, b.getFloatAttr(element, number));
}

Element Element::integer(ImplicitLocOpBuilder& b, Type type, int64_t number) {
  const Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element)) return constant(b, type, static_cast<double>(number));
  if (element.isIndex()) return constantOf(b, type, b.getIndexAttr(number));
  const APInt bits(64, number, /*isSigned=*/true);
  return constantOf(b, type,
                    b.getIntegerAttr(element, bits.sextOrTrunc(element.getIntOrFloatBitWidth())));
}

static APInt leastInteger(unsigned width, Signedness signedness) {
  return signedness == Signedness::kUnsigned ? APInt::getMinValue(width)
                                             : APInt::getSignedMinValue(width);
}
static APInt greatestInteger(unsigned width, Signedness signedness) {
  return signedness == Signedness::kUnsigned ? APInt::getMaxValue(width)
                                             : APInt::getSignedMaxValue(width);
}

Element Element::lowest(ImplicitLocOpBuilder& b, Type type, Signedness signedness) {
  if (isa<FloatType>(type)) return constant(b, type, -std::numeric_limits<double>::infinity());
  const APInt least = leastInteger(type.getIntOrFloatBitWidth(), signedness);
  return constantOf(b, type, b.getIntegerAttr(type, least), signedness);
}

Element Element::highest(ImplicitLocOpBuilder& b, Type type, Signedness signedness) {
  if (isa<FloatType>(type)) return constant(b, type, std::numeric_limits<double>::infinity());
  const APInt greatest = greatestInteger(type.getIntOrFloatBitWidth(), signedness);
  return constantOf(b, type, b.getIntegerAttr(type, greatest), signedness);
}

Element literal(const Element& like, double number) {
  return Element::constant(*like.b_, like.type(), number).as(like.signedness_);
}

namespace {

/// Two operands of one type, and what builds on them.
struct Pair {
  ImplicitLocOpBuilder& b;
  Value left, right;
  Signedness signedness;
  bool isFloat;

  template <typename Op>
  Element make() const {
    return {b, b.createOrFold<Op>(left, right), signedness};
  }
  template <typename OfFloats, typename OfIntegers>
  Element make() const {
    return isFloat ? make<OfFloats>() : make<OfIntegers>();
  }
  template <typename OfFloats, typename OfSigned, typename OfUnsigned>
  Element make() const {
    if (isFloat) return make<OfFloats>();
    return signedness == Signedness::kUnsigned ? make<OfUnsigned>() : make<OfSigned>();
  }
};

}  // namespace

/// At most one of both is a number.
static Pair pairOf(const Element& a, const Element& b) {
  assert((a || b) && "a formula of numbers alone");
  const Element& known = a ? a : b;
  return {.b = known.builder(),
          .left = a ? a : literal(known, a.number()),
          .right = b ? b : literal(known, b.number()),
          .signedness = known.signedness(),
          .isFloat = known.isFloat()};
}

Element operator+(const Element& a, const Element& b) {
  return pairOf(a, b).make<arith::AddFOp, arith::AddIOp>();
}
Element operator-(const Element& a, const Element& b) {
  return pairOf(a, b).make<arith::SubFOp, arith::SubIOp>();
}
Element operator*(const Element& a, const Element& b) {
  return pairOf(a, b).make<arith::MulFOp, arith::MulIOp>();
}
Element smaller(const Element& a, const Element& b) {
  return pairOf(a, b).make<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>();
}
Element larger(const Element& a, const Element& b) {
  return pairOf(a, b).make<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>();
}
Element largerNumber(const Element& a, const Element& b) {
  return pairOf(a, b).make<arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>();
}

Element operator/(const Element& x, const Element& y) {
  const Pair pair = pairOf(x, y);
  if (pair.isFloat) return pair.make<arith::DivFOp>();
  const Element a(pair.b, pair.left, pair.signedness), b(pair.b, pair.right, pair.signedness);
  const Element zero = literal(a, 0), one = literal(a, 1);
  const Condition isZero = b == zero;
  if (pair.signedness == Signedness::kUnsigned) {
    const Element divisor = select(isZero, one, b);
    return select(isZero, zero, pairOf(a, divisor).make<arith::DivUIOp>());
  }
  // The most negative number divided by -1 traps: -1 is a negation.
  const Condition isMinusOne = b == -1;
  const Element divisor = select(isZero | isMinusOne, one, b);
  const Element quotient = pairOf(a, divisor).make<arith::DivSIOp>();
  return select(isZero, zero, select(isMinusOne, zero - a, quotient));
}

using OfFloats = arith::CmpFPredicate;
using OfIntegers = arith::CmpIPredicate;

static Condition compare(const Element& a, const Element& b, OfFloats ofFloats, OfIntegers ofSigned,
                         OfIntegers ofUnsigned) {
  const Pair pair = pairOf(a, b);
  if (pair.isFloat)
    return {pair.b, pair.b.createOrFold<arith::CmpFOp>(ofFloats, pair.left, pair.right)};
  const bool isUnsigned = pair.signedness == Signedness::kUnsigned;
  return {pair.b, pair.b.createOrFold<arith::CmpIOp>(isUnsigned ? ofUnsigned : ofSigned, pair.left,
                                                     pair.right)};
}

Condition operator==(const Element& a, const Element& b) {
  return compare(a, b, OfFloats::OEQ, OfIntegers::eq, OfIntegers::eq);
}
Condition operator!=(const Element& a, const Element& b) {
  return compare(a, b, OfFloats::UNE, OfIntegers::ne, OfIntegers::ne);
}
Condition operator<(const Element& a, const Element& b) {
  return compare(a, b, OfFloats::OLT, OfIntegers::slt, OfIntegers::ult);
}
Condition operator<=(const Element& a, const Element& b) {
  return compare(a, b, OfFloats::OLE, OfIntegers::sle, OfIntegers::ule);
}
Condition operator>(const Element& a, const Element& b) {
  return compare(a, b, OfFloats::OGT, OfIntegers::sgt, OfIntegers::ugt);
}
Condition operator>=(const Element& a, const Element& b) {
  return compare(a, b, OfFloats::OGE, OfIntegers::sge, OfIntegers::uge);
}

Element select(const Condition& condition, const Element& a, const Element& b) {
  const Pair pair = pairOf(a, b);
  return {pair.b, pair.b.createOrFold<arith::SelectOp>(condition, pair.left, pair.right),
          pair.signedness};
}

template <typename Op>
static Element make(const Element& x) {
  return {x.builder(), x.builder().create<Op>(Value(x)), x.signedness()};
}

Element operator-(const Element& x) { return x.isFloat() ? make<arith::NegFOp>(x) : 0 - x; }
Element abs(const Element& x) {
  if (x.isFloat()) return make<math::AbsFOp>(x);
  return x.signedness() == Signedness::kUnsigned ? x : make<math::AbsIOp>(x);
}
Element ceil(const Element& x) { return make<math::CeilOp>(x); }
Element erf(const Element& x) { return make<math::ErfOp>(x); }
Element exp(const Element& x) { return make<math::ExpOp>(x); }
Element boundedExp(const Element& x) {
  return {x.builder(), x.builder().create<math::ExpOp>(Value(x), arith::FastMathFlags::ninf)};
}
Element expUpToOne(const Element& x) {
  auto power = x.builder().create<math::ExpOp>(Value(x));
  power->setAttr(kUpToOneAttr, x.builder().getUnitAttr());
  return {x.builder(), power};
}
Element reciprocal(const Element& x) {
  return {x.builder(), x.builder().create<arith::DivFOp>(Value(literal(x, 1)), Value(x),
                                                         arith::FastMathFlags::arcp)};
}
Element expm1(const Element& x) { return make<math::ExpM1Op>(x); }
Element floor(const Element& x) { return make<math::FloorOp>(x); }
Element log(const Element& x) { return make<math::LogOp>(x); }
Element log1p(const Element& x) { return make<math::Log1pOp>(x); }
Element pow(const Element& x, const Element& exponent) {
  return pairOf(x, exponent).make<math::PowFOp>();
}
Element roundEven(const Element& x) { return make<math::RoundEvenOp>(x); }
Element sqrt(const Element& x) { return make<math::SqrtOp>(x); }
Element tanh(const Element& x) { return make<math::TanhOp>(x); }

template <typename Op>
static Element convertBy(const Element& x, Type to) {
  const auto vector = dyn_cast<VectorType>(x.type());
  const Type element = kernelElement(to);
  const Type result = vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  return {x.builder(), x.builder().createOrFold<Op>(result, Value(x)), signednessOf(to)};
}
template <typename OfSigned, typename OfUnsigned>
static Element convertBy(const Element& x, Signedness signedness, Type to) {
  return signedness == Signedness::kUnsigned ? convertBy<OfUnsigned>(x, to)
                                             : convertBy<OfSigned>(x, to);
}

static Element floatToInteger(const Element& x, Type to) {
  const Signedness signedness = signednessOf(to);
  const unsigned width = to.getIntOrFloatBitWidth();
  const APInt greatest = greatestInteger(width, signedness);
  const APInt least = leastInteger(width, signedness);
  const auto asFloat = [&](const APInt& value) {
    return literal(x, value.roundToDouble(signedness == Signedness::kSigned));
  };
  Element y = convertBy<arith::FPToSIOp, arith::FPToUIOp>(x, signedness, to);
  const auto asInteger = [&](const APInt& value) {
    return Element::integer(x.builder(), y.type(), value.getSExtValue()).as(signedness);
  };
  y = select(x >= asFloat(greatest), asInteger(greatest), y);
  y = select(x <= asFloat(least), asInteger(least), y);
  return select(isNan(x), 0, y);
}

Element convert(const Element& x, Type to) {
  const Type from = getElementTypeOrSelf(x.type());
  const Signedness signedness = signednessOf(to);
  if (from == to && x.signedness() == signedness) return x;
  if (to.isInteger(1)) return Element(x.builder(), x != 0, signedness);
  const unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (x.isFloat()) {
    if (!isa<FloatType>(to)) return floatToInteger(x, to);
    return fromWidth < toWidth ? convertBy<arith::ExtFOp>(x, to)
                               : convertBy<arith::TruncFOp>(x, to);
  }
  if (isa<FloatType>(to)) return convertBy<arith::SIToFPOp, arith::UIToFPOp>(x, x.signedness(), to);
  if (fromWidth == toWidth) return x.as(signedness);
  if (fromWidth > toWidth) return convertBy<arith::TruncIOp>(x, to);
  return convertBy<arith::ExtSIOp, arith::ExtUIOp>(x, x.signedness(), to);
}

Element widened(const Element& x) { return convert(x, x.builder().getF64Type()); }
Element narrowed(const Element& x) { return convert(x, x.builder().getF32Type()); }

}  // namespace tessera::lowering
