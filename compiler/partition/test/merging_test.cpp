// Regions of owners that merge, views at their borders, and their place in the block.
#include "compiler/partition/test/placement_for_test.h"

namespace tessera::partition {
namespace {

using namespace mlir;
using backend_api::RegionRules;

class MergingTest : public PlacementTest {
 protected:
  /// "all" takes everything but the named operators, which "host" has.
  void placeAllBut(const std::vector<std::string>& names, RegionRules rules = merging()) {
    place({{.name = "all",
            .supports = [names](Operation* op) -> backend_api::Support {
              if (llvm::is_contained(names, op->getName().stripDialect().str()))
                return backend_api::Declined{"not this one"};
              return backend_api::Supported{};
            },
            .rules = std::move(rules)},
           {.name = "host", .rules = {.takesViews = false}}});
  }
};

TEST_F(MergingTest, ViewsInsideARegionBelongToIt) {
  placeAllBut({});
  auto module = parse(R"(
    func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<12x5xf32>) -> tensor<2x5xf32> {
      %shape = tsr.constant dense<[2, 12]> : tensor<2xi64> -> tensor<2xi64>
      %0 = tsr.relu %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      %1 = tsr.reshape %0, %shape : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x12xf32>
      %2 = tsr.matmul %1, %w : (tensor<2x12xf32>, tensor<12x5xf32>) -> tensor<2x5xf32>
      return %2 : tensor<2x5xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: constant relu reshape matmul"}));
}

TEST_F(MergingTest, ViewsAtABorderOrAloneAreTheHostPrograms) {
  placeAllBut({});
  auto module = parse(R"(
    func.func @main(%x: tensor<2x6xf32>) -> (tensor<6x2xf32>, tensor<12xf32>, tensor<1x6xf32>) {
      %flat = tsr.constant dense<12> : tensor<1xi64> -> tensor<1xi64>
      %turned = tsr.constant dense<[6, 2]> : tensor<2xi64> -> tensor<2xi64>
      %from = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
      %to = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
      %0 = tsr.reshape %x, %flat : (tensor<2x6xf32>, tensor<1xi64>) -> tensor<12xf32>
      %1 = tsr.relu %0 : (tensor<12xf32>) -> tensor<12xf32>
      %2 = tsr.reshape %1, %turned : (tensor<12xf32>, tensor<2xi64>) -> tensor<6x2xf32>
      %3 = tsr.slice %x, %from, %to {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x6xf32>
      return %2, %0, %3 : tensor<6x2xf32>, tensor<12xf32>, tensor<1x6xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu"}));
  EXPECT_EQ(hostOperators(*module).size(), 3U);
}

TEST_F(MergingTest, ConcatenationsAtABorderAreTheHostProgramsWhereTheirPartsAreComputed) {
  placeAllBut({"exp"});
  auto module = parse(R"(
    !x = tensor<2x6xf32>
    !xx = tensor<4x6xf32>
    func.func @main(%x: !x, %y: !x) -> (!xx, !xx, !xx) {
      %0 = tsr.relu %x : (!x) -> !x
      %1 = tsr.exp %y : (!x) -> !x
      %behind = tsr.concat %0, %1 {axis = 0 : i64} : (!x, !x) -> !xx
      %2 = tsr.exp %x : (!x) -> !x
      %3 = tsr.exp %2 : (!x) -> !x
      %before = tsr.concat %2, %3 {axis = 0 : i64} : (!x, !x) -> !xx
      %4 = tsr.abs %before : (!xx) -> !xx
      %ofInput = tsr.concat %0, %y {axis = 0 : i64} : (!x, !x) -> !xx
      return %behind, %4, %ofInput : !xx, !xx, !xx
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(hostOperators(*module), (Texts{"concat", "concat"}));
}

TEST_F(MergingTest, ARegionWithSeveralExitsStandsBeforeTheirUses) {
  placeAllBut({"exp"});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
      return %1, %2 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu abs", "host: exp"}));
}

TEST_F(MergingTest, NoRegionDependsOnItself) {
  placeAllBut({"exp"});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.add %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu", "host: exp", "all: add"}));
}

TEST_F(MergingTest, ABranchThatAnotherOwnerHasDoesNotPartTheRest) {
  placeAllBut({"exp"});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.add %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: exp", "all: relu add"}));
}

const char* kLongChain = R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.neg %1 : (tensor<8xf32>) -> tensor<8xf32>
      %3 = tsr.ceil %2 : (tensor<8xf32>) -> tensor<8xf32>
      return %3 : tensor<8xf32>
    })";

TEST_F(MergingTest, StopsAtTheLimitOfOperations) {
  placeAllBut({}, {.mergesOperators = true, .maxOperations = 3});
  auto module = parse(kLongChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu abs neg", "all: ceil"}));
}

TEST_F(MergingTest, StopsAtTheLimitOfDepth) {
  placeAllBut({}, {.mergesOperators = true, .maxDepth = 2});
  auto module = parse(kLongChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu abs", "all: neg ceil"}));
}

TEST_F(MergingTest, ADiamondHasOneExitThoughItsPartsHaveTwo) {
  placeAllBut({}, {.mergesOperators = true, .maxExits = 1});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.neg %0 : (tensor<8xf32>) -> tensor<8xf32>
      %3 = tsr.add %1, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %3 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu abs neg add"}));
}

TEST_F(MergingTest, KeepsToTheLimitOfExits) {
  placeAllBut({}, {.mergesOperators = true, .maxExits = 1});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu", "all: abs"}));
}

TEST_F(MergingTest, BodiesOfControlFlowArePlacedToo) {
  place({{.name = "all", .supports = only({"relu", "abs", "neg"}), .rules = merging()},
         {.name = "loops", .supports = only({"exp"})}});  // Nobody takes the tsr.if as a whole.
  auto module = parse(R"(
    func.func @main(%c: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.if %c : (tensor<i1>) -> tensor<8xf32> {
        %2 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
        %3 = tsr.neg %2 : (tensor<8xf32>) -> tensor<8xf32>
        tsr.yield %3 : tensor<8xf32>
      } else {
        %4 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
        tsr.yield %4 : tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"all: relu"}));
  auto branch = *ir::entryFunction(*module).getOps<ir::IfOp>().begin();
  EXPECT_EQ(regions(*module, branch.getThenBranch().front()), (Texts{"all: abs neg"}));
  EXPECT_EQ(regions(*module, branch.getElseBranch().front()), (Texts{"loops: exp"}));
}

TEST_F(MergingTest, EveryFunctionIsPlaced) {
  placeAllBut({});
  auto module = parse(R"(
    func.func private @part(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.abs %x : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @part(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  auto part = module->lookupSymbol<func::FuncOp>("part");
  EXPECT_EQ(regions(*module, part.getBody().front()), (Texts{"all: abs"}));
}

TEST_F(MergingTest, AnOwnerIsAskedAboutManyOperatorsInOneCall) {
  size_t queries = 0;
  place({{.name = "host", .queries = &queries}});
  auto module = parse(kLongChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(queries, 1U);
}

}  // namespace
}  // namespace tessera::partition
