// x^y = 2^(y log2(x)), in f64, where neither the product's size nor powers beyond f32 are of
// account: the result is rounded once. log2(m 2^k) = k + 2 atanh(s) / log(2) with s = (m - 1) /
// (m + 1), m about 1. Coefficients are those of least greatest relative error, by weighted least
// squares; errors of 4e-12 (of the logarithm) and 2e-9 (of the power).
#include <limits>

#include "compiler/lowering/series/series_parts.h"

using namespace mlir;

namespace tessera::lowering {

static constexpr int64_t kMantissaBits = 52;
static constexpr int64_t kBitsOfOne = 0x3ff0000000000000;
static constexpr int64_t kBitsOfRootOfHalf = 0x3fe6a09e667f3bcd;

// The bits of an f64, and integers beside them.
static Element longBitsOf(const Element& x) {
  ImplicitLocOpBuilder& b = x.builder();
  auto vector = dyn_cast<VectorType>(x.type());
  const Type type = vector ? Type(vector.clone(b.getI64Type())) : Type(b.getI64Type());
  return {b, b.create<arith::BitcastOp>(type, Value(x))};
}
static Element longLike(const Element& bits, int64_t number) {
  return Element::integer(bits.builder(), bits.type(), number);
}
template <typename Op>
static Element combine(const Element& bits, int64_t number) {
  return {bits.builder(), bits.builder().create<Op>(Value(bits), Value(longLike(bits, number)))};
}

// Of a positive number that is one of f32: k is the exponent of x / sqrt(0.5). Bits of whole
// numbers are put below those of 2^52, which is then taken off.
static Element log2Of(const Element& x) {
  constexpr int64_t kMantissa = (int64_t{1} << kMantissaBits) - 1;
  constexpr int64_t kBitsOfTwoToMantissa = int64_t{0x433} << kMantissaBits;
  const Element moved = combine<arith::AddIOp>(longBitsOf(x), kBitsOfOne - kBitsOfRootOfHalf);
  const Element exponent = combine<arith::ShRUIOp>(moved, kMantissaBits);
  const Element k =
      floatOf(combine<arith::OrIOp>(exponent, kBitsOfTwoToMantissa), x.type()) - (0x1p52 + 1023);
  const Element rest = combine<arith::AndIOp>(moved, kMantissa);
  const Element m = floatOf(combine<arith::AddIOp>(rest, kBitsOfRootOfHalf), x.type());
  const Element s = (m - 1) / (m + 1);
  const Element ratio =
      horner(s * s, {0.34072800162310474, 0.41167282790218845, 0.57708358323506492,
                     0.96179667335043562, 2.8853900817900793});
  return multiplyAdd(s, ratio, k);
}

// Beyond 2^200 and 2^-200 f32 has no numbers.
static Element exp2Of(const Element& t) {
  constexpr double kLongRounder = 0x1.8p52, kEnd = 200, kBias = 1023;
  const Element inside = atLeast(atMost(t, kEnd), -kEnd);
  const Element shifted = inside + (kLongRounder + kBias);
  const Element r = inside - (shifted - (kLongRounder + kBias));
  const Element power =
      horner(r, {0.00015353360991765181, 0.0013398875248328524, 0.0096184373680986198,
                 0.055503324687805146, 0.24022647913462342, 0.69314720285635767, 1});
  const Element scale = combine<arith::ShLIOp>(longBitsOf(shifted), kMantissaBits);
  return power * floatOf(scale, t.type());
}

Element powOfNumbersSeries(const Element& x, const Element& y) {
  return narrowed(exp2Of(widened(y) * log2Of(widened(x))));
}

// As C's pow: the power of |x|, with a sign where x has one and y is odd. 1 to any power, and any x
// to the power of 0, are 1, also of NaN.
Element powSeries(const Element& x, const Element& y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Element magnitude = abs(x);
  const Element wide = widened(magnitude);
  const Element finite = select(wide < kInfinity, log2Of(wide), wide);
  const Element logarithm = select(wide == 0, -kInfinity, finite);
  const Element power = narrowed(exp2Of(widened(y) * logarithm));
  const Element any = select((magnitude == 1) | (y == 0), 1, power);
  const Element half = y * 0.5;
  const Condition isWhole = floor(y) == y;
  const Condition isOdd = isWhole & (floor(half) != half);
  const Element bySign = select(isOdd, timesSignOf(any, x, magnitude), any);
  const Condition isNone = (x < 0) & (x != -kInfinity) & !isWhole;
  return select((x == 1) | (y == 0), 1, select(isNone, kNone, bySign));
}

}  // namespace tessera::lowering
