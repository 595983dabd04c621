// Layouts and memory spaces at borders, and who converts between them.
#include "compiler/partition/test/placement_for_test.h"

namespace tessera::partition {
namespace {

using namespace mlir;
using backend_api::Declined;
using backend_api::LayoutChoice;
using backend_api::Support;
using backend_api::Supported;

class LayoutsTest : public PlacementTest {
 protected:
  /// Takes `names` in blocks of four channels and, with `converts`, relayouts.
  static Mock blocked(std::vector<std::string> names, bool converts) {
    if (converts) names.emplace_back("relayout");
    return {.name = "blocked",
            .supports = only(std::move(names)),
            .layouts = [](Operation* op, Mock::Types available) {
              return std::vector<LayoutChoice>{choiceOf(op, available, blockedChannels)};
            }};
  }
  static Mock host(bool converts) {
    return {.name = "host",
            .supports = [converts](Operation* op) -> Support {
              if (isa<ir::RelayoutOp, ir::CopyOp>(op) && !converts)
                return Declined{"it converts nothing"};
              return Supported{};
            },
            .rules = {.takesViews = false}};
  }

  static constexpr const char* kRelu = R"(
    func.func @main(%x: tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32> {
      %0 = tsr.relu %x : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      %1 = tsr.exp %0 : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      return %1 : tensor<1x8x2x2xf32>
    })";
};

TEST_F(LayoutsTest, ARelayoutBelongsToTheConsumerThatTakesIt) {
  place({blocked({"relu"}, true), host(true)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module),
            (Texts{"blocked: relayout", "blocked: relu", "host: relayout", "host: exp"}));
}

TEST_F(LayoutsTest, ElseToTheProducer) {
  place({blocked({"relu"}, true), host(false)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module),
            (Texts{"blocked: relayout", "blocked: relu", "blocked: relayout", "host: exp"}));
}

TEST_F(LayoutsTest, ElseToTheHost) {
  place({blocked({"relu"}, false), host(true)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module),
            (Texts{"host: relayout", "blocked: relu", "host: relayout", "host: exp"}));
}

TEST_F(LayoutsTest, AHostThatIsListedFirstConvertsAsWell) {
  Mock first = host(true);
  first.isHost = true;
  first.supports = only({"exp", "relayout"});
  place({first, blocked({"relu"}, false)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module),
            (Texts{"host: relayout", "blocked: relu", "host: relayout", "host: exp"}));
}

TEST_F(LayoutsTest, AChoiceOfTooFewLayoutsIsNone) {
  Mock mock = blocked({"relu"}, true);
  bool hasAnother = true;
  mock.layouts = [&](Operation* op, Mock::Types available) {
    std::vector<LayoutChoice> choices = {choiceOf(op, available, blockedChannels)};
    if (hasAnother) choices.insert(choices.begin(), choices.front());
    choices.front().operands.pop_back();
    return choices;
  };
  place({mock, host(true)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module)[1], "blocked: relu");
  hasAnother = false;
  module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: relu", "host: exp"}));
  const std::vector<Exclusion> exclusions = exclusionsOf(*module);
  ASSERT_EQ(exclusions.size(), 1);
  EXPECT_EQ(exclusions[0].target.getKind(), "blocked");
  EXPECT_EQ(exclusions[0].reason,
            "it chose layouts of 0 operands and 1 results, expected 1 operands and 1 results");
}

TEST_F(LayoutsTest, AnOwnerWhoseLayoutNobodyMakesLosesTheOperator) {
  place({blocked({"relu"}, false), host(false)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: relu", "host: exp"}));
}

TEST_F(LayoutsTest, TheFirstChoiceThatCanBeHadCounts) {
  Mock mock = blocked({"relu"}, false);
  mock.layouts = [](Operation* op, Mock::Types available) {
    return std::vector<LayoutChoice>{
        choiceOf(op, available, blockedChannels),
        choiceOf(op, available, [](RankedTensorType type) { return type; })};
  };
  place({mock, host(false)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"blocked: relu", "host: exp"}));
}

TEST_F(LayoutsTest, ArgumentsCallsAndViewsHaveLayoutsToo) {
  place({blocked({"relu"}, true), host(true)});
  auto module = parse(R"(
    !b = tensor<1x8x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [4]>>
    func.func private @made() -> !b
    func.func @main(%x: !b) -> (tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32>, tensor<1x4x2x2xf32>) {
      %from = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
      %to = tsr.constant dense<4> : tensor<1xi64> -> tensor<1xi64>
      %axis = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
      %0 = tsr.exp %x : (!b) -> tensor<1x8x2x2xf32>
      %1 = call @made() : () -> !b
      %2 = tsr.exp %1 : (!b) -> tensor<1x8x2x2xf32>
      %3 = tsr.slice %x, %from, %to, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (!b, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [4]>>
      %4 = tsr.exp %3 : (tensor<1x4x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [4]>>) -> tensor<1x4x2x2xf32>
      return %0, %2, %4 : tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32>, tensor<1x4x2x2xf32>
    })");
  ASSERT_TRUE(module);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module).front(), "host: relayout");
}

TEST_F(LayoutsTest, ARegionIsAskedOnceAndConvertsInside) {
  Mock all = blocked({"relu", "abs", "exp"}, true);
  all.rules = merging();
  place({all, host(true)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"blocked: relayout", "blocked: relayout relu exp relayout",
                                     "blocked: relayout"}));
}

TEST_F(LayoutsTest, ARegionWhoseOwnerDoesNotConvertInsideStaysAsItIs) {
  Mock all = blocked({"relu", "abs", "exp"}, false);
  all.rules = merging();
  all.layouts = [](Operation* op, Mock::Types available) {
    return std::vector{choiceOf(op, available, blockedChannels),
                       choiceOf(op, available, [](RankedTensorType type) { return type; })};
  };
  place({all, host(true)});
  auto module = parse(kRelu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"blocked: relu exp"}));
}

TEST_F(LayoutsTest, CopiesStandBetweenMemorySpaces) {
  const Mock far{.name = "far",
                 .supports = only({"relu", "abs", "copy"}),
                 .rules = merging(),
                 .layouts = [](Operation* op, Mock::Types available) {
                   return std::vector<LayoutChoice>{choiceOf(op, available, inFarSpace)};
                 }};
  place({far, host(false)});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.exp %1 : (tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"far: copy", "far: relu abs", "far: copy", "host: exp"}));
  auto region = module->lookupSymbol<func::FuncOp>("far_0");
  ASSERT_TRUE(region);
  region.walk([](Operation* op) {
    for (const Type type : op->getResultTypes())
      EXPECT_EQ(ir::spaceOf(cast<RankedTensorType>(type)), "far:1");
  });
}

/// Takes relu, abs and concatenations in its own memory, and copies.
Mock farMemory() {
  return {.name = "far",
          .supports = only({"relu", "abs", "concat", "copy"}),
          .rules = merging(),
          .layouts = [](Operation* op, Mock::Types available) {
            return std::vector<LayoutChoice>{choiceOf(op, available, inFarSpace)};
          }};
}

// One copy, of the part that is read, by who made the whole.
TEST_F(LayoutsTest, AViewLiesWhereWhatItViewsLies) {
  place({farMemory(), host(false)});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<2x2xf32> {
      %from = tsr.constant dense<4> : tensor<1xi64> -> tensor<1xi64>
      %to = tsr.constant dense<8> : tensor<1xi64> -> tensor<1xi64>
      %shape = tsr.constant dense<2> : tensor<2xi64> -> tensor<2xi64>
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.slice %0, %from, %to {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
      %2 = tsr.reshape %1, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
      %3 = tsr.exp %2 : (tensor<2x2xf32>) -> tensor<2x2xf32>
      return %3 : tensor<2x2xf32>
    })");
  ASSERT_TRUE(module);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"far: copy", "far: relu", "far: copy", "host: exp"}));
}

TEST_F(LayoutsTest, WhatTheHostHasForNothingIsNotCarriedElsewhere) {
  place({farMemory(), host(false)});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<16xf32> {
      %0 = tsr.concat %x, %x {axis = 0 : i64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
      return %0 : tensor<16xf32>
    })");
  ASSERT_TRUE(module);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), Texts());
}

TEST_F(LayoutsTest, TheEntryFunctionSaysWhereItsResultsLie) {
  place({farMemory(), host(false)});
  auto module = parse(R"(
    !far = tensor<8xf32, #tsr.layout<space = "far:1">>
    func.func @main(%x: !far) -> !far {
      %0 = tsr.relu %x : (!far) -> !far
      return %0 : !far
    })");
  ASSERT_TRUE(module);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), Texts{"far: relu"});
}

TEST_F(LayoutsTest, ACompositeTakesItsLayoutInside) {
  const Mock blockedComposites = blocked({"composite"}, true);
  place({blockedComposites, host(true)});
  auto module = parse(R"(
    func.func @main(%x: tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32> {
      %0 = tsr.composite "twice"(%x) : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32> {
      ^bb0(%a: tensor<1x8x2x2xf32>):
        %1 = tsr.add %a, %a : (tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
        tsr.yield %1 : tensor<1x8x2x2xf32>
      }
      return %0 : tensor<1x8x2x2xf32>
    })");
  ASSERT_TRUE(module);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module),
            (Texts{"blocked: relayout", "blocked: composite", "blocked: relayout"}));
}

}  // namespace
}  // namespace tessera::partition
