#include "compiler/interpreter/interpret.h"

#include <gtest/gtest.h>

#include "compiler/ir/tsr.h"
#include "mlir/Parser/Parser.h"

namespace tessera::interpreter {

namespace {

class Interpret : public testing::Test {
 protected:
  Interpret() { context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>(); }

  Result<std::vector<reference::Tensor>> run(const char* text,
                                             const std::vector<reference::Tensor>& inputs,
                                             Observer observer = nullptr) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    if (!module_) return invalidInput("does not parse");
    std::vector<reference::TensorView> views;
    views.reserve(inputs.size());
    for (const reference::Tensor& input : inputs) views.push_back(input.view());
    return interpret(*module_, "main", views, observer);
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

template <typename T>
reference::Tensor tensor(ElementType type, reference::Shape shape, std::vector<T> values) {
  reference::Tensor tensor(type, std::move(shape));
  std::ranges::copy(values, tensor.as<T>().begin());
  return tensor;
}

reference::Tensor floats(reference::Shape shape, std::vector<float> values) {
  return tensor<float>(ElementType::kF32, std::move(shape), std::move(values));
}

std::vector<reference::Tensor> list(auto... tensors) {
  std::vector<reference::Tensor> list;
  (list.push_back(std::move(tensors)), ...);
  return list;
}

std::vector<float> values(const reference::Tensor& tensor) {
  return {tensor.as<float>().begin(), tensor.as<float>().end()};
}

TEST_F(Interpret, RunsAPartitionedModule) {
  const auto results = run(R"(
    func.func @region_0(%x: tensor<2xf32>) -> tensor<2xf32> attributes {tessera.target = #tsr.target<"native">} {
      %y = tsr.exp %x : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %c = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
      %a = call @region_0(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %b = tsr.add %a, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %b, %c : tensor<2xf32>, tensor<2xf32>
    })",
                           list(floats({2}, {0, 0})));
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{2, 3}));
  EXPECT_EQ(values((*results)[1]), (std::vector<float>{1, 2}));
}

TEST_F(Interpret, ValuesWithLayoutsKeepTheirMeaning) {
  const auto results = run(R"(
    func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
      %p = tsr.relayout %x : (tensor<1x3xf32>) -> tensor<1x3xf32, #tsr.layout<blockDims = [1], blockSizes = [2]>>
      %y = tsr.relu %p : (tensor<1x3xf32, #tsr.layout<blockDims = [1], blockSizes = [2]>>) -> tensor<1x3xf32, #tsr.layout<blockDims = [1], blockSizes = [2]>>
      %z = tsr.relayout %y : (tensor<1x3xf32, #tsr.layout<blockDims = [1], blockSizes = [2]>>) -> tensor<1x3xf32>
      return %z : tensor<1x3xf32>
    })",
                           list(floats({1, 3}, {-1, 2, 3})));
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{0, 2, 3}));
}

constexpr const char* kIf = R"(
  func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %y = tsr.if %c : (tensor<i1>) -> tensor<2xf32> {
      %a = tsr.neg %x : (tensor<2xf32>) -> tensor<2xf32>
      tsr.yield %a : tensor<2xf32>
    } else {
      tsr.yield %x : tensor<2xf32>
    }
    return %y : tensor<2xf32>
  })";

TEST_F(Interpret, IfRunsOneBranch) {
  for (const uint8_t condition : {0, 1}) {
    const auto results =
        run(kIf, list(tensor<uint8_t>(ElementType::kBool, {}, {condition}), floats({2}, {1, 2})));
    ASSERT_TRUE(results) << results.error().toString();
    const float sign = condition != 0 ? -1 : 1;
    EXPECT_EQ(values((*results)[0]), (std::vector<float>{sign, 2 * sign}));
  }
}

/// Doubles x until the trip count or x >= 8, and keeps every x.
constexpr const char* kLoop = R"(
  func.func @main(%n: tensor<i64>, %x: tensor<f32>) -> (tensor<f32>, tensor<?xf32>) {
    %go = tsr.constant dense<true> : tensor<i1> -> tensor<i1>
    %limit = tsr.constant dense<8.0> : tensor<f32> -> tensor<f32>
    %y, %all = tsr.loop %n, %go, %x {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<i64>, tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<?xf32>) {
    ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<f32>):
      %w = tsr.add %v, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %again = tsr.less %w, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      tsr.yield %again, %w, %v : tensor<i1>, tensor<f32>, tensor<f32>
    }
    return %y, %all : tensor<f32>, tensor<?xf32>
  })";

TEST_F(Interpret, LoopStopsAtTheTripCountAndAtItsCondition) {
  const auto run3 = run(kLoop, list(tensor<int64_t>(ElementType::kI64, {}, {2}), floats({}, {1})));
  ASSERT_TRUE(run3) << run3.error().toString();
  EXPECT_EQ(values((*run3)[0]), (std::vector<float>{4}));
  EXPECT_EQ(values((*run3)[1]), (std::vector<float>{1, 2}));
  const auto all = run(kLoop, list(tensor<int64_t>(ElementType::kI64, {}, {99}), floats({}, {1})));
  ASSERT_TRUE(all) << all.error().toString();
  EXPECT_EQ(values((*all)[0]), (std::vector<float>{8}));
  EXPECT_EQ(values((*all)[1]), (std::vector<float>{1, 2, 4}));
}

TEST_F(Interpret, LoopWithoutTripsHasEmptyScanOutputs) {
  const auto none = run(kLoop, list(tensor<int64_t>(ElementType::kI64, {}, {0}), floats({}, {1})));
  ASSERT_TRUE(none) << none.error().toString();
  EXPECT_EQ(values((*none)[0]), (std::vector<float>{1}));
  EXPECT_EQ((*none)[1].shape(), (reference::Shape{0}));
}

TEST_F(Interpret, ScanWalksAxesInBothDirections) {
  // Running sums along dimension 1 of x, from the back; the sums are stacked along dimension 1.
  const auto results = run(R"(
    func.func @main(%s: tensor<2xf32>, %x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>) {
      %sum, %sums = tsr.scan %s, %x {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 1>, scan_input_directions = array<i64: 1>, scan_output_axes = array<i64: 1>, scan_output_directions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>) {
      ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
        %c = tsr.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        tsr.yield %c, %c : tensor<2xf32>, tensor<2xf32>
      }
      return %sum, %sums : tensor<2xf32>, tensor<2x3xf32>
    })",
                           list(floats({2}, {0, 0}), floats({2, 3}, {1, 2, 3, 4, 5, 6})));
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{6, 15}));
  EXPECT_EQ(values((*results)[1]), (std::vector<float>{3, 5, 6, 6, 11, 15}));
}

TEST_F(Interpret, ObserverSeesEveryOperation) {
  std::vector<std::string> seen;
  const auto results =
      run(kIf, list(tensor<uint8_t>(ElementType::kBool, {}, {1}), floats({2}, {1, 2})),
          [&](mlir::Operation& op, std::span<const evaluate::TensorValue>) {
            seen.push_back(op.getName().getStringRef().str());
          });
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(seen, (std::vector<std::string>{"tsr.neg", "tsr.if"}));
}

TEST_F(Interpret, RejectsInputsOfAnotherType) {
  const auto results = run(kIf, list(floats({}, {1}), floats({2}, {1, 2})));
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().message, "input 0 is f32[], expected bool[]");
}

TEST_F(Interpret, RejectsEndlessRecursion) {
  const auto results = run(R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %y = call @main(%x) : (tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    })",
                           list(floats({}, {1})));
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().message, "functions call each other more than 64 deep");
}

TEST_F(Interpret, ErrorsNameTheNode) {
  const auto results = run(R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %y = tsr.custom "Mystery"(%x) {domain = "acme", onnx_attributes = {}, opset = 1 : i64, present = array<i1: true>} : (tensor<f32>) -> tensor<f32> loc("puzzle")
      return %y : tensor<f32>
    })",
                           list(floats({}, {1})));
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().toString(),
            "node 'puzzle (tsr.custom)': operator 'Mystery' of domain 'acme' has no reference "
            "implementation");
}

}  // namespace

}  // namespace tessera::interpreter
