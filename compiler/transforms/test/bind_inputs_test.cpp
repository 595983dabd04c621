#include "compiler/transforms/shapes/bind_inputs.h"

#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"

namespace tessera::transforms {
namespace {

class BindInputsTest : public testing::Test {
 protected:
  /// The bound module's text, or the error.
  std::string bind(const std::string& text, const std::vector<std::vector<int64_t>>& shapes) {
    module_ = context_.parse(text);
    if (!module_) return "does not parse: " + context_.diagnostics();
    const llvm::SmallVector<llvm::ArrayRef<int64_t>> views(shapes.begin(), shapes.end());
    const bool isBound = mlir::succeeded(bindInputs(*module_, views));
    const std::string error = context_.takeDiagnostics();
    return isBound ? ir::test::toText(*module_) : error;
  }
  static void expectHolds(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  ir::test::TestContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

constexpr const char* kTwoInputs = R"(
  func.func @main(%x: tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>> {tessera.name = "x"},
                  %y: tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>> {tessera.name = "y"})
      -> tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>> {
    %0 = tsr.add %x, %y : (tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>,
        tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>)
        -> tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>
    return %0 : tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>
  })";

TEST_F(BindInputsTest, ASizeGoesWhereItsNameGoes) {
  const std::string bound = bind(kTwoInputs, {{3, 4}, {3, 4}});
  expectHolds(bound, "-> tensor<3x4xf32>");
  EXPECT_EQ(bound.find("tsr.layout"), std::string::npos) << bound;
  EXPECT_EQ(bound.find('?'), std::string::npos) << bound;
}

TEST_F(BindInputsTest, WhatHasNoNameIsInferred) {
  const std::string bound = bind(R"(
    func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = tsr.exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    })",
                                 {{5, 4}});
  expectHolds(bound, "tsr.exp %arg0 : (tensor<5x4xf32>) -> tensor<5x4xf32>");
  expectHolds(bound, "return %0 : tensor<5x4xf32>");
}

TEST_F(BindInputsTest, DimensionsMayStayOpen) {
  constexpr int64_t kOpen = mlir::ShapedType::kDynamic;
  expectHolds(bind(kTwoInputs, {{kOpen, 4}, {kOpen, 4}}), R"(dims = ["n", ""])");
}

TEST_F(BindInputsTest, ShapesThatDoNotFitAreRefused) {
  EXPECT_EQ(bind(kTwoInputs, {{3, 4}}), "found 1 inputs, expected 2\n");
  EXPECT_EQ(bind(kTwoInputs, {{3, 5}, {3, 4}}), "input 'x' has shape [3, 5], expected [?, 4]\n");
  EXPECT_EQ(bind(kTwoInputs, {{3, 4}, {3}}), "input 'y' has shape [3], expected [?, 4]\n");
  EXPECT_EQ(bind(kTwoInputs, {{3, 4}, {2, 4}}),
            "dimension 'n' is 3 in input 'x' but 2 in input 'y'\n");
}

TEST_F(BindInputsTest, AnOperatorThatRefusesItsSizesIsTheError) {
  const std::string refused = bind(R"(
    func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = tsr.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    })",
                                   {{3, 4}, {2, 4}});
  expectHolds(refused, "tsr.add");
}

}  // namespace
}  // namespace tessera::transforms
