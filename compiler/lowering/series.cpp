// exp: x = k log(2) + r with |r| <= log(2) / 2, and exp(x) = 2^k exp(r). Adding 1.5 * 2^23 to x /
// log(2) rounds it to k and leaves k in the last bits, from where it is shifted into the exponent.
// sin and cos take multiples of pi off in the same way.
// Coefficients are those of least greatest error (relative, of erf absolute from 0.3 on), found by
// weighted least squares.
#include "compiler/lowering/series.h"

#include <limits>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tessera::lowering {

static constexpr double kLog2 = 0.693147180559945309;
// Its first bits, so that whole multiples are exact, and the rest.
static constexpr double kLog2High = 0.693359375, kLog2Low = kLog2 - kLog2High;
static constexpr double kPi = 3.14159265358979324;
// Added to a number, it rounds that to a whole one, which its last bits then hold.
static constexpr double kRounder = 0x1.8p23;

// In this form one instruction each, and NaN stays what it is.
static Element atMost(const Element& x, double bound) { return select(bound < x, bound, x); }
static Element atLeast(const Element& x, double bound) { return select(x < bound, bound, x); }

// One instruction where the CPU has it.
static Element multiplyAdd(const Element& a, const Element& b, const Element& c) {
  ImplicitLocOpBuilder& builder = a.builder();
  const auto valueOf = [&](const Element& element) -> Value {
    return element ? element : literal(a, element.number());
  };
  const auto flags = arith::FastMathFlags::contract;
  const Value product = builder.create<arith::MulFOp>(Value(a), valueOf(b), flags);
  return {builder, builder.create<arith::AddFOp>(product, valueOf(c), flags)};
}

// Coefficients of the greatest power first.
static Element horner(const Element& x, ArrayRef<double> coefficients) {
  Element sum = literal(x, coefficients.front());
  for (const double coefficient : coefficients.drop_front()) sum = multiplyAdd(sum, x, coefficient);
  return sum;
}

// The bits of a float, and the float of bits.
static Element bitsOf(const Element& x) {
  ImplicitLocOpBuilder& b = x.builder();
  auto vector = dyn_cast<VectorType>(x.type());
  const Type type = vector ? Type(vector.clone(b.getI32Type())) : Type(b.getI32Type());
  return {b, b.create<arith::BitcastOp>(type, Value(x))};
}
static Element floatOf(const Element& bits, Type type) {
  return {bits.builder(), bits.builder().create<arith::BitcastOp>(type, Value(bits))};
}

namespace {

/// x = k log(2) + r.
struct Reduced {
  Element shiftedK;  ///< In the last bits of which k is.
  Element r;
};

}  // namespace

static Reduced reduce(const Element& x) {
  const Element shifted = multiplyAdd(x, 1 / kLog2, kRounder);
  const Element k = shifted - kRounder;
  return {.shiftedK = shifted, .r = multiplyAdd(k, -kLog2Low, multiplyAdd(k, -kLog2High, x))};
}

static Element shiftLeft(const Element& bits, int64_t count) {
  ImplicitLocOpBuilder& b = bits.builder();
  return {b,
          b.create<arith::ShLIOp>(Value(bits), Value(literal(bits, static_cast<double>(count))))};
}

Element expSeries(const Element& x, bool isBounded) {
  constexpr double kGreatest = 88.3762626647949, kLeast = -87.3365447505531;
  const Reduced reduced = reduce(atLeast(atMost(x, kGreatest), kLeast));
  const Element power = horner(
      reduced.r, {0.00829758083, 0.0419158781, 0.166675784, 0.499988905, 0.99999969, 1.00000007});
  const Element y = floatOf(bitsOf(power) + shiftLeft(bitsOf(reduced.shiftedK), 23), x.type());
  if (isBounded) return y;
  const Element finite = select(x > 88.7228390520684, std::numeric_limits<double>::infinity(), y);
  return select(x < kLeast, 0, finite);
}

// exp(x) - 1 = 2^k (exp(r) - 1) + (2^k - 1), where exp(r) - 1 is its Taylor series to r^8. Powers
// of 2 are halved so that the greatest one is a number.
Element expm1Series(const Element& x) {
  // Beyond these it is -1 and infinite.
  const Reduced reduced = reduce(atLeast(atMost(x, 89), -40));
  const Element& r = reduced.r;
  const Element rest =
      horner(r, {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5});
  const Element series = multiplyAdd(r * r, rest, r);
  // 2^(k - 1): the exponent of 0.5 is 126.
  const Element half =
      floatOf(shiftLeft(bitsOf(reduced.shiftedK), 23) + bitsOf(literal(r, 0.5)), x.type());
  const Element halfOfAll = multiplyAdd(half, series, half - 0.5);
  return select(isNan(x), x, halfOfAll + halfOfAll);
}

// x P(x^2) up to 3.92, where it is 1 but for half a unit in the last place; in t = 2 x^2 / 3.92^2 -
// 1, in which no term is greater than the sum.
Element erfSeries(const Element& x) {
  constexpr double kEnd = 3.92;
  const Element inside = atLeast(atMost(x, kEnd), -kEnd);
  const Element t = multiplyAdd(inside * inside, 2 / (kEnd * kEnd), -1);
  const Element ratio = horner(
      t, {-0.000797613501, 0.00206509814, -0.00154895225, 0.00202800373, -0.00745800422,
          0.0140752203, -0.0201275635, 0.0297798205, -0.0433915866, 0.0583706107, -0.0740275002,
          0.0906006344, -0.109178675, 0.134084361, -0.180108639, 0.360736813});
  return inside * ratio;
}

// a - k pi, rounded three times, each time to what then is left: pi is the sum of three floats, and
// the first product is subtracted exactly where |k| pi <= kGreatestAngle.
static Element withoutHalfTurns(const Element& a, const Element& k) {
  constexpr double kParts[] = {3.1415927410125732, -8.742277657347586e-08, -3.4302490200117637e-15};
  ImplicitLocOpBuilder& b = a.builder();
  Element r = a;
  for (const double part : kParts)
    r = {b, b.create<math::FmaOp>(Value(k), Value(literal(a, -part)), Value(r))};
  return r;
}

// sin(r) for |r| up to pi / 2 and what rounding k adds: r + r^3 P(r^2).
static Element sinOfQuarter(const Element& r) {
  const Element square = r * r;
  const Element rest =
      horner(square, {2.60277589e-06, -0.000198083053, 0.00833304952, -0.166666589});
  return atLeast(atMost(multiplyAdd(r * square, rest, r), 1), -1);
}

// x, of another sign where k, in the last bits of `shiftedK`, is odd.
static Element flipOdd(const Element& x, const Element& shiftedK) {
  ImplicitLocOpBuilder& b = x.builder();
  const Value sign = shiftLeft(bitsOf(shiftedK), 31);
  return floatOf({b, b.create<arith::XOrIOp>(Value(bitsOf(x)), sign)}, x.type());
}

// sin(x) = (-1)^k sin(x - k pi), with the sign of x put to that of |x|: -0 stays -0.
Element sinSeries(const Element& x) {
  ImplicitLocOpBuilder& b = x.builder();
  const Element a = abs(x);
  const Element shifted = multiplyAdd(a, 1 / kPi, kRounder);
  const Element y = flipOdd(sinOfQuarter(withoutHalfTurns(a, shifted - kRounder)), shifted);
  const Value sign = b.create<arith::XOrIOp>(Value(bitsOf(x)), Value(bitsOf(a)));
  return floatOf({b, b.create<arith::XOrIOp>(Value(bitsOf(y)), sign)}, x.type());
}

// cos(x) = (-1)^k sin(x - (k - 1/2) pi): k is 1 + j, j the nearest to x / pi - 1/2.
Element cosSeries(const Element& x) {
  const Element a = abs(x);
  const Element shifted = multiplyAdd(a, 1 / kPi, 0.5) + kRounder;
  const Element k = shifted - kRounder;
  return flipOdd(sinOfQuarter(withoutHalfTurns(a, k - 0.5)), shifted);
}

}  // namespace tessera::lowering
