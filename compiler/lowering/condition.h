// Conditions in formulas.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tessera::lowering {

/// A value of i1, or a vector of it, in a formula; operators build at the insertion point of its
/// builder, which outlives it. Both operands of & and | are computed. Converts to the value.
class Condition {
 public:
  Condition() = default;
  Condition(mlir::ImplicitLocOpBuilder& b, mlir::Value value) : b_(&b), value_(value) {}

  operator mlir::Value() const { return value_; }  // NOLINT: a value is what it stands for.

  friend Condition operator&(const Condition& a, mlir::Value b);
  friend Condition operator|(const Condition& a, mlir::Value b);
  /// Whether one of both holds and the other does not.
  friend Condition operator^(const Condition& a, mlir::Value b);
  friend Condition operator!(const Condition& a);

  mlir::ImplicitLocOpBuilder& builder() const { return *b_; }

 private:
  mlir::ImplicitLocOpBuilder* b_ = nullptr;
  mlir::Value value_;
};

}  // namespace tessera::lowering
