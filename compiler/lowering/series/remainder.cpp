// With a = |x| and b = |y|: the rounded quotient of a and b is not beyond the next whole number, so
// that the whole n in it is the right one or one more. a - n b is a multiple of the last bit of b
// and not greater than b, a number of f32: one multiply-add gives it exactly. That holds up to
// quotients of 2^23; greater ones are taken off in f64, 2^52 of them with each step, for the same
// reason exactly.
#include "compiler/lowering/series/remainder.h"

#include "compiler/lowering/series/choice.h"
#include "compiler/lowering/series/series_parts.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera::lowering {

// a - n b, n the whole part of the quotient.
static Element withoutMultiple(const Element& a, const Element& b, const Element& quotient) {
  ImplicitLocOpBuilder& builder = a.builder();
  const Element n(builder, builder.create<math::TruncOp>(Value(quotient)));
  return {builder, builder.create<math::FmaOp>(Value(-n), Value(b), Value(a))};
}

// Where one multiple too many was taken off.
static Element notBelowZero(const Element& r, const Element& b) { return select(r < 0, r + b, r); }

// All quotients, also those of 0 and of infinities, which are NaN. b is finite in f64: what is
// less than it remains.
static Element byLongDivision(const Element& x, const Element& y) {
  ImplicitLocOpBuilder& builder = x.builder();
  constexpr double kBeyond = 0x1p200;
  const Element a = widened(x), b = atMost(widened(y), kBeyond);
  auto steps = builder.create<scf::WhileOp>(
      TypeRange(a.type()), ValueRange{a},
      [&](OpBuilder& body, Location loc, ValueRange rest) {
        ImplicitLocOpBuilder inside(loc, body);
        const Element r(inside, rest[0]), divisor(inside, b);
        const Element next = withoutMultiple(r, divisor, r / divisor);
        inside.create<scf::ConditionOp>(holdsAnywhere(abs(next) >= divisor), Value(next));
      },
      [&](OpBuilder& body, Location loc, ValueRange rest) {
        body.create<scf::YieldOp>(loc, rest);
      });
  return narrowed(notBelowZero({builder, steps.getResult(0)}, b));
}

Element remainderOf(const Element& x, const Element& y) {
  constexpr double kGreatestQuotient = 0x1p23;
  const Element a = abs(x), b = abs(y);
  const Element quotient = a / b;
  const Element rest = chooseUsual(
      quotient < kGreatestQuotient,
      [&] { return select(a < b, a, notBelowZero(withoutMultiple(a, b, quotient), b)); },
      [&] { return byLongDivision(a, b); });
  return timesSignOf(rest, x, a);
}

}  // namespace tessera::lowering
