// The scenarios of TVM's tests of sub-graphs: what a tile by itself reads and gives.
#include "compiler/placement/saved_plans/plan_file.h"
#include "compiler/placement/tile_order.h"
#include "mlir/IR/Verifier.h"
#include "tests/parity/collage_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using placement::OperatorGraph;
using placement::Tile;

class TileTest : public CollageTest {
 protected:
  TileTest() { place({{.name = "host"}}); }

  /// "x v1 -> v2": arguments and numbers of operators; "not convex".
  std::string borders(const std::string& graph, SmallVector<uint32_t> nodes) {
    load(graph);
    const OperatorGraph operators(ir::entryFunction(*module_));
    const auto owners = *partition::OwnerIndex::of(*module_);
    const auto name = [&](mlir::Value value) {
      const auto argument = dyn_cast<BlockArgument>(value);
      if (argument) return " " + std::string("xyzw").substr(argument.getArgNumber(), 1);
      return " v" + std::to_string(operators.producerOf(value));
    };
    Tile tile{.nodes = nodes, .target = owners.attribute(owners[0]), .reads = {}};
    const placement::ExtractedTile extracted = placement::extractTile(operators, tile);
    EXPECT_TRUE(succeeded(mlir::verify(*extracted.module)));
    std::string text;
    for (const mlir::Value value : extracted.inputs) text += name(value);
    text += " ->";
    for (const mlir::Value value : extracted.outputs) text += name(value);
    return text.substr(1);
  }

  /// Whether a plan can have these operators as a tile; all others are tiles of their own.
  bool canBeTile(SmallVector<uint32_t> nodes) {
    const OperatorGraph operators(ir::entryFunction(*module_));
    const auto owners = *partition::OwnerIndex::of(*module_);
    std::vector<Tile> tiles = {
        {.nodes = nodes, .target = owners.attribute(owners[0]), .reads = {}}};
    for (uint32_t node = 0; node < operators.size(); ++node) {
      if (!llvm::is_contained(nodes, node))
        tiles.push_back({.nodes = {node}, .target = tiles[0].target, .reads = {}});
    }
    return placement::orderOf(operators, tiles).has_value();
  }

  static constexpr const char* kDiamond = R"(
    %0 = relu %x
    %1 = abs %0
    %2 = exp %0
    %3 = add %1, %2
    return %3)";
};

TEST_F(TileTest, SG1_OneOperator) { EXPECT_EQ(borders(kDiamond, {1}), "v0 -> v1"); }

TEST_F(TileTest, SG2_SeveralOutputs) { EXPECT_EQ(borders(kDiamond, {1, 2}), "v0 -> v1 v2"); }

TEST_F(TileTest, SG3_AConvolutionItsBiasAndRelu) {
  EXPECT_EQ(borders(R"(func.func @main(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
    %k = tsr.constant dense<0.5> : tensor<4x4x1x1xf32> -> tensor<4x4x1x1xf32>
    %b = tsr.constant dense<1.0> : tensor<4x1x1xf32> -> tensor<4x1x1xf32>
    %0 = tsr.conv %x, %k : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = tsr.add %0, %b : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
    %2 = tsr.relu %1 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    return %2 : tensor<1x4x8x8xf32>
  })",
                    {0, 1, 2}),
            "x -> v2");
}

TEST_F(TileTest, SG4_ADiamondHasOneOutput) {
  EXPECT_EQ(borders(kDiamond, {0, 1, 2, 3}), "x -> v3");
  EXPECT_TRUE(canBeTile({0, 1, 2, 3}));
}

TEST_F(TileTest, SG5_APartOfADiamondHasTwo) {
  EXPECT_EQ(borders(kDiamond, {0, 1, 2}), "x -> v1 v2");
  EXPECT_TRUE(canBeTile({0, 1, 2}));
}

TEST_F(TileTest, SG6_AValueReadInsideAndOutsideIsAnOutput) {
  EXPECT_EQ(borders(kDiamond, {0, 1}), "x -> v0 v1");
  EXPECT_TRUE(canBeTile({0, 1}));
}

TEST_F(TileTest, SG7_NoCycles) {
  EXPECT_EQ(borders(kDiamond, {0, 1, 3}), "x v2 -> v0 v3");
  EXPECT_FALSE(canBeTile({0, 1, 3}));
}

/// What TVM's labels tell: who is in it, by name.
TEST_F(TileTest, SG8_PlansNameTheirOperators) {
  borders(kDiamond, {0});
  const OperatorGraph operators(ir::entryFunction(*module_));
  const auto owners = *partition::OwnerIndex::of(*module_);
  Tile tile{.nodes = {1, 2}, .target = owners.attribute(owners[0]), .reads = {}};
  placement::FoundPlan plan;
  plan.contestants.push_back({.name = "search", .tiles = {{{.tile = tile, .rule = "fused"}}}});
  const std::string text = placement::toJson(operators, owners, plan, "here");
  EXPECT_NE(text.find("\"1 abs\",\n    \"2 exp\""), std::string::npos) << text;
}

/// A composite is one operator for who takes it and its parts for others.
TEST_F(TileTest, SG9_AValueInsideACompositeThatIsReadOutside) {
  const char* graph = R"(func.func @main(%x: $) -> ($, $) {
    %0:2 = tsr.composite "pair"(%x) {} : ($) -> ($, $) {
    ^bb0(%a: $):
      %2 = tsr.relu %a : ($) -> $
      %3 = tsr.exp %2 : ($) -> $
      tsr.yield %3, %2 : $, $
    }
    %1 = tsr.abs %0#1 : ($) -> $
    return %0#0, %1 : $, $
  })";
  EXPECT_EQ(borders(graph, {0, 1}), "x -> v0 v1");
  EXPECT_EQ(borders(graph, {1, 2}), "v0 -> v1 v2");
  EXPECT_TRUE(canBeTile({1, 2}));
}

}  // namespace
}  // namespace tessera::tests
