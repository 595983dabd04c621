// What series are written with. Not for other folders.
#pragma once

#include "compiler/lowering/series/series.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tessera::lowering {

inline constexpr double kLog2 = 0.693147180559945309;

/// Added to a number, it rounds that to a whole one, which its last bits then hold.
inline constexpr double kRounder = 0x1.8p23;

/// Each one instruction, and NaN stays what it is.
inline Element atMost(const Element& x, double bound) { return select(bound < x, bound, x); }
inline Element atLeast(const Element& x, double bound) { return select(x < bound, bound, x); }

/// a * b + c, one instruction where the CPU has it.
inline Element multiplyAdd(const Element& a, const Element& b, const Element& c) {
  mlir::ImplicitLocOpBuilder& builder = a.builder();
  const auto valueOf = [&](const Element& element) -> mlir::Value {
    return element ? element : literal(a, element.number());
  };
  const auto flags = mlir::arith::FastMathFlags::contract;
  const mlir::Value product =
      builder.create<mlir::arith::MulFOp>(mlir::Value(a), valueOf(b), flags);
  return {builder, builder.create<mlir::arith::AddFOp>(product, valueOf(c), flags)};
}

/// A polynomial; coefficients of the greatest power first.
inline Element horner(const Element& x, llvm::ArrayRef<double> coefficients) {
  Element sum = literal(x, coefficients.front());
  for (const double coefficient : coefficients.drop_front()) sum = multiplyAdd(sum, x, coefficient);
  return sum;
}

/// The bits of a float, and the float of bits.
inline Element bitsOf(const Element& x) {
  mlir::ImplicitLocOpBuilder& b = x.builder();
  auto vector = llvm::dyn_cast<mlir::VectorType>(x.type());
  const mlir::Type type =
      vector ? mlir::Type(vector.clone(b.getI32Type())) : mlir::Type(b.getI32Type());
  return {b, b.create<mlir::arith::BitcastOp>(type, mlir::Value(x))};
}
inline Element floatOf(const Element& bits, mlir::Type type) {
  return {bits.builder(), bits.builder().create<mlir::arith::BitcastOp>(type, mlir::Value(bits))};
}

inline Element shiftLeft(const Element& bits, int64_t count) {
  mlir::ImplicitLocOpBuilder& b = bits.builder();
  return {b, b.create<mlir::arith::ShLIOp>(mlir::Value(bits),
                                           mlir::Value(literal(bits, static_cast<double>(count))))};
}

/// y, or -y where x has a sign; `magnitude` is |x|.
inline Element timesSignOf(const Element& y, const Element& x, const Element& magnitude) {
  mlir::ImplicitLocOpBuilder& b = x.builder();
  const mlir::Value sign =
      b.create<mlir::arith::XOrIOp>(mlir::Value(bitsOf(x)), mlir::Value(bitsOf(magnitude)));
  return floatOf({b, b.create<mlir::arith::XOrIOp>(mlir::Value(bitsOf(y)), sign)}, x.type());
}

}  // namespace tessera::lowering
