// Plans written by hand, applied.
#include <set>

#include "compiler/partition/test/placement_for_test.h"
#include "compiler/placement/passes.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/test/models_for_test.h"

namespace tessera::placement {
namespace {

using namespace mlir;
using backend_api::LayoutChoice;
using backend_api::Mock;
using partition::only;
using partition::Texts;

class ApplyPlanTest : public partition::PlacementTest {
 protected:
  Tile tile(llvm::SmallVector<uint32_t> nodes, const char* kind) {
    target::Target target;
    target.kind = kind;
    return {.nodes = std::move(nodes),
            .target = backend_api::toAttribute(&context_, target),
            .reads = {}};
  }

  bool apply(ModuleOp module, ArrayRef<Tile> tiles) {
    module->setAttr(kPlanAttribute, toAttribute(&context_, tiles));
    const ScopedDiagnosticHandler handler(
        &context_, [&](Diagnostic& diagnostic) { messages_ += diagnostic.str() + "\n"; });
    PassManager manager(&context_);
    buildPlannedPartition(manager, [](OpPassManager&) {});
    return succeeded(manager.run(module));
  }

  static std::string textOf(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  std::string messages_;

  static constexpr const char* kChain = R"(
    func.func @main(%x: tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32> {
      %0 = tsr.relu %x : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      %1 = tsr.exp %0 : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      %2 = tsr.relu %1 : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      return %2 : tensor<1x8x2x2xf32>
    })";

  /// Takes all in blocks of four channels, and gives such, where it is given such; else row-major.
  static std::vector<LayoutChoice> asItComes(Operation* op, Mock::Types available) {
    const bool isBlocked = !available.empty() && !ir::isPlain(available.front());
    return {partition::choiceOf(op, available, [&](RankedTensorType type) {
      return isBlocked ? partition::blockedChannels(type) : type;
    })};
  }
  static std::vector<LayoutChoice> intoBlocks(Operation* op, Mock::Types available) {
    LayoutChoice choice = partition::choiceOf(op, available, partition::blockedChannels);
    choice.operands.assign(available.begin(), available.end());
    return {choice};
  }
};

TEST_F(ApplyPlanTest, EachTileGoesToItsTarget) {
  place({{.name = "a"}, {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(apply(*module, {tile({0}, "a"), tile({1}, "host"), tile({2}, "a")})) << messages_;
  EXPECT_EQ(regions(*module), (Texts{"a: relu", "host: exp", "a: relu"}));
  EXPECT_FALSE((*module)->hasAttr(kPlanAttribute));
}

TEST_F(ApplyPlanTest, EqualRegionsOfTilesAreOne) {
  place({{.name = "a"}, {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(apply(*module, {tile({0}, "a"), tile({1}, "host"), tile({2}, "a")})) << messages_;
  EXPECT_EQ(llvm::range_size(module->getOps<func::FuncOp>()), 3);
}

TEST_F(ApplyPlanTest, RegionsOfTwoTilesKeepTheirCalls) {
  place({{.name = "a", .supports = only({"add"})}, {.name = "host"}});
  auto module = parse(R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = tsr.add %0, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %2 = tsr.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
      %3 = tsr.mul %2, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %3 : tensor<4xf32>
    })");
  ASSERT_TRUE(apply(*module, {tile({0}, "host"), tile({1}, "a"), tile({2, 3}, "host")}))
      << messages_;
  EXPECT_EQ(regions(*module), (Texts{"host: relu", "a: add", "host: exp", "host: mul"}));
}

TEST_F(ApplyPlanTest, RegionsEndWhereTilesDo) {
  place({{.name = "a", .rules = partition::merging()}, {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(apply(*module, {tile({0}, "a"), tile({1, 2}, "a")})) << messages_;
  EXPECT_EQ(regions(*module), (Texts{"a: relu", "a: exp relu"}));
}

TEST_F(ApplyPlanTest, OneTileIsGreedysPlacement) {
  place(
      {{.name = "a", .supports = only({"relu"})}, {.name = "host", .rules = partition::merging()}});
  auto greedy = parse(kChain), planned = parse(kChain);
  ASSERT_TRUE(run(*greedy)) << diagnostics();
  ASSERT_TRUE(apply(*planned, {tile({0, 1, 2}, "a")})) << messages_;
  EXPECT_EQ(textOf(*planned), textOf(*greedy));
}

TEST_F(ApplyPlanTest, ValuesStayInTheLayoutThatATileReads) {
  place({{.name = "a", .layouts = intoBlocks}, {.name = "host", .layouts = asItComes}});
  auto module = parse(kChain);
  Tile second = tile({1}, "host");
  const auto type = cast<RankedTensorType>(
      cast<func::FuncOp>(module->lookupSymbol("main")).getArgumentTypes()[0]);
  second.reads = {partition::blockedChannels(type)};
  ASSERT_TRUE(apply(*module, {tile({0}, "a"), second, tile({2}, "host")})) << messages_;
  EXPECT_EQ(regions(*module), (Texts{"a: relu", "host: exp", "host: relayout", "host: relu"}));
}

TEST_F(ApplyPlanTest, ATileHasTheLayoutsOfItsChoice) {
  const auto blocksOrRows = [](Operation* op, Mock::Types available) {
    return std::vector{intoBlocks(op, available).front(), asItComes(op, available).front()};
  };
  place({{.name = "a", .layouts = blocksOrRows}, {.name = "host"}});
  for (const uint32_t choice : {0, 1, 2}) {
    auto module = parse(kChain);
    Tile first = tile({0}, "a");
    first.choice = choice;  // The last counts where there are fewer.
    ASSERT_TRUE(apply(*module, {first, tile({1, 2}, "host")})) << messages_;
    Texts expected = {"a: relu", "host: relayout", "host: exp", "host: relu"};
    if (choice > 0) expected.erase(expected.begin() + 1);
    EXPECT_EQ(regions(*module), expected) << choice;
  }
  auto module = parse(kChain);
  Tile strange = tile({0}, "a");
  strange.choice = 1000;
  EXPECT_FALSE(apply(*module, {strange, tile({1, 2}, "host")}));
  EXPECT_NE(messages_.find("whose choice of layouts is no small number"), std::string::npos);
}

TEST_F(ApplyPlanTest, WhatATileDoesNotReadIsConverted) {
  place({{.name = "a", .layouts = intoBlocks}, {.name = "host", .layouts = asItComes}});
  auto module = parse(kChain);
  ASSERT_TRUE(apply(*module, {tile({0}, "a"), tile({1}, "host"), tile({2}, "a")})) << messages_;
  EXPECT_EQ(regions(*module),
            (Texts{"a: relu", "host: relayout", "host: exp", "a: relu", "a: relayout"}));
}

TEST_F(ApplyPlanTest, ACompositeIsWholeInATileThatHasAllOfIt) {
  place({{.name = "a", .supports = only({"composite", "exp"})}, {.name = "host"}});
  auto whole = parse(kComposite), torn = parse(kComposite);
  ASSERT_TRUE(whole);
  ASSERT_TRUE(apply(*whole, {tile({0, 1}, "a"), tile({2}, "host")})) << messages_;
  EXPECT_EQ(regions(*whole), (Texts{"a: composite", "host: abs"}));
  ASSERT_TRUE(apply(*torn, {tile({0}, "host"), tile({1}, "a"), tile({2}, "host")})) << messages_;
  EXPECT_EQ(regions(*torn), (Texts{"host: relu", "a: exp", "host: abs"}));
}

TEST_F(ApplyPlanTest, TilesCoverEveryOperatorOnce) {
  place({{.name = "a"}, {.name = "host"}});
  const auto fails = [&](ArrayRef<Tile> tiles) {
    auto module = parse(kChain);
    messages_.clear();
    return !apply(*module, tiles);
  };
  EXPECT_TRUE(fails({tile({0, 1}, "a")}));
  EXPECT_NE(messages_.find("found operator 2 in no tile of the plan"), std::string::npos);
  EXPECT_TRUE(fails({tile({0, 1}, "a"), tile({1, 2}, "a")}));
  EXPECT_NE(messages_.find("found operator 1 in two tiles of the plan"), std::string::npos);
  EXPECT_TRUE(fails({tile({0, 1, 2, 3}, "a")}));
  EXPECT_NE(messages_.find("found operator 3 in the plan of a model of 3"), std::string::npos);
  EXPECT_TRUE(fails({tile({0, 2}, "a"), tile({1}, "host")}));
  EXPECT_NE(messages_.find("wait for each other"), std::string::npos);
  EXPECT_TRUE(fails({tile({0, 1, 2}, "stranger")}));
  EXPECT_NE(messages_.find("'stranger', which is none of the module's"), std::string::npos);
}

TEST_F(ApplyPlanTest, ClassesForgetNamesAndLargeValuesOnly) {
  place({{.name = "a"}, {.name = "host"}});
  auto module = parse(kChain);
  const OperatorGraph graph(cast<func::FuncOp>(module->lookupSymbol("main")));
  const auto classOf = [&](const Tile& tile) {
    return tileClass(*extractTile(graph, tile).module);
  };
  EXPECT_EQ(classOf(tile({0}, "a")), classOf(tile({2}, "a")));
  EXPECT_NE(classOf(tile({0}, "a")), classOf(tile({1}, "a")));
  EXPECT_NE(classOf(tile({0}, "a")), classOf(tile({0}, "host")));
}

TEST_F(ApplyPlanTest, ClassesAreOfShapesTypesAttributesLayoutsAndSmallValues) {
  place({{.name = "host"}});
  auto module = parse(R"(
    func.func @main(%x: tensor<2x8xf32>, %y: tensor<2x8xf64>) -> tensor<2x8xf32> {
      %0 = tsr.softmax %x {axis = 0 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %1 = tsr.softmax %0 {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %2 = tsr.softmax %y {axis = 0 : i64} : (tensor<2x8xf64>) -> tensor<2x8xf64>
      %3 = tsr.constant dense<[8, 2]> : tensor<2xi64> -> tensor<2xi64>
      %4 = tsr.constant dense<[2, 8]> : tensor<2xi64> -> tensor<2xi64>
      %5 = tsr.reshape %1, %3 : (tensor<2x8xf32>, tensor<2xi64>) -> tensor<8x2xf32>
      %6 = tsr.softmax %5 {axis = 0 : i64} : (tensor<8x2xf32>) -> tensor<8x2xf32>
      %7 = tsr.reshape %6, %4 : (tensor<8x2xf32>, tensor<2xi64>) -> tensor<2x8xf32>
      return %7 : tensor<2x8xf32>
    })");
  const OperatorGraph graph(cast<func::FuncOp>(module->lookupSymbol("main")));
  std::set<std::string> classes;
  for (uint32_t node = 0; node < graph.size(); ++node)
    classes.insert(tileClass(*extractTile(graph, tile({node}, "host")).module));
  EXPECT_EQ(classes.size(), graph.size());  // Axis, element type, shape, and what is reshaped to.
}

}  // namespace
}  // namespace tessera::placement
