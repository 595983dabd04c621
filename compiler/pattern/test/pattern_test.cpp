#include "compiler/pattern/pattern.h"

#include <gtest/gtest.h>

#include "mlir/Parser/Parser.h"

namespace tessera::pattern {

namespace {

class MatchTest : public testing::Test {
 protected:
  MatchTest() {
    context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(R"(
      func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
        %two = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
        %xy = tsr.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %sum = tsr.add %xy, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %half = tsr.div %sum, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        return %half : tensor<4xf32>
      })",
                                                      &context_);
    auto function = *module_->getOps<mlir::func::FuncOp>().begin();
    x_ = function.getArgument(0);
    y_ = function.getArgument(1);
    root_ = function.getBody().front().getTerminator()->getOperand(0);
    sum_ = root_.getDefiningOp()->getOperand(0);
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Value x_, y_, sum_, root_;
};

TEST_F(MatchTest, CapturesOperands) {
  const auto found = match(op<ir::DivOp>(capture("sum"), scalar(2)), root_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value("sum"), sum_);
  EXPECT_EQ(found->ops.size(), 1U);
  EXPECT_FALSE(found->value("other"));
}

TEST_F(MatchTest, TriesOtherOperandOrdersInsideAndOutside) {
  // a is y: only the second order of the product and the second of the sum agree.
  const Pattern a = capture("a");
  const auto found = match(either<ir::AddOp>(a, either<ir::MulOp>(a, capture("b"))), sum_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value("a"), y_);
  EXPECT_EQ(found->value("b"), x_);
}

TEST_F(MatchTest, GoesBackToAlternativesThatMatchedBefore) {
  // The first alternative explains the sum but leaves nothing for the condition that follows.
  const Pattern first = when(capture("other"), [this](mlir::Value value) { return value == sum_; });
  const Pattern second = either<ir::AddOp>(capture("p"), capture("q"));
  const Pattern whole = whenMatched(
      op<ir::DivOp>(anyOf({first, second}), scalar("two")),
      [](mlir::Value, const Match& match) { return static_cast<bool>(match.value("q")); });
  const auto found = match(whole, root_);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->value("other"));
  EXPECT_EQ(found->ops.size(), 2U);
}

TEST_F(MatchTest, RejectsOtherOperatorsAndNumbers) {
  EXPECT_FALSE(match(op<ir::DivOp>(capture("sum"), scalar(3)), root_));
  EXPECT_FALSE(match(op<ir::MulOp>(capture("sum"), scalar(2)), root_));
  EXPECT_FALSE(match(op<ir::DivOp>(constant("sum"), scalar(2)), root_));
  EXPECT_FALSE(match(op<ir::DivOp>(capture("sum"), scalar(2)), x_));
}

}  // namespace

}  // namespace tessera::pattern
