// Index and f32 values of constants, for tests: what the geometry of this folder builds for sizes
// of the run, folded as it is built.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

namespace tessera::ir::spec::test {

struct FoldedBool {
  mlir::Value value;
};

/// Builds into a block of its own.
class FoldingBuilder {
 public:
  FoldingBuilder() : builder_(&context_) {
    context_.loadDialect<mlir::arith::ArithDialect>();
    module_ = mlir::ModuleOp::create(builder_.getUnknownLoc());
    builder_.setInsertionPointToStart(module_->getBody());
  }
  template <typename Op, typename... Args>
  mlir::Value fold(Args&&... args) {
    return builder_.createOrFold<Op>(builder_.getUnknownLoc(), std::forward<Args>(args)...);
  }
  mlir::Value index(int64_t value) {
    return builder_.create<mlir::arith::ConstantIndexOp>(builder_.getUnknownLoc(), value);
  }
  mlir::Value real(mlir::Type type, double value) {
    return builder_.create<mlir::arith::ConstantOp>(builder_.getUnknownLoc(),
                                                    builder_.getFloatAttr(type, value));
  }
  mlir::Type f32() { return builder_.getF32Type(); }
  mlir::Type f64() { return builder_.getF64Type(); }

 private:
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OpBuilder builder_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

namespace arith = mlir::arith;

struct FoldedIndex {
  FoldingBuilder* b;
  mlir::Value value;

  /// Nothing when it did not fold to a number.
  std::optional<int64_t> number() const {
    mlir::APInt found;
    if (!matchPattern(value, mlir::m_ConstantInt(&found))) return std::nullopt;
    return found.getSExtValue();
  }

  friend FoldedIndex operator+(const FoldedIndex& x, const FoldedIndex& y) {
    return {.b = x.b, .value = x.b->fold<arith::AddIOp>(x.value, y.value)};
  }
  friend FoldedIndex operator-(const FoldedIndex& x, const FoldedIndex& y) {
    return {.b = x.b, .value = x.b->fold<arith::SubIOp>(x.value, y.value)};
  }
  friend FoldedIndex operator*(const FoldedIndex& x, int64_t y) {
    return {.b = x.b, .value = x.b->fold<arith::MulIOp>(x.value, x.b->index(y))};
  }
  friend FoldedBool operator<(const FoldedIndex& x, const FoldedIndex& y) {
    return {x.b->fold<arith::CmpIOp>(arith::CmpIPredicate::slt, x.value, y.value)};
  }
  friend FoldedBool operator==(const FoldedIndex& x, const FoldedIndex& y) {
    return {x.b->fold<arith::CmpIOp>(arith::CmpIPredicate::eq, x.value, y.value)};
  }
  friend FoldedIndex floorDiv(const FoldedIndex& x, int64_t y) {
    return {.b = x.b, .value = x.b->fold<arith::FloorDivSIOp>(x.value, x.b->index(y))};
  }
  friend FoldedIndex ceilDiv(const FoldedIndex& x, const FoldedIndex& y) {
    return {.b = x.b, .value = x.b->fold<arith::CeilDivSIOp>(x.value, y.value)};
  }
  friend FoldedIndex smaller(const FoldedIndex& x, const FoldedIndex& y) {
    return {.b = x.b, .value = x.b->fold<arith::MinSIOp>(x.value, y.value)};
  }
  friend FoldedIndex larger(const FoldedIndex& x, const FoldedIndex& y) {
    return {.b = x.b, .value = x.b->fold<arith::MaxSIOp>(x.value, y.value)};
  }
  friend FoldedIndex select(const FoldedBool& condition, const FoldedIndex& x,
                            const FoldedIndex& y) {
    return {.b = x.b, .value = x.b->fold<arith::SelectOp>(condition.value, x.value, y.value)};
  }
  friend FoldedIndex literal(const FoldedIndex& like, int64_t number) {
    return {.b = like.b, .value = like.b->index(number)};
  }
};

/// An f32 or f64 value.
struct FoldedReal {
  FoldingBuilder* b;
  mlir::Value value;

  std::optional<double> number() const {
    mlir::FloatAttr found;
    if (!matchPattern(value, mlir::m_Constant(&found))) return std::nullopt;
    return found.getValueAsDouble();
  }

  friend FoldedReal operator+(const FoldedReal& x, const FoldedReal& y) {
    return {.b = x.b, .value = x.b->fold<arith::AddFOp>(x.value, y.value)};
  }
  friend FoldedReal operator-(const FoldedReal& x, const FoldedReal& y) {
    return {.b = x.b, .value = x.b->fold<arith::SubFOp>(x.value, y.value)};
  }
  friend FoldedReal operator*(const FoldedReal& x, const FoldedReal& y) {
    return {.b = x.b, .value = x.b->fold<arith::MulFOp>(x.value, y.value)};
  }
  friend FoldedReal operator/(const FoldedReal& x, const FoldedReal& y) {
    return {.b = x.b, .value = x.b->fold<arith::DivFOp>(x.value, y.value)};
  }
  friend FoldedReal smaller(const FoldedReal& x, const FoldedReal& y) {
    return {.b = x.b, .value = x.b->fold<arith::MinimumFOp>(x.value, y.value)};
  }
  friend FoldedReal larger(const FoldedReal& x, const FoldedReal& y) {
    return {.b = x.b, .value = x.b->fold<arith::MaximumFOp>(x.value, y.value)};
  }
  friend FoldedReal select(const FoldedBool& condition, const FoldedReal& x, const FoldedReal& y) {
    return {.b = x.b, .value = x.b->fold<arith::SelectOp>(condition.value, x.value, y.value)};
  }
  friend FoldedReal literal(const FoldedReal& like, double number) {
    return {.b = like.b, .value = like.b->real(like.value.getType(), number)};
  }
  friend FoldedReal widened(const FoldedReal& x) {
    return {.b = x.b,
            .value = x.b->real(x.b->f64(), x.number().value())};  // MLIR does not fold it.
  }
  friend FoldedReal narrowed(const FoldedReal& x) {
    // MLIR folds only what loses nothing.
    return {.b = x.b, .value = x.b->real(x.b->f32(), static_cast<float>(x.number().value()))};
  }
};

}  // namespace tessera::ir::spec::test
