// exp: x = k log(2) + r with |r| <= log(2) / 2, and exp(x) = 2^k exp(r). Adding 1.5 * 2^23 to x /
// log(2) rounds it to k and leaves k in the last bits, from where it is shifted into the exponent.
// Coefficients are those of least greatest error (relative, of erf absolute from 0.3 on), found by
// weighted least squares; that of exp is exact at 0.
#include "compiler/lowering/series/series.h"

#include <limits>

#include "compiler/lowering/series/series_parts.h"

using namespace mlir;

namespace tessera::lowering {

// Its first bits, so that whole multiples are exact, and the rest.
static constexpr double kLog2High = 0.693359375, kLog2Low = kLog2 - kLog2High;
// Of a number's exponent: the bits of 2^k are k + 127.
static constexpr double kExponentBias = 127;
namespace {

/// x = k log(2) + r.
struct Reduced {
  Element shiftedK;  ///< In the last bits of which k is.
  Element r;
};

}  // namespace

// `bias`, a whole number, is added to the last bits.
static Reduced reduce(const Element& x, double bias = 0) {
  const Element shifted = multiplyAdd(x, 1 / kLog2, kRounder + bias);
  const Element k = shifted - (kRounder + bias);
  return {.shiftedK = shifted, .r = multiplyAdd(k, -kLog2Low, multiplyAdd(k, -kLog2High, x))};
}

static Element expOfRest(const Element& r) {
  return horner(r, {0.00829026407, 0.0418981596, 0.166676382, 0.499991478, 0.999999706, 1});
}

// 2^k exp(r): the product keeps every NaN, which bits that are added to it need not.
static Element scaled(const Reduced& reduced, Type type) {
  return expOfRest(reduced.r) * floatOf(shiftLeft(bitsOf(reduced.shiftedK), 23), type);
}

// Up to 2^127 and a half, where k is 127.
static Element boundedExpSeries(const Element& x) {
  constexpr double kGreatest = 88.37, kLeast = -87.3365447505531;
  return scaled(reduce(atLeast(atMost(x, kGreatest), kLeast), kExponentBias), x.type());
}

Element expSeries(const Element& x, bool isBounded) {
  if (isBounded) return boundedExpSeries(x);
  // The last number with a finite result; in front of it k is 128 and exp(r) below 1.
  constexpr double kGreatest = 88.7228317260742, kLeast = -87.3365447505531;
  const Reduced reduced = reduce(atLeast(atMost(x, kGreatest), kLeast));
  const Element y =
      floatOf(bitsOf(expOfRest(reduced.r)) + shiftLeft(bitsOf(reduced.shiftedK), 23), x.type());
  // Infinite beyond, and NaN where x is, of which the exponent's bits may be another number's.
  const Element beyond = x + std::numeric_limits<double>::infinity();
  return select(x < kLeast, 0, select(x <= kGreatest, y, beyond));
}

// The exponent's bits of 2^k are k + 127: all of them are 0 where k is -127, and 2^k is 0. Small
// numbers need no test.
Element expUpToOneSeries(const Element& x) {
  constexpr double kLeast = -88;  // k is -127 from there on.
  return scaled(reduce(atLeast(x, kLeast), kExponentBias), x.type());
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

}  // namespace tessera::lowering
