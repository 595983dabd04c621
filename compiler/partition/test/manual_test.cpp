// What people say about placing: marks, rules; and rules of owners about regions.
#include "compiler/partition/pins.h"
#include "compiler/partition/test/placement_for_test.h"
#include "mlir/AsmParser/AsmParser.h"

namespace tessera::partition {
namespace {

using namespace mlir;

const char* kNamed = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32> loc("block1/relu")
      %1 = tsr.abs %0 : (tensor<4xf32>) -> tensor<4xf32> loc("block1/abs")
      %2 = tsr.relu %1 : (tensor<4xf32>) -> tensor<4xf32> loc("block2/relu")
      return %2 : tensor<4xf32>
    })";

class PinsTest : public PlacementTest {
 protected:
  /// Places kNamed over "first", which takes relu, "second", which takes all, and the host.
  bool runWith(const std::string& pins) {
    place({{.name = "first", .supports = only({"relu"})}, {.name = "second"}, {.name = "host"}});
    module_ = parse(kNamed);
    const Attribute rules = parseAttribute(pins, &context_);
    EXPECT_TRUE(rules) << pins;
    (*module_)->setAttr(kPinsAttribute, rules);
    return run(*module_);
  }
  OwningOpRef<ModuleOp> module_;
};

TEST_F(PinsTest, TheFirstRuleThatFitsCounts) {
  ASSERT_TRUE(runWith(R"([{node = "block1/.*", must = "host"}, {op = "Relu", forbid = "first"}])"))
      << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"host: relu", "host: abs", "second: relu"}));
}

TEST_F(PinsTest, APreferredTargetIsAskedFirst) {
  ASSERT_TRUE(runWith(R"([{prefer = "host", rank = 1 : i64, dims = [-1], dtype = "f32"}])"))
      << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"host: relu", "host: abs", "host: relu"}));
}

TEST_F(PinsTest, APreferenceThatCannotBeHadIsNone) {
  ASSERT_TRUE(runWith(R"([{op = "abs", prefer = "first"}])")) << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"first: relu", "second: abs", "first: relu"}));
}

TEST_F(PinsTest, RulesThatFitNothingChangeNothing) {
  ASSERT_TRUE(runWith(R"([{node = "block1", must = "host"}, {rank = 2 : i64, must = "host"},
                          {dims = [5], must = "host"}, {dtype = "f16", must = "host"}])"))
      << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"first: relu", "second: abs", "first: relu"}));
}

TEST_F(PinsTest, ABrokenMustNamesTheRule) {
  EXPECT_FALSE(runWith(R"([{op = "conv", must = "host"}, {node = ".*/abs", must = "first"}])"));
  EXPECT_NE(diagnostics().find("no target takes tsr.abs (first: it takes no abs; second: rule 2 "
                               "(node '.*/abs' must first)"),
            std::string::npos)
      << diagnostics();
}

const char* kNamedSilu = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %1 = tsr.composite "silu"(%x) {} : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %s = tsr.sigmoid %a : (tensor<4xf32>) -> tensor<4xf32> loc("sigmoid")
        %m = tsr.mul %a, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("mul")
        tsr.yield %m : tensor<4xf32>
      } loc(fused["sigmoid", "mul"])
      return %1 : tensor<4xf32>
    })";

/// A rule about kNamedSilu, over "whole", which takes composites, "second" and the host, which take
/// all.
struct RuleInside {
  const char* rules;
  Texts regions;
};
class PinsInsideTest : public PlacementTest, public testing::WithParamInterface<RuleInside> {};

TEST_P(PinsInsideTest, ReachOperatorsOfComposites) {
  place({{.name = "whole", .supports = only({"composite"})}, {.name = "second"}, {.name = "host"}});
  const OwningOpRef<ModuleOp> module = parse(kNamedSilu);
  (*module)->setAttr(kPinsAttribute, parseAttribute(GetParam().rules, &context_));
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), GetParam().regions);
}

INSTANTIATE_TEST_SUITE_P(
    All, PinsInsideTest,
    testing::Values(
        RuleInside{"[]", {"whole: composite"}},
        RuleInside{R"([{node = "mul", must = "second"}])", {"second: composite"}},
        RuleInside{R"([{op = "mul", forbid = "whole"}])", {"second: composite"}},
        RuleInside{R"([{op = "mul", must = "host"}, {op = "sigmoid", must = "second"}])",
                   {"second: sigmoid", "host: mul"}},
        RuleInside{R"([{op = "silu", must = "host"}])", {"host: composite"}},
        RuleInside{R"([{op = "silu", prefer = "host"}])", {"host: composite"}},
        RuleInside{R"([{op = "sigmoid", prefer = "host"}, {op = "silu", forbid = "whole"}])",
                   {"host: composite"}}));

TEST_F(PinsTest, WhatIsPreferredIsWhenACompositeIsExpanded) {
  place({{.name = "first", .supports = only({"sigmoid", "mul"})},
         {.name = "second", .supports = only({"sigmoid", "mul"})},
         {.name = "host", .supports = only({})}});
  module_ = parse(kNamedSilu);
  (*module_)->setAttr(kPinsAttribute,
                      parseAttribute(R"([{op = "silu", prefer = "second"}])", &context_));
  ASSERT_TRUE(run(*module_)) << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"second: sigmoid", "second: mul"}));
}

TEST_F(PinsTest, APreferredTargetsPatternsComeFirst) {
  using pattern::any;
  using pattern::op;
  place({{.name = "first"},
         {.name = "fast",
          .supports = only({"composite"}),
          .patterns = {{"abs_relu", op<ir::AbsOp>(op<ir::ReluOp>(any()))}}},
         {.name = "host"}});
  module_ = parse(kNamed);
  (*module_)->setAttr(kPinsAttribute,
                      parseAttribute(R"([{node = "block1/.*", prefer = "fast"}])", &context_));
  ASSERT_TRUE(run(*module_)) << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"fast: composite", "first: relu"}));
}

TEST_F(PinsTest, AMustHoldsForControlFlow) {
  place({{.name = "first", .supports = only({"relu"})},
         {.name = "host", .supports = only({"relu"})}});
  module_ = parse(R"(
    func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tsr.if %c : (tensor<i1>) -> tensor<4xf32> {
        %1 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
        tsr.yield %1 : tensor<4xf32>
      } else {
        tsr.yield %x : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    })");
  ASSERT_TRUE(module_);
  OwningOpRef<ModuleOp> free = module_->clone();
  EXPECT_TRUE(run(*free)) << diagnostics();
  (*module_)->setAttr(kPinsAttribute,
                      parseAttribute(R"([{op = "If", must = "first"}])", &context_));
  EXPECT_FALSE(run(*module_));
  EXPECT_NE(diagnostics().find("rule 1 (op 'If' must first)"), std::string::npos) << diagnostics();
}

struct BadRule {
  const char* rules;
  const char* message;
};
class BadPinsTest : public PinsTest, public testing::WithParamInterface<BadRule> {};

TEST_P(BadPinsTest, IsRefused) {
  EXPECT_FALSE(runWith(GetParam().rules));
  EXPECT_NE(diagnostics().find(GetParam().message), std::string::npos) << diagnostics();
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPinsTest,
    testing::Values(
        BadRule{R"("none")", "tessera.pins is no list of rules"},
        BadRule{R"(["none"])", "rule 1 about placing: no dictionary"},
        BadRule{R"([{op = "relu"}])", "found none of must, prefer and forbid, expected one"},
        BadRule{R"([{must = "host", forbid = "first"}])", "found two of must, prefer and forbid"},
        BadRule{R"([{must = "host", node = "("}])", "field 'node', expected a regular expression"},
        BadRule{R"([{must = "host", rank = "1"}])", "field 'rank', expected a whole number"},
        BadRule{R"([{must = "host", nodes = "a"}])", "field 'nodes', expected node, op, dtype"},
        BadRule{R"([{must = "gpu"}])",
                "rule 1 (must gpu) names target 'gpu', which is none of the module's"}));

class MarksTest : public PlacementTest {
 protected:
  /// With "fast", which takes all but abs, and the host.
  bool runOn(const std::string& body) {
    place({{.name = "fast", .supports = only({"relu", "add", "neg"})}, {.name = "host"}});
    module_ = parse("func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {" +
                    body + "}");
    EXPECT_TRUE(module_);
    return module_ && run(*module_);
  }
  OwningOpRef<ModuleOp> module_;
};

TEST_F(MarksTest, WhatStandsBetweenIsOneRegion) {
  ASSERT_TRUE(runOn(R"(
      %a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
      %b = tsr.compiler_begin "fast" %y : (tensor<4xf32>) -> tensor<4xf32>
      %0 = tsr.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = tsr.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
      %2 = tsr.compiler_end "fast" %1 : (tensor<4xf32>) -> tensor<4xf32>
      %3 = tsr.neg %2 : (tensor<4xf32>) -> tensor<4xf32>
      return %3 : tensor<4xf32>)"))
      << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"fast: add relu", "fast: neg"}));
}

TEST_F(MarksTest, WhatIsMarkedMeetsThePatternTable) {
  using pattern::any;
  using pattern::op;
  place({{.name = "fast",
          .supports = only({"composite"}),
          .patterns = {{"add_relu", op<ir::ReluOp>(op<ir::AddOp>(any(), any()))}}},
         {.name = "host"}});
  module_ = parse(R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
      %b = tsr.compiler_begin "fast" %y : (tensor<4xf32>) -> tensor<4xf32>
      %0 = tsr.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = tsr.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
      %2 = tsr.add %1, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %3 = tsr.relu %2 : (tensor<4xf32>) -> tensor<4xf32>
      %4 = tsr.compiler_end "fast" %3 : (tensor<4xf32>) -> tensor<4xf32>
      return %4 : tensor<4xf32>
    })");
  ASSERT_TRUE(run(*module_)) << diagnostics();
  EXPECT_EQ(regions(*module_), (Texts{"fast: composite composite"}));
}

struct BadMark {
  const char* body;
  const char* message;
};
class BadMarksTest : public MarksTest, public testing::WithParamInterface<BadMark> {};

TEST_P(BadMarksTest, IsRefused) {
  EXPECT_FALSE(runOn(GetParam().body));
  EXPECT_NE(diagnostics().find(GetParam().message), std::string::npos) << diagnostics();
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMarksTest,
    testing::Values(BadMark{R"(%a = tsr.compiler_begin "gpu" %x : (tensor<4xf32>) -> tensor<4xf32>
                   return %a : tensor<4xf32>)",
                            "found a mark for target 'gpu', which is none of the module's"},
                    BadMark{R"(%a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
                   %0 = tsr.relu %a : (tensor<4xf32>) -> tensor<4xf32>
                   return %0 : tensor<4xf32>)",
                            "expected tsr.compiler_end before"},
                    BadMark{R"(%0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
                   %1 = tsr.compiler_end "fast" %0 : (tensor<4xf32>) -> tensor<4xf32>
                   return %1 : tensor<4xf32>)",
                            "ends no marked part: its value comes from outside"},
                    BadMark{R"(%a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
                   %0 = tsr.add %a, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
                   %1 = tsr.compiler_end "fast" %0 : (tensor<4xf32>) -> tensor<4xf32>
                   return %1 : tensor<4xf32>)",
                            "and one that is not, expected tsr.compiler_begin on it"},
                    BadMark{R"(%a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
                   %b = tsr.compiler_begin "host" %y : (tensor<4xf32>) -> tensor<4xf32>
                   %0 = tsr.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
                   %1 = tsr.compiler_end "fast" %0 : (tensor<4xf32>) -> tensor<4xf32>
                   return %1 : tensor<4xf32>)",
                            "reads values that are marked for two targets, 'fast' and 'host'"},
                    BadMark{R"(%a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
                   %0 = tsr.relu %a : (tensor<4xf32>) -> tensor<4xf32>
                   %1 = tsr.compiler_end "host" %0 : (tensor<4xf32>) -> tensor<4xf32>
                   return %1 : tensor<4xf32>)",
                            "ends a part that is marked for target 'fast'"},
                    BadMark{R"(%a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
                   %b = tsr.compiler_begin "fast" %a : (tensor<4xf32>) -> tensor<4xf32>
                   return %b : tensor<4xf32>)",
                            "marks a value that is marked already"},
                    BadMark{
                        R"(%a = tsr.compiler_begin "fast" %x : (tensor<4xf32>) -> tensor<4xf32>
                   %0 = tsr.abs %a : (tensor<4xf32>) -> tensor<4xf32>
                   %1 = tsr.compiler_end "fast" %0 : (tensor<4xf32>) -> tensor<4xf32>
                   return %1 : tensor<4xf32>)",
                        "is marked for target 'fast', which does not take it: it takes no abs"}));

const char* kThreeRegions = R"(
    func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = tsr.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = tsr.abs %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = tsr.matmul %1, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %3 = tsr.relu %2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %4 = tsr.abs %3 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %5 = tsr.relu %4 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %6 = tsr.relu %5 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %7 = tsr.relu %6 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %7 : tensor<4x4xf32>
    })";

class PruningTest : public PlacementTest {
 protected:
  /// Regions with an owner that takes relu and matmul and merges.
  Texts regionsWith(backend_api::RegionRules rules) {
    rules.mergesOperators = true;
    place({{.name = "fast", .supports = only({"relu", "matmul"}), .rules = std::move(rules)},
           {.name = "host"}});
    module_ = parse(kThreeRegions);
    EXPECT_TRUE(run(*module_)) << diagnostics();
    return regions(*module_);
  }
  OwningOpRef<ModuleOp> module_;
};

TEST_F(PruningTest, RegionsWithoutAnAnchorGoToOthers) {
  EXPECT_EQ(regionsWith({.anchors = {"conv", "matmul"}}),
            (Texts{"host: relu", "host: abs", "fast: matmul relu", "host: abs", "host: relu",
                   "host: relu", "host: relu"}));
  const std::vector<Exclusion> exclusions = exclusionsOf(*module_);
  ASSERT_FALSE(exclusions.empty());
  EXPECT_TRUE(exclusions.front().isPruned);
  EXPECT_EQ(exclusions.front().reason,
            "a region without any of conv, matmul is not worth its borders");
}

TEST_F(PruningTest, SmallRegionsGoToOthers) {
  EXPECT_EQ(
      regionsWith({.minOperations = 2}),
      (Texts{"host: relu", "host: abs", "fast: matmul relu", "host: abs", "fast: relu relu relu"}));
}

TEST_F(PruningTest, TheLargestRegionsStay) {
  EXPECT_EQ(regionsWith({.maxRegions = 1}),
            (Texts{"host: relu", "host: abs", "fast: matmul relu", "host: abs", "host: relu",
                   "host: relu", "host: relu"}));
}

TEST_F(PruningTest, PlacedRegionsCanBePutBack) {
  EXPECT_EQ(regionsWith({}).size(), 5U);
  PassManager manager(&context_);
  manager.addPass(createInlineRegionsPass({.targets = {"fast"}}));
  ASSERT_TRUE(succeeded(manager.run(*module_)));
  EXPECT_EQ(regions(*module_), (Texts{"host: abs", "host: abs"}));
  EXPECT_EQ(hostOperators(*module_), (Texts{"relu", "matmul", "relu", "relu", "relu", "relu"}));
}

}  // namespace
}  // namespace tessera::partition
