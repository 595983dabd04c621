// Index arithmetic, written as formulas.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tessera::lowering {

class Index;

/// Builds index arithmetic at its insertion point. What is known folds: x * 1 and x + 0 build
/// nothing.
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
  /// Quotient, rounded up, of numbers that are not negative.
  mlir::Value ceilDivUnsigned(mlir::Value a, mlir::Value b);
  /// Remainder of numbers that are not negative.
  mlir::Value rem(mlir::Value a, mlir::Value b);
  mlir::Value rem(mlir::Value a, int64_t b) { return rem(a, index(b)); }
  mlir::Value minIndex(mlir::Value a, mlir::Value b);
  mlir::Value maxIndex(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, int64_t b) { return less(a, index(b)); }
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, int64_t b) { return equal(a, index(b)); }
  /// 0 <= a < b.
  mlir::Value isInside(mlir::Value a, mlir::Value b);
  /// The sum, from the left.
  Index sum(std::initializer_list<mlir::Value> terms);
};

/// An index value in a formula; operators build at the insertion point of its builder, which
/// outlives it. Converts to the value.
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

 private:
  IndexBuilder* b_ = nullptr;
  mlir::Value value_;
};

inline Index IndexBuilder::term(mlir::Value value) { return {*this, value}; }
inline Index IndexBuilder::term(int64_t value) { return {*this, index(value)}; }

}  // namespace tessera::lowering
