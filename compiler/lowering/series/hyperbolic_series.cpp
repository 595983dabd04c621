// By exponentials of half of |x|, which are numbers wherever the result is, and logarithms.
#include <limits>

#include "compiler/lowering/series/series_parts.h"

using namespace mlir;

namespace tessera::lowering {

static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Of numbers from here on 1 does not count beside the square.
static constexpr double kHuge = 0x1p30;

// With e = exp(a / 2) - 1 and n = e (2 + e) / 2 = (exp(a) - 1) / 2 it is n + n / (2 n + 1), of
// which the second term is below half a unit of the first from 20 on.
Element sinhSeries(const Element& x) {
  const Element a = abs(x);
  const Element e = expm1Series(a * 0.5);
  const Element n = e * 0.5 * (2 + e);
  const Element both = n + n / multiplyAdd(n, 2, 1);
  return timesSignOf(select(a < 20, both, n), x, a);
}

Element coshSeries(const Element& x) {
  const Element root = expSeries(abs(x) * 0.5, /*isBounded=*/false);
  return root * 0.5 * root + 0.5 / (root * root);
}

// log(a + sqrt(a^2 + 1)), of which 1 is taken off without rounding.
Element asinhSeries(const Element& x) {
  const Element a = abs(x);
  const Element square = a * a;
  const Element small = a + square / (1 + sqrt(square + 1));
  const Condition isHuge = a > kHuge;
  const Element y = log1p(select(isHuge, a, small));
  return timesSignOf(select(isHuge, y + kLog2, y), x, a);
}

// log(x + sqrt(x^2 - 1)), the same.
Element acoshSeries(const Element& x) {
  const Element t = x - 1;
  const Condition isHuge = x > kHuge;
  const Element y = log1p(select(isHuge, x, t + sqrt(t * (t + 2))));
  return select(x < 1, kNan, select(isHuge, y + kLog2, y));
}

// log((1 + a) / (1 - a)) / 2.
Element atanhSeries(const Element& x) {
  const Element a = abs(x);
  const Element y = 0.5 * log1p((a + a) / (1 - a));
  return timesSignOf(select(a > 1, kNan, y), x, a);
}

}  // namespace tessera::lowering
