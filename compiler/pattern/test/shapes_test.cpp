// Diamonds, dominators and what may become one operation. Tests are named after TVM's tests of the
// same scenario (tests/python/relay/test_dataflow_pattern.py), DF_<scenario>.
#include "compiler/pattern/make_composite.h"
#include "compiler/pattern/test/graph_for_test.h"
#include "mlir/IR/Verifier.h"

namespace tessera::pattern {
namespace {

using namespace mlir;

class ShapesTest : public GraphTest {
 protected:
  /// Whether what the pattern matches at the root may become one operation.
  bool covers(const Pattern& pattern) { return covers(pattern, root().getDefiningOp()); }
  bool covers(const Pattern& pattern, Operation* at) {
    const auto found = match(pattern, at->getResult(0));
    return found && coverOf(*found, at).has_value();
  }

  /// Elementwise operators behind a relu.
  static Pattern dominated(const Pattern& parent, SideInputs sideInputs = SideInputs::kNone) {
    const Pattern path =
        anyOf({op<ir::TanhOp>(any()), op<ir::NegOp>(any()), op<ir::MulOp>(any(), any())});
    return dominates(parent, path, op<ir::AddOp>(any(), any()), sideInputs);
  }
};

const char* kDiamond = R"(%0 = tsr.relu %x : ($) -> $ loc("top")
                          %1 = tsr.tanh %0 : ($) -> $ loc("left")
                          %2 = tsr.neg %0 : ($) -> $ loc("right")
                          %3 = tsr.add %1, %2 : ($, $) -> $
                          return %3 : $)";

TEST_F(ShapesTest, DF_match_diamond) {
  graph(kDiamond);
  const Pattern top = op<ir::ReluOp>(capture("in"));
  const Pattern diamond = op<ir::AddOp>(op<ir::TanhOp>(top), op<ir::NegOp>(top));
  EXPECT_TRUE(covers(diamond));
}

TEST_F(ShapesTest, DF_no_match_diamond) {
  graph(kDiamond);
  const Pattern top = op<ir::ReluOp>(any());
  EXPECT_FALSE(matches(op<ir::AddOp>(op<ir::TanhOp>(top), top)));
  EXPECT_FALSE(matches(op<ir::AddOp>(op<ir::ReluOp>(any()), op<ir::NegOp>(top))));
}

TEST_F(ShapesTest, DF_match_fake_diamond) {
  // The two sides begin at different operators: named, they are not one top.
  graph(R"(%0 = tsr.relu %x : ($) -> $
           %1 = tsr.relu %y : ($) -> $
           %2 = tsr.tanh %0 : ($) -> $
           %3 = tsr.neg %1 : ($) -> $
           %4 = tsr.add %2, %3 : ($, $) -> $
           return %4 : $)");
  const Pattern top = allOf({op<ir::ReluOp>(any()), capture("top")});
  EXPECT_FALSE(matches(op<ir::AddOp>(op<ir::TanhOp>(top), op<ir::NegOp>(top))));
  EXPECT_FALSE(matches(dominated(op<ir::ReluOp>(any()))));
}

TEST_F(ShapesTest, DF_match_dominator) {
  graph(kDiamond);
  const Pattern pattern = dominated(op<ir::ReluOp>(any()));
  const auto found = match(pattern, root());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ops.size(), 4U);
  EXPECT_TRUE(covers(pattern));
}

TEST_F(ShapesTest, DF_match_dominator2_LongerPathsOfSeveralLengths) {
  graph(R"(%0 = tsr.relu %x : ($) -> $
           %1 = tsr.tanh %0 : ($) -> $
           %2 = tsr.neg %1 : ($) -> $
           %3 = tsr.mul %2, %0 : ($, $) -> $
           %4 = tsr.add %3, %y : ($, $) -> $
           return %4 : $)");
  EXPECT_TRUE(covers(dominated(op<ir::ReluOp>(any()), SideInputs::kAny)));
  EXPECT_FALSE(matches(dominated(op<ir::ReluOp>(any()))));  // The sum reads y, too.
}

TEST_F(ShapesTest, DF_match_dominator_NothingBetween) {
  graph("%0 = tsr.relu %x : ($) -> $\n %1 = tsr.add %0, %0 : ($, $) -> $\n return %1 : $");
  EXPECT_TRUE(matches(dominated(op<ir::ReluOp>(any()))));
}

TEST_F(ShapesTest, DF_not_match_dominator_AnOperatorThatIsNotOnThePath) {
  graph(R"(%0 = tsr.relu %x : ($) -> $
           %1 = tsr.exp %0 : ($) -> $
           %2 = tsr.neg %0 : ($) -> $
           %3 = tsr.add %1, %2 : ($, $) -> $
           return %3 : $)");
  EXPECT_FALSE(matches(dominated(op<ir::ReluOp>(any()))));
}

TEST_F(ShapesTest, DF_not_match_dominator2_AValueThatLeaves) {
  module(R"(func.func @main(%x: $) -> ($, $) {
    %0 = tsr.relu %x : ($) -> $
    %1 = tsr.tanh %0 : ($) -> $
    %2 = tsr.neg %0 : ($) -> $
    %3 = tsr.add %1, %2 : ($, $) -> $
    return %3, %2 : $, $
  })");
  EXPECT_FALSE(matches(dominated(op<ir::ReluOp>(any()))));
}

TEST_F(ShapesTest, DF_match_typed_dominator) {
  graph(kDiamond);
  const Type f32 = Builder(&context_).getF32Type(), f16 = Builder(&context_).getF16Type();
  EXPECT_TRUE(matches(dominated(hasElementType(op<ir::ReluOp>(any()), f32))));
  EXPECT_FALSE(matches(dominated(hasElementType(op<ir::ReluOp>(any()), f16))));
}

TEST_F(ShapesTest, DF_at_most_one_parent) {
  // Two candidates: the nearest one all of whose uses lead to the child.
  graph(R"(%0 = tsr.relu %x : ($) -> $ loc("far")
           %1 = tsr.tanh %0 : ($) -> $
           %2 = tsr.relu %1 : ($) -> $ loc("near")
           %3 = tsr.neg %2 : ($) -> $
           %4 = tsr.add %3, %3 : ($, $) -> $
           return %4 : $)");
  const auto found = match(dominated(allOf({op<ir::ReluOp>(any()), capture("parent")})), root());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value("parent"), value("near"));
}

TEST_F(ShapesTest, DF_partition_overused_AValueThatIsUsedOutside) {
  module(R"(func.func @main(%x: $, %y: $) -> ($, $) {
    %0 = tsr.add %x, %y : ($, $) -> $
    %1 = tsr.relu %0 : ($) -> $
    return %1, %0 : $, $
  })");
  EXPECT_TRUE(matches(op<ir::ReluOp>(op<ir::AddOp>())));
  EXPECT_FALSE(covers(op<ir::ReluOp>(op<ir::AddOp>())));
  EXPECT_TRUE(covers(op<ir::ReluOp>(any())));
}

TEST_F(ShapesTest, DF_matched_outside_but_dominated_IsNotComputedTwice) {
  // The outside user depends on the root: TVM computes the sum again there. Here it stays apart,
  // as a code generator's fused operator would be run for a value that is there already.
  graph(R"(%0 = tsr.add %x, %y : ($, $) -> $
           %1 = tsr.relu %0 : ($) -> $ loc("root")
           %2 = tsr.mul %1, %0 : ($, $) -> $
           return %2 : $)");
  EXPECT_FALSE(covers(op<ir::ReluOp>(op<ir::AddOp>()), named("root")));
  EXPECT_TRUE(covers(op<ir::MulOp>(op<ir::ReluOp>(op<ir::AddOp>(capture("a"), capture("b"))),
                                   op<ir::AddOp>(capture("a"), capture("b")))));
}

TEST_F(ShapesTest, DF_parallel_branch_with_same_input) {
  graph(R"(%0 = tsr.relu %x : ($) -> $ loc("left")
           %1 = tsr.tanh %x : ($) -> $ loc("right")
           %2 = tsr.add %0, %1 : ($, $) -> $
           return %2 : $)");
  EXPECT_TRUE(covers(op<ir::AddOp>(op<ir::ReluOp>(capture("in")), op<ir::TanhOp>(capture("in")))));
}

TEST_F(ShapesTest, ACompositeIsCoveredAsAWholeOrNotAtAll) {
  graph(R"(%1 = tsr.composite "twice"(%x) {} : ($) -> $ {
           ^bb0(%a: $):
             %s = tsr.neg %a : ($) -> $
             %m = tsr.tanh %s : ($) -> $
             tsr.yield %m : $
           }
           %2 = tsr.relu %1 : ($) -> $
           return %2 : $)");
  EXPECT_TRUE(covers(op<ir::ReluOp>(op<ir::TanhOp>(op<ir::NegOp>(any())))));
  EXPECT_TRUE(matches(op<ir::ReluOp>(op<ir::TanhOp>(any()))));
  EXPECT_FALSE(covers(op<ir::ReluOp>(op<ir::TanhOp>(any()))));
}

TEST_F(ShapesTest, DF_partition_constant_embedding) {
  graph(R"(%c = tsr.constant dense<2.0> : $ -> $
           %0 = tsr.mul %x, %c : ($, $) -> $
           %1 = tsr.relu %0 : ($) -> $
           return %1 : $)");
  const auto found = match(op<ir::ReluOp>(op<ir::MulOp>(any(), constant())), root());
  ASSERT_TRUE(found);
  const auto cover = coverOf(*found, root().getDefiningOp());
  ASSERT_TRUE(cover);
  EXPECT_EQ(inputsOf(*cover, [](OpOperand&) { return false; }).size(), 2U);
  const SmallVector<Value> inputs = inputsOf(*cover, [](OpOperand&) { return true; });
  EXPECT_EQ(inputs.size(), 1U);
  ir::CompositeOp composite = makeComposite(*cover, "fast.scaled", inputs, {});
  ASSERT_TRUE(composite);
  EXPECT_TRUE(succeeded(verify(*module_)));
  EXPECT_EQ(range_size(composite.getBody().front().without_terminator()), 3U);
}

TEST_F(ShapesTest, WhatHasBodiesThatReadFromOutsideIsNotCovered) {
  module(R"(func.func @main(%c: tensor<i1>, %x: $, %y: $) -> $ {
    %0 = tsr.if %c : (tensor<i1>) -> $ {
      tsr.yield %x : $
    } else {
      tsr.yield %y : $
    }
    return %0 : $
  })");
  EXPECT_TRUE(matches(ifElse(any(), any(), any())));
  EXPECT_FALSE(covers(ifElse(any(), any(), any())));
}

TEST_F(ShapesTest, ACoverThatReadsMoreThanItsInputsIsLeftAlone) {
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  const auto cover = coverOf(*match(op<ir::AddOp>(), root()), root().getDefiningOp());
  ASSERT_TRUE(cover);
  EXPECT_FALSE(makeComposite(*cover, "fast.sum", {argument(0)}, {}));
  EXPECT_EQ(root().getDefiningOp()->getName().getStringRef(), "tsr.add");
}

}  // namespace
}  // namespace tessera::pattern
