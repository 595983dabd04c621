// Folders and canonicalisation: what disappears, and what must not.
#include <gtest/gtest.h>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/test/parse_for_test.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tessera::ir::test {
namespace {

/// The function with arguments %x: tensor<2x3xf32> and %d: tensor<?x3xf32> that returns %r, after
/// canonicalisation.
mlir::OwningOpRef<mlir::ModuleOp> canonical(TestContext& context, const std::string& body,
                                            const std::string& type) {
  auto module = context.parse("func.func @f(%x: tensor<2x3xf32>, %d: tensor<?x3xf32>) -> " + type +
                              " {\n" + body + "\n  return %r : " + type + "\n}\n");
  EXPECT_TRUE(module) << context.diagnostics();
  if (!module) return module;
  mlir::PassManager passes(context.get());
  passes.addPass(mlir::createCanonicalizerPass());
  EXPECT_TRUE(mlir::succeeded(passes.run(*module))) << context.diagnostics();
  return module;
}

mlir::Value returned(mlir::ModuleOp module) {
  mlir::Value value;
  module.walk([&](mlir::func::ReturnOp op) { value = op.getOperand(0); });
  return value;
}

struct Case {
  std::string name;
  std::string body;
  std::string type = "tensor<2x3xf32>";
  std::string left = "";  ///< The operator that must stay; empty: the result is an argument.
};
class Folding : public testing::TestWithParam<Case> {};

TEST_P(Folding, LeavesWhatItMust) {
  TestContext context;
  const auto module = canonical(context, GetParam().body, GetParam().type);
  ASSERT_TRUE(module);
  mlir::Operation* op = returned(*module).getDefiningOp();
  EXPECT_EQ(op ? op->getName().getStringRef().str() : "", GetParam().left) << toText(*module);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, Folding,
    testing::Values(
        Case{"identity", "%r = tsr.identity %x : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
        Case{"identity_refining_stays",
             "%r = tsr.identity %d : (tensor<?x3xf32>) -> tensor<2x3xf32>", "tensor<2x3xf32>",
             "tsr.identity"},
        Case{"cast_to_same",
             "%r = tsr.cast %x {to = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
        Case{"cast_stays",
             "%r = tsr.cast %x {to = 11 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf64>",
             "tensor<2x3xf64>", "tsr.cast"},
        Case{"transpose_identity",
             "%r = tsr.transpose %x {perm = array<i64: 0, 1>} : (tensor<2x3xf32>) -> "
             "tensor<2x3xf32>"},
        Case{"transpose_stays", "%r = tsr.transpose %x : (tensor<2x3xf32>) -> tensor<3x2xf32>",
             "tensor<3x2xf32>", "tsr.transpose"},
        Case{"concat_of_one",
             "%r = tsr.concat %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
        Case{"shape_of_static", "%r = tsr.shape %x : (tensor<2x3xf32>) -> tensor<2xi64>",
             "tensor<2xi64>", "tsr.constant"},
        Case{"shape_of_dynamic_stays", "%r = tsr.shape %d : (tensor<?x3xf32>) -> tensor<2xi64>",
             "tensor<2xi64>", "tsr.shape"},
        Case{"size_of_static", "%r = tsr.size %x : (tensor<2x3xf32>) -> tensor<i64>", "tensor<i64>",
             "tsr.constant"},
        Case{"size_of_dynamic_stays", "%r = tsr.size %d : (tensor<?x3xf32>) -> tensor<i64>",
             "tensor<i64>", "tsr.size"},
        Case{
            "relayout_pair",
            R"(%a = tsr.relayout %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<order = [1, 0]>>
  %r = tsr.relayout %a : (tensor<2x3xf32, #tsr.layout<order = [1, 0]>>) -> tensor<2x3xf32>)"},
        Case{"relayout_stays",
             "%r = tsr.relayout %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<order = [1, "
             "0]>>",
             "tensor<2x3xf32, #tsr.layout<order = [1, 0]>>", "tsr.relayout"}),
    [](const auto& info) { return info.param.name; });

TEST(FoldingValues, ShapeHasTheSizes) {
  TestContext context;
  const auto whole =
      canonical(context, "%r = tsr.shape %x : (tensor<2x3xf32>) -> tensor<2xi64>", "tensor<2xi64>");
  EXPECT_EQ(constantInts(returned(*whole)), (llvm::SmallVector<int64_t>{2, 3}));
  const auto none = canonical(
      context,
      "%r = tsr.shape %x {end = -9 : i64, start = 1 : i64} : (tensor<2x3xf32>) -> tensor<0xi64>",
      "tensor<0xi64>");
  EXPECT_EQ(constantInts(returned(*none)), (llvm::SmallVector<int64_t>{}));
  const auto size =
      canonical(context, "%r = tsr.size %x : (tensor<2x3xf32>) -> tensor<i64>", "tensor<i64>");
  EXPECT_EQ(constantInts(returned(*size)), (llvm::SmallVector<int64_t>{6}));
}

TEST(FoldingValues, ChainOfRelayoutsIsOne) {
  TestContext context;
  const auto module = canonical(
      context,
      R"(%a = tsr.relayout %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<order = [1, 0]>>
  %r = tsr.relayout %a : (tensor<2x3xf32, #tsr.layout<order = [1, 0]>>) -> tensor<2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [2]>>)",
      "tensor<2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [2]>>");
  auto relayout = returned(*module).getDefiningOp<RelayoutOp>();
  ASSERT_TRUE(relayout);
  EXPECT_TRUE(llvm::isa<mlir::BlockArgument>(relayout.getInput()));
}

}  // namespace
}  // namespace tessera::ir::test
