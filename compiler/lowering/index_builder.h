// Index arithmetic, written as formulas.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "compiler/lowering/condition.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tessera::lowering {

class Index;

/// Builds index arithmetic at its insertion point. What is known folds: x * 1 and x + 0 build
/// nothing. Formulas of more than one operation are written with Index.
class IndexBuilder : public mlir::ImplicitLocOpBuilder {
 public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  virtual ~IndexBuilder() = default;

  virtual mlir::Value index(int64_t value);
  /// `value` as part of a formula.
  Index term(mlir::Value value);
  Index term(int64_t value);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, index(b)); }
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, int64_t b) { return sub(a, index(b)); }
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b) { return mul(a, index(b)); }
  mlir::Value floorDiv(mlir::Value a, mlir::Value b);
  mlir::Value floorDiv(mlir::Value a, int64_t b) { return floorDiv(a, index(b)); }
  mlir::Value ceilDiv(mlir::Value a, mlir::Value b);
  mlir::Value ceilDiv(mlir::Value a, int64_t b) { return ceilDiv(a, index(b)); }
  /// Quotient, rounded up, of both as unsigned numbers.
  Index ceilDivUnsigned(mlir::Value a, mlir::Value b);
  /// Remainder of numbers that are not negative.
  mlir::Value rem(mlir::Value a, mlir::Value b);
  mlir::Value rem(mlir::Value a, int64_t b) { return rem(a, index(b)); }
  mlir::Value smaller(mlir::Value a, mlir::Value b);
  mlir::Value larger(mlir::Value a, mlir::Value b);
  Condition less(mlir::Value a, mlir::Value b);
  Condition less(mlir::Value a, int64_t b) { return less(a, index(b)); }
  Condition lessOrEqual(mlir::Value a, mlir::Value b) { return !less(b, a); }
  Condition equal(mlir::Value a, mlir::Value b);
  Condition equal(mlir::Value a, int64_t b) { return equal(a, index(b)); }
  /// 0 <= a < b.
  Condition isInside(mlir::Value a, mlir::Value b);
  /// `a` where the condition holds, `b` elsewhere, of any type.
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// The sum, from the left.
  Index sum(std::initializer_list<mlir::Value> terms);
};

/// An index value in a formula; operators build at the insertion point of its builder, which
/// outlives it. Converts to the value. It has what compiler/ir/spec/integer.h asks of an integer,
/// so that geometry is stated once for sizes that are known and for sizes of the run.
class Index {
 public:
  Index() = default;
  Index(IndexBuilder& b, mlir::Value value) : b_(&b), value_(value) {}

  operator mlir::Value() const { return value_; }  // NOLINT: a value is what it stands for.
  explicit operator bool() const { return static_cast<bool>(value_); }

  friend Index operator+(Index a, mlir::Value b) { return {*a.b_, a.b_->add(a, b)}; }
  friend Index operator+(Index a, int64_t b) { return {*a.b_, a.b_->add(a, b)}; }
  friend Index operator-(Index a, mlir::Value b) { return {*a.b_, a.b_->sub(a, b)}; }
  friend Index operator-(Index a, int64_t b) { return {*a.b_, a.b_->sub(a, b)}; }
  friend Index operator*(Index a, mlir::Value b) { return {*a.b_, a.b_->mul(a, b)}; }
  friend Index operator*(Index a, int64_t b) { return {*a.b_, a.b_->mul(a, b)}; }
  /// Remainder of numbers that are not negative.
  friend Index operator%(Index a, mlir::Value b) { return {*a.b_, a.b_->rem(a, b)}; }
  friend Index operator%(Index a, int64_t b) { return {*a.b_, a.b_->rem(a, b)}; }
  /// Quotients, rounded down and up.
  friend Index floorDiv(Index a, mlir::Value b) { return {*a.b_, a.b_->floorDiv(a, b)}; }
  friend Index floorDiv(Index a, int64_t b) { return {*a.b_, a.b_->floorDiv(a, b)}; }
  friend Index ceilDiv(Index a, mlir::Value b) { return {*a.b_, a.b_->ceilDiv(a, b)}; }
  friend Index ceilDiv(Index a, int64_t b) { return {*a.b_, a.b_->ceilDiv(a, b)}; }
  friend Index smaller(Index a, mlir::Value b) { return {*a.b_, a.b_->smaller(a, b)}; }
  friend Index smaller(Index a, int64_t b) { return smaller(a, a.b_->index(b)); }
  friend Index larger(Index a, mlir::Value b) { return {*a.b_, a.b_->larger(a, b)}; }
  friend Index larger(Index a, int64_t b) { return larger(a, a.b_->index(b)); }

  friend Condition operator<(Index a, mlir::Value b) { return a.b_->less(a, b); }
  friend Condition operator<(Index a, int64_t b) { return a.b_->less(a, b); }
  friend Condition operator<=(Index a, mlir::Value b) { return a.b_->lessOrEqual(a, b); }
  friend Condition operator<=(Index a, int64_t b) { return a.b_->lessOrEqual(a, a.b_->index(b)); }
  friend Condition operator==(Index a, Index b) { return a.b_->equal(a, b); }
  friend Condition operator==(Index a, int64_t b) { return a.b_->equal(a, b); }
  friend Index select(const Condition& condition, Index a, mlir::Value b) {
    return {*a.b_, a.b_->select(condition, a, b)};
  }
  /// `number` as an index of the builder of `like`.
  friend Index literal(Index like, int64_t number) { return {*like.b_, like.b_->index(number)}; }

 private:
  IndexBuilder* b_ = nullptr;
  mlir::Value value_;
};

inline Index IndexBuilder::term(mlir::Value value) { return {*this, value}; }
inline Index IndexBuilder::term(int64_t value) { return {*this, index(value)}; }

}  // namespace tessera::lowering
