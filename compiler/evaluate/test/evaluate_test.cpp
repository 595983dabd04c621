#include "compiler/evaluate/evaluate.h"

#include <gtest/gtest.h>

#include "compiler/evaluate/operation_call.h"
#include "mlir/Parser/Parser.h"

namespace tessera::evaluate {

namespace {

class Evaluate : public testing::Test {
 protected:
  Evaluate() { context_.loadDialect<ir::TsrDialect>(); }

  /// The operation before the return of a module with one function.
  mlir::Operation& lastOperation(const char* text) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    EXPECT_TRUE(module_);
    auto function = *module_->getOps<mlir::func::FuncOp>().begin();
    return *std::prev(function.getBody().front().end(), 2);
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

reference::Tensor floats(reference::Shape shape, std::vector<float> values) {
  reference::Tensor tensor(ElementType::kF32, std::move(shape));
  std::ranges::copy(values, tensor.as<float>().begin());
  return tensor;
}

std::vector<float> values(const reference::Tensor& tensor) {
  return {tensor.as<float>().begin(), tensor.as<float>().end()};
}

TEST_F(Evaluate, AbsentOperandsLeaveTheirSlotEmpty) {
  mlir::Operation& op = lastOperation(R"(
    func.func @f(%x: tensor<3xf32>, %high: tensor<f32>) -> tensor<3xf32> {
      %y = tsr.clip %x, %high {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      return %y : tensor<3xf32>
    })");
  EXPECT_EQ(operandSlots(op, *opInfo(op)), (std::vector{0, -1, 1}));
  const reference::Tensor x = floats({3}, {-1, 2, 9});
  const reference::Tensor high = floats({}, {4});
  const auto results = evaluateOperation(op, std::vector{x.view(), high.view()});
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{-1, 2, 4}));
}

TEST_F(Evaluate, AttributesReachTheReference) {
  mlir::Operation& op = lastOperation(R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = tsr.leaky_relu %x {alpha = 0.5 : f32} : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })");
  const reference::Tensor x = floats({2}, {-4, 4});
  const auto results = evaluateOperation(op, std::vector{x.view()});
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{-2, 4}));
}

TEST_F(Evaluate, FillsConstantOfShape) {
  mlir::Operation& op = lastOperation(R"(
    func.func @f(%s: tensor<2xi64>) -> tensor<?x?xf32> {
      %y = tsr.constant_of_shape %s {value = dense<1.5> : tensor<1xf32>} : (tensor<2xi64>) -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    })");
  reference::Tensor shape(ElementType::kI64, {2});
  shape.as<int64_t>()[0] = 1;
  shape.as<int64_t>()[1] = 2;
  const auto results = evaluateOperation(op, std::vector{shape.view()});
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ((*results)[0].shape(), (reference::Shape{1, 2}));
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{1.5f, 1.5f}));
}

TEST_F(Evaluate, RunsTheBodyOfAComposite) {
  mlir::Operation& op = lastOperation(R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = tsr.composite "twice"(%x) : (tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%a: tensor<2xf32>):
        %two = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
        %b = tsr.mul %a, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
        tsr.yield %b : tensor<2xf32>
      }
      return %y : tensor<2xf32>
    })");
  const reference::Tensor x = floats({2}, {1, 3});
  const auto results = evaluateOperation(op, std::vector{x.view()});
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{2, 6}));
}

TEST_F(Evaluate, ErrorsNameTheNode) {
  mlir::Operation& op = lastOperation(R"(
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %z = tsr.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc("the_add")
      return %z : tensor<?xf32>
    })");
  const reference::Tensor two = floats({2}, {1, 1});
  const reference::Tensor three = floats({3}, {1, 1, 1});
  const auto results = evaluateOperation(op, std::vector{two.view(), three.view()});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().node, "the_add (tsr.add)");
}

}  // namespace

}  // namespace tessera::evaluate
