// Multiples of pi are taken off by adding 1.5 * 2^23 to x / pi, which rounds it to k and leaves k
// in the last bits. Arcs are odd polynomials up to a half or 1, and further by relations of right
// triangles. Coefficients are those of least greatest relative error, by weighted least squares.
#include "compiler/lowering/series/series_parts.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tessera::lowering {

static constexpr double kPi = 3.14159265358979324;

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
  const Element a = abs(x);
  const Element shifted = multiplyAdd(a, 1 / kPi, kRounder);
  const Element y = flipOdd(sinOfQuarter(withoutHalfTurns(a, shifted - kRounder)), shifted);
  return timesSignOf(y, x, a);
}

// cos(x) = (-1)^k sin(x - (k - 1/2) pi): k is 1 + j, j the nearest to x / pi - 1/2.
Element cosSeries(const Element& x) {
  const Element a = abs(x);
  const Element shifted = multiplyAdd(a, 1 / kPi, 0.5) + kRounder;
  const Element k = shifted - kRounder;
  return flipOdd(sinOfQuarter(withoutHalfTurns(a, k - 0.5)), shifted);
}

Element tanSeries(const Element& x) { return sinSeries(x) / cosSeries(x); }

// Of |x| above 1 by atan(x) = pi / 2 - atan(1 / x).
Element atanSeries(const Element& x) {
  const Element a = abs(x);
  const Condition isSteep = a > 1;
  const Element t = select(isSteep, 1 / a, a);
  const Element square = t * t;
  const Element rest = horner(square, {0.00292069104, -0.0163679232, 0.0432118528, -0.075522136,
                                       0.106660043, -0.142110552, 0.199937728, -0.333331527});
  const Element arc = multiplyAdd(t * square, rest, t);
  return timesSignOf(select(isSteep, kPi / 2 - arc, arc), x, a);
}

namespace {

/// asin of a number up to 1 / 2, and of a greater one by asin(a) = pi / 2 - 2 asin(sqrt((1 - a) /
/// 2)).
struct SmallArc {
  Condition isSmall;  ///< Whether `arc` is asin(a), or the one on the right.
  Element arc;
};

}  // namespace

static SmallArc smallArcOf(const Element& a) {
  const Condition isSmall = a <= 0.5;
  const Element square = select(isSmall, a * a, multiplyAdd(a, -0.5, 0.5));
  const Element sine = select(isSmall, a, sqrt(square));
  const Element rest =
      horner(square, {0.0421663079, 0.024179515, 0.0454703759, 0.0749529764, 0.166667525});
  return {.isSmall = isSmall, .arc = multiplyAdd(sine * square, rest, sine)};
}

Element asinSeries(const Element& x) {
  const Element a = abs(x);
  const auto [isSmall, arc] = smallArcOf(a);
  return timesSignOf(select(isSmall, arc, multiplyAdd(arc, -2, kPi / 2)), x, a);
}

Element acosSeries(const Element& x) {
  const Element a = abs(x);
  const auto [isSmall, arc] = smallArcOf(a);
  const Element beyond = select(x < 0, multiplyAdd(arc, -2, kPi), arc + arc);
  return select(isSmall, kPi / 2 - timesSignOf(arc, x, a), beyond);
}

}  // namespace tessera::lowering
