// Expanded, transposed convolutions give what they gave: constants are folded with and without.
#include <gtest/gtest.h>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/test/parse_for_test.h"
#include "compiler/transforms/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::transforms {
namespace {

using namespace mlir;

/// Replaces constants of one value by ones of many.
void fillConstants(ModuleOp module) {
  module->walk([](ir::ConstantOp op) {
    const auto type = cast<RankedTensorType>(op.getType());
    if (!type.getElementType().isF32()) return;
    auto values = std::make_shared<std::vector<float>>(type.getNumElements());
    for (size_t i = 0; i < values->size(); ++i)
      (*values)[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
    OpBuilder b(op);
    const std::shared_ptr<const std::vector<float>> owner = values;
    op.replaceAllUsesWith(
        ir::createConstant(b, op.getLoc(), type,
                           {.bytes = std::as_bytes(std::span(*owner)), .owner = owner})
            .getResult());
    op.erase();
  });
}

/// What `@main` returns; `numExpanded`: transposed convolutions without steps after the expansion.
std::vector<float> resultOf(const std::string& text, bool isExpanded, size_t* numExpanded) {
  ir::test::TestContext context;
  OwningOpRef<ModuleOp> module = context.parse(text);
  if (!module) {
    ADD_FAILURE() << context.diagnostics();
    return {};
  }
  fillConstants(*module);
  PassManager expand(module->getContext()), fold(module->getContext());
  if (isExpanded) expand.addPass(createExpandConvTransposePass());
  fold.addPass(createFoldConstantsPass());
  EXPECT_TRUE(succeeded(expand.run(*module)));
  module->walk([&](ir::ConvTransposeOp op) { *numExpanded += op.getStrides() ? 0 : 1; });
  EXPECT_TRUE(succeeded(fold.run(*module)));
  auto main = module->lookupSymbol<func::FuncOp>("main");
  const auto values = ir::constantFloats(main.getBody().front().getTerminator()->getOperand(0));
  if (!values) {
    ADD_FAILURE() << "it is not folded";
    return {};
  }
  return {values->begin(), values->end()};
}

void expectEqual(const std::string& x, const std::string& w, const std::string& attributes,
                 const std::string& y) {
  const std::string text = "func.func @main() -> " + y +
                           " {\n  %x = tsr.constant dense<1.0> : " + x + " -> " + x +
                           "\n  %w = tsr.constant dense<1.0> : " + w + " -> " + w +
                           "\n  %b = tsr.constant dense<1.0> : tensor<6xf32> -> tensor<6xf32>" +
                           "\n  %y = tsr.conv_transpose %x, %w, %b {" + attributes + "} : (" + x +
                           ", " + w + ", tensor<6xf32>) -> " + y + "\n  return %y : " + y + "\n}\n";
  SCOPED_TRACE(text);
  size_t numExpanded = 0, numBefore = 0;
  const std::vector<float> expected = resultOf(text, false, &numBefore),
                           found = resultOf(text, true, &numExpanded);
  EXPECT_EQ(numBefore, 0U);
  EXPECT_EQ(numExpanded, 1U);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-4) << i;
}

TEST(ExpandConvTransposeTest, WindowsAsLongAsSteps) {
  expectEqual("tensor<2x3x4x5xf32>", "tensor<3x6x8x9xf32>", "strides = array<i64: 8, 9>",
              "tensor<2x6x32x45xf32>");
}

TEST(ExpandConvTransposeTest, WindowsThatOverlapAreCut) {
  expectEqual("tensor<1x3x7xf32>", "tensor<3x6x21xf32>",
              "strides = array<i64: 8>, pads = array<i64: 3, 5>", "tensor<1x6x61xf32>");
}

TEST(ExpandConvTransposeTest, ResultsBehindTheLastWindow) {
  expectEqual("tensor<1x4x3x2xf32>", "tensor<4x3x2x3xf32>",
              "group = 2 : i64, strides = array<i64: 8, 2>, output_padding = array<i64: 7, 1>",
              "tensor<1x6x25x6xf32>");
}

TEST(ExpandConvTransposeTest, PaddedToSame) {
  expectEqual("tensor<1x2x3x4x2xf32>", "tensor<2x6x3x11x2xf32>",
              "auto_pad = \"SAME_LOWER\", strides = array<i64: 2, 8, 1>", "tensor<1x6x6x32x2xf32>");
}

}  // namespace
}  // namespace tessera::transforms
