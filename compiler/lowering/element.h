// Arithmetic on elements of tensors, written as formulas: (a * x + 1) / sqrt(y).
#pragma once

#include <cstdint>

#include "compiler/lowering/condition.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tessera::lowering {

/// On a math.exp: its operand is not above 0.
inline constexpr llvm::StringLiteral kUpToOneAttr = "tessera.up_to_one";

/// How the bits of an integer are read; types in kernels do not say it.
enum class Signedness : uint8_t { kSigned, kUnsigned };

/// As an element type says: unsigned for ui<N> and i1 (bool), signed for all others.
Signedness signednessOf(mlir::Type element);
/// The type of an element in memory and in formulas: integers have no sign.
mlir::Type kernelElement(mlir::Type element);

/// A float or an integer, or a vector of them, in a formula. Operators and functions build at the
/// insertion point of its builder, which outlives it; constants fold. Both operands have one type,
/// and integers one signedness where it matters, which the result has too. Converts to the value.
///
/// A C++ number stands for a constant of the type of the element that it meets: 1 / (1 + exp(-x)).
/// By itself it is no value.
///
/// C++ does not say which operand of a formula is built first. Where the order of operations is to
/// be fixed, name the operands.
class Element {
 public:
  /// Absent.
  Element() = default;
  Element(double number) : number_(number) {}  // NOLINT: numbers stand in formulas as they are.
  Element(mlir::ImplicitLocOpBuilder& b, mlir::Value value,
          Signedness signedness = Signedness::kSigned)
      : b_(&b), value_(value), signedness_(signedness) {}

  /// A constant of `type`, an element type or a vector type, none with a sign of its own. Of
  /// integers, `number` is truncated.
  static Element constant(mlir::ImplicitLocOpBuilder& b, mlir::Type type, double number);
  /// As above, exact for all integers of 64 bits.
  static Element integer(mlir::ImplicitLocOpBuilder& b, mlir::Type type, int64_t number);
  /// The least and the greatest value of an element type; infinities for floats.
  static Element lowest(mlir::ImplicitLocOpBuilder& b, mlir::Type type, Signedness signedness);
  static Element highest(mlir::ImplicitLocOpBuilder& b, mlir::Type type, Signedness signedness);

  operator mlir::Value() const { return value_; }  // NOLINT: a value is what it stands for.
  explicit operator bool() const { return static_cast<bool>(value_); }

  mlir::ImplicitLocOpBuilder& builder() const { return *b_; }
  mlir::Type type() const { return value_.getType(); }
  bool isFloat() const;
  /// Of what is no value: what it stands for.
  double number() const { return number_; }
  Signedness signedness() const { return signedness_; }
  /// The same bits, read so.
  Element as(Signedness signedness) const { return {*b_, value_, signedness}; }

  friend Element operator+(const Element& a, const Element& b);
  friend Element operator-(const Element& a, const Element& b);
  friend Element operator-(const Element& x);
  friend Element operator*(const Element& a, const Element& b);
  /// Integers: rounds towards zero; 0 for a division by zero.
  friend Element operator/(const Element& x, const Element& y);

  // Of floats: false with a NaN, but for !=.
  friend Condition operator==(const Element& a, const Element& b);
  friend Condition operator!=(const Element& a, const Element& b);
  friend Condition operator<(const Element& a, const Element& b);
  friend Condition operator<=(const Element& a, const Element& b);
  friend Condition operator>(const Element& a, const Element& b);
  friend Condition operator>=(const Element& a, const Element& b);

  /// `a` where the condition holds, `b` elsewhere. One of both is not a number.
  friend Element select(const Condition& condition, const Element& a, const Element& b);

  /// The least and the greatest of both; NaN when either is.
  friend Element smaller(const Element& a, const Element& b);
  friend Element larger(const Element& a, const Element& b);
  /// The greatest of both; the number where one is NaN.
  friend Element largerNumber(const Element& a, const Element& b);
  /// Without its sign; the least integer stays as it is.
  friend Element abs(const Element& x);

  // Of floats.
  friend Element ceil(const Element& x);
  friend Element erf(const Element& x);
  friend Element exp(const Element& x);
  /// exp(x), where that is a number that can be inverted: else it may be another such one.
  friend Element boundedExp(const Element& x);
  /// exp(x) of what is not above 0; NaN stays what it is.
  friend Element expUpToOne(const Element& x);
  /// 1 / x of a number that is no denormal one and not infinite, to 2e-7 of it.
  friend Element reciprocal(const Element& x);
  /// exp(x) - 1, exact near 0.
  friend Element expm1(const Element& x);
  friend Element floor(const Element& x);
  friend Element log(const Element& x);
  /// log(1 + x), exact near 0.
  friend Element log1p(const Element& x);
  friend Element pow(const Element& x, const Element& exponent);
  /// To the nearest whole number, halves to the even one.
  friend Element roundEven(const Element& x);
  friend Element sqrt(const Element& x);
  friend Element tanh(const Element& x);

  /// `x` as an element of type `to`, which may have a sign; its signedness is that of `to`. Floats
  /// to integers truncate and saturate, NaN becomes 0. To i1: whether it is not 0.
  friend Element convert(const Element& x, mlir::Type to);
  /// f32 as f64, and f64 rounded to f32.
  friend Element widened(const Element& x);
  friend Element narrowed(const Element& x);
  /// `number` as an element of the type of `like`.
  friend Element literal(const Element& like, double number);

 private:
  mlir::ImplicitLocOpBuilder* b_ = nullptr;
  mlir::Value value_;
  double number_ = 0;  ///< Where there is no value.
  Signedness signedness_ = Signedness::kSigned;
};

/// Whether a float is NaN.
inline Condition isNan(const Element& x) {
  return x != x;  // NOLINT(misc-redundant-expression): only NaN differs from itself.
}

}  // namespace tessera::lowering
