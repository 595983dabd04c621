// Every kind of pattern, matching and not. Tests are named after TVM's tests of the same scenario
// (tests/python/relay/test_dataflow_pattern.py), DF_<scenario>.
#include "compiler/pattern/test/graph_for_test.h"

namespace tessera::pattern {
namespace {

using namespace mlir;

class KindsTest : public GraphTest {};

TEST_F(KindsTest, DF_match_op) {
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(op<ir::AddOp>()));
  EXPECT_FALSE(matches(op<ir::SubOp>()));
  EXPECT_FALSE(match(op<ir::AddOp>(), argument(0)));
}

TEST_F(KindsTest, DF_match_op_or) {
  const Pattern either = anyOf({op<ir::AddOp>(), op<ir::SubOp>()});
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(either));
  graph("%0 = tsr.sub %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(either));
  graph("%0 = tsr.mul %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_FALSE(matches(either));
}

TEST_F(KindsTest, DF_match_call_commutive) {
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  const Pattern x = exactly(argument(0)), y = exactly(argument(1));
  EXPECT_TRUE(matches(either<ir::AddOp>(x, y)));
  EXPECT_TRUE(matches(either<ir::AddOp>(y, x)));
  EXPECT_TRUE(matches(op<ir::AddOp>(x, y)));
}

TEST_F(KindsTest, DF_no_match_call_commutive) {
  graph("%0 = tsr.sub %x, %y : ($, $) -> $\n return %0 : $");
  const Pattern x = exactly(argument(0)), y = exactly(argument(1));
  EXPECT_TRUE(matches(op<ir::SubOp>(x, y)));
  EXPECT_FALSE(matches(op<ir::SubOp>(y, x)));
}

TEST_F(KindsTest, DF_match_call_CallsHaveTheOperandsThatAreListed) {
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(op<ir::AddOp>(any(), any())));
  EXPECT_FALSE(matches(op<ir::AddOp>(any())));
  EXPECT_FALSE(matches(op<ir::AddOp>(any(), any(), any())));
  EXPECT_TRUE(matches(op<ir::AddOp>(any(), more())));
  EXPECT_TRUE(matches(op<ir::AddOp>(any(), any(), more())));
}

TEST_F(KindsTest, DF_match_expr) {
  graph("%0 = tsr.relu %x : ($) -> $ loc(\"r\")\n return %0 : $");
  EXPECT_TRUE(matches(exactly(value("r"))));
  EXPECT_FALSE(matches(exactly(argument(0))));
}

TEST_F(KindsTest, DF_VarPattern) {
  graph("%0 = tsr.sub %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(op<ir::SubOp>(pattern::argument(), pattern::argument(1))));
  EXPECT_FALSE(matches(op<ir::SubOp>(pattern::argument(1), any())));
  EXPECT_FALSE(matches(pattern::argument()));
}

TEST_F(KindsTest, DF_wildcard_OneNameIsOneValue) {
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(op<ir::AddOp>(any(), any())));
  EXPECT_TRUE(matches(op<ir::AddOp>(capture("a"), capture("b"))));
  EXPECT_FALSE(matches(op<ir::AddOp>(capture("a"), capture("a"))));
  graph("%0 = tsr.add %x, %x : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(op<ir::AddOp>(capture("a"), capture("a"))));
}

TEST_F(KindsTest, DF_match_const) {
  graph(R"(%two = tsr.constant dense<2.0> : $ -> $
           %0 = tsr.mul %x, %two : ($, $) -> $
           return %0 : $)");
  EXPECT_TRUE(matches(op<ir::MulOp>(any(), constant())));
  EXPECT_TRUE(matches(op<ir::MulOp>(any(), scalar(2))));
  EXPECT_TRUE(matches(op<ir::MulOp>(any(), scalar("factor"))));
  EXPECT_FALSE(matches(op<ir::MulOp>(any(), scalar(3))));
  EXPECT_FALSE(matches(op<ir::MulOp>(constant(), any())));
}

TEST_F(KindsTest, DF_match_option) {
  const Step relu = [](const Pattern& before) { return op<ir::ReluOp>(before); };
  const Pattern pattern = optionally(op<ir::AddOp>(any(), any()), relu);
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  EXPECT_TRUE(matches(pattern));
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n %1 = tsr.relu %0 : ($) -> $\n return %1 : $");
  ASSERT_TRUE(matches(pattern));
  EXPECT_EQ(match(pattern, root())->ops.size(), 2U);
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n %1 = tsr.tanh %0 : ($) -> $\n return %1 : $");
  EXPECT_FALSE(matches(pattern));
}

TEST_F(KindsTest, DF_match_tuple_OperandsThatAreMany) {
  module(R"(func.func @main(%x: $, %y: $, %z: $) -> tensor<12xf32> {
    %r = tsr.relu %x : ($) -> $
    %0 = tsr.concat %r, %y, %z {axis = 0 : i64} : ($, $, $) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  })");
  const Pattern relu = op<ir::ReluOp>(any());
  EXPECT_TRUE(matches(op<ir::ConcatOp>(relu, any(), any())));
  EXPECT_FALSE(matches(op<ir::ConcatOp>(any(), relu, any())));
  EXPECT_FALSE(matches(op<ir::ConcatOp>(relu, any())));
  EXPECT_TRUE(matches(op<ir::ConcatOp>(relu, more())));  // DF_match_fuzzy_tuple
  EXPECT_TRUE(matches(op<ir::ConcatOp>(relu, every(pattern::argument()))));
  EXPECT_FALSE(matches(op<ir::ConcatOp>(every(pattern::argument()))));
  // Relax: UnorderedTuplePattern.
  EXPECT_TRUE(matches(unordered("tsr.concat", {any(), any(), relu})));
  EXPECT_FALSE(matches(unordered("tsr.concat", {any(), relu, relu})));
}

TEST_F(KindsTest, DF_match_tuple_get_item) {
  module(R"(func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
    %sizes = tsr.constant dense<4> : tensor<2xi64> -> tensor<2xi64>
    %0:2 = tsr.split %x, %sizes {axis = 0 : i64} : (tensor<8xf32>, tensor<2xi64>) -> (tensor<4xf32>, tensor<4xf32>)
    return %0#1 : tensor<4xf32>
  })");
  EXPECT_TRUE(matches(result<ir::SplitOp>(1, any(), any())));
  EXPECT_TRUE(matches(result<ir::SplitOp>(kAnyResult, any(), any())));
  EXPECT_FALSE(matches(result<ir::SplitOp>(0, any(), any())));
  EXPECT_FALSE(matches(op<ir::SplitOp>(any(), any())));
}

TEST_F(KindsTest, DF_match_type) {
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  const Type f32 = Builder(&context_).getF32Type(), f16 = Builder(&context_).getF16Type();
  EXPECT_TRUE(matches(hasType(any(), RankedTensorType::get({4}, f32))));
  EXPECT_FALSE(matches(hasType(any(), RankedTensorType::get({5}, f32))));
  EXPECT_TRUE(matches(hasElementType(any(), f32)));  // DF_match_dtype
  EXPECT_FALSE(matches(hasElementType(any(), f16)));
  EXPECT_TRUE(matches(hasShape(any(), {4})));  // DF_match_shape
  EXPECT_FALSE(matches(hasShape(any(), {4, 4})));
  EXPECT_TRUE(matches(hasRank(any(), 1)));
  EXPECT_FALSE(matches(hasRank(any(), 2)));
}

TEST_F(KindsTest, DF_SameShapeConstraint) {
  module(R"(func.func @main(%x: $, %s: tensor<1xf32>) -> $ {
    %0 = tsr.relu %x : ($) -> $
    %1 = tsr.add %0, %x : ($, $) -> $ loc("same")
    %2 = tsr.add %0, %s : ($, tensor<1xf32>) -> $ loc("other")
    return %1 : $
  })");
  const Pattern sum = op<ir::AddOp>(capture("a"), sameShapeAs(any(), "a"));
  EXPECT_TRUE(matches(sum, "same"));
  EXPECT_FALSE(matches(sum, "other"));
  EXPECT_FALSE(matches(sameShapeAs(any(), "nobody"), "same"));
}

TEST_F(KindsTest, DF_match_call_attr) {
  module(R"(func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = tsr.softmax %x {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  })");
  Builder builder(&context_);
  const Pattern softmax = op<ir::SoftmaxOp>(any());
  EXPECT_TRUE(matches(hasAttribute(softmax, "axis", builder.getI64IntegerAttr(1))));
  EXPECT_FALSE(matches(hasAttribute(softmax, "axis", builder.getI64IntegerAttr(0))));
  EXPECT_FALSE(matches(hasAttribute(softmax, "axle", builder.getI64IntegerAttr(1))));
  const auto isPositive = [](Attribute axis) { return cast<IntegerAttr>(axis).getInt() > 0; };
  EXPECT_TRUE(matches(hasAttribute(softmax, "axis", isPositive)));
  // DF_match_func_attr, DF_match_op_attr: any attribute of the operation counts.
  root().getDefiningOp()->setAttr("mine", builder.getStringAttr("yes"));
  EXPECT_TRUE(matches(hasAttribute(softmax, "mine", builder.getStringAttr("yes"))));
}

TEST_F(KindsTest, AndOrNot) {
  graph("%0 = tsr.add %x, %y : ($, $) -> $\n return %0 : $");
  const Pattern sum = op<ir::AddOp>(any(), any());
  EXPECT_TRUE(matches(allOf({sum, hasRank(any(), 1)})));
  EXPECT_FALSE(matches(allOf({sum, hasRank(any(), 2)})));
  EXPECT_TRUE(matches(no(op<ir::SubOp>())));
  EXPECT_FALSE(matches(no(sum)));
  EXPECT_TRUE(matches(op<ir::AddOp>(no(constant()), no(op<ir::ReluOp>()))));
  // What a negated pattern bound is bound no more.
  const Pattern pattern =
      op<ir::AddOp>(allOf({no(op<ir::ReluOp>(capture("a"))), any()}), capture("a"));
  ASSERT_TRUE(matches(pattern));
  EXPECT_EQ(match(pattern, root())->value("a"), argument(1));
}

TEST_F(KindsTest, UsedBy) {
  graph(R"(%0 = tsr.relu %x : ($) -> $ loc("many")
           %1 = tsr.tanh %0 : ($) -> $ loc("one")
           %2 = tsr.neg %0 : ($) -> $
           %3 = tsr.exp %1 : ($) -> $
           %4 = tsr.add %2, %3 : ($, $) -> $
           return %4 : $)");
  const Pattern tanh = op<ir::TanhOp>(any()), exp = op<ir::ExpOp>(any());
  EXPECT_TRUE(matches(usedBy(any(), tanh), "many"));
  EXPECT_FALSE(matches(usedBy(any(), exp), "many"));
  EXPECT_FALSE(matches(onlyUsedBy(any(), tanh), "many"));
  EXPECT_TRUE(matches(onlyUsedBy(any(), exp), "one"));
  EXPECT_FALSE(match(onlyUsedBy(any(), exp), root()));  // The return is a user.
  EXPECT_TRUE(matches(hasOneUse(any()), "one"));
  EXPECT_FALSE(matches(hasOneUse(any()), "many"));
}

TEST_F(KindsTest, DF_match_if) {
  module(R"(func.func @main(%c: tensor<i1>, %x: $, %y: $) -> $ {
    %0 = tsr.if %c : (tensor<i1>) -> $ {
      %1 = tsr.add %x, %y : ($, $) -> $
      tsr.yield %1 : $
    } else {
      %2 = tsr.sub %x, %y : ($, $) -> $
      tsr.yield %2 : $
    }
    return %0 : $
  })");
  const Pattern sum = op<ir::AddOp>(any(), any()), difference = op<ir::SubOp>(any(), any());
  EXPECT_TRUE(matches(ifElse(any(), sum, difference)));
  EXPECT_TRUE(matches(ifElse(pattern::argument(0), any(), any())));
  EXPECT_FALSE(matches(ifElse(any(), difference, sum)));  // DF_no_match_if
  EXPECT_FALSE(matches(ifElse(constant(), sum, difference)));
}

TEST_F(KindsTest, DF_match_func) {
  module(R"(
    func.func @callee(%a: $, %b: $) -> $ {
      %0 = tsr.sub %a, %b : ($, $) -> $
      return %0 : $
    }
    func.func @main(%x: $, %y: $) -> $ {
      %0 = func.call @callee(%x, %y) : ($, $) -> $
      return %0 : $
    })");
  const Pattern difference = op<ir::SubOp>(pattern::argument(0), pattern::argument(1));
  EXPECT_TRUE(matches(callOf(difference)));  // DF_match_fuzzy_func: no operands said.
  EXPECT_TRUE(matches(callOf(difference, {any(), any()})));
  EXPECT_FALSE(matches(callOf(difference, {any()})));
  EXPECT_FALSE(matches(callOf(op<ir::AddOp>())));  // DF_no_match_func
  EXPECT_FALSE(matches(op<ir::SubOp>()));
}

TEST_F(KindsTest, CompositesAreSeenAsOneAndThrough) {
  graph(R"(%0 = tsr.add %x, %y : ($, $) -> $ loc("sum")
           %1 = tsr.composite "silu"(%0) {} : ($) -> $ {
           ^bb0(%a: $):
             %s = tsr.sigmoid %a : ($) -> $
             %m = tsr.mul %a, %s : ($, $) -> $
             tsr.yield %m : $
           }
           return %1 : $)");
  const Pattern sum = op<ir::AddOp>(any(), any());
  EXPECT_TRUE(matches(composite("silu", {sum})));
  EXPECT_FALSE(matches(composite("gelu", {sum})));
  EXPECT_FALSE(matches(composite("silu", {any(), any()})));
  EXPECT_TRUE(matches(composite("silu", {any()}, op<ir::MulOp>())));
  EXPECT_FALSE(matches(composite("silu", {any()}, op<ir::AddOp>())));
  const Pattern x = capture("x");
  const Pattern through = either<ir::MulOp>(x, op<ir::SigmoidOp>(x));
  const auto found = match(through, root());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value("x"), value("sum"));
  EXPECT_EQ(found->ops.size(), 2U);
  EXPECT_FALSE(match(through, root(), {.seesThroughComposites = false}));
  EXPECT_TRUE(matches(onlyUsedBy(any(), op<ir::SigmoidOp>(any())), "sum") ==
              false);  // mul and sigmoid both read it.
  EXPECT_TRUE(matches(usedBy(any(), op<ir::SigmoidOp>(any())), "sum"));
}

TEST_F(KindsTest, CompositesOfBackendsAreClosed) {
  graph(R"(%1 = tsr.composite "fast.silu"(%x) {} : ($) -> $ {
           ^bb0(%a: $):
             %s = tsr.sigmoid %a : ($) -> $
             %m = tsr.mul %a, %s : ($, $) -> $ loc("product")
             tsr.yield %m : $
           }
           return %1 : $)");
  EXPECT_FALSE(matches(op<ir::MulOp>()));
  EXPECT_TRUE(matches(composite("fast.silu", {any()})));
  // From inside, the body's arguments are where it begins.
  EXPECT_TRUE(matches(op<ir::MulOp>(pattern::argument(0), op<ir::SigmoidOp>()), "product"));
}

TEST_F(KindsTest, AbsentOperandsHaveTheirPlace) {
  graph(R"(%high = tsr.constant dense<6.0> : tensor<f32> -> tensor<f32>
           %0 = tsr.clip %x, %high {operandSegmentSizes = array<i32: 1, 0, 1>} : ($, tensor<f32>) -> $
           return %0 : $)");
  EXPECT_TRUE(matches(op<ir::ClipOp>(any(), absent(), scalar(6))));
  EXPECT_TRUE(matches(op<ir::ClipOp>(any(), perhaps(scalar(0)), scalar(6))));
  EXPECT_FALSE(matches(op<ir::ClipOp>(any(), scalar(6), any())));
  EXPECT_FALSE(matches(op<ir::ClipOp>(any(), any(), any())));
}

TEST_F(KindsTest, StepsAreAsManyAsThereAre) {
  graph(R"(%0 = tsr.add %x, %y : ($, $) -> $
           %1 = tsr.relu %0 : ($) -> $ loc("first")
           %2 = tsr.tanh %1 : ($) -> $ loc("second")
           %3 = tsr.relu %2 : ($) -> $ loc("third")
           return %3 : $)");
  const std::vector<Step> steps = {
      [](const Pattern& before) { return part("relu", op<ir::ReluOp>(before)); },
      [](const Pattern& before) { return part("tanh", op<ir::TanhOp>(before)); }};
  const Pattern sum = part("sum", op<ir::AddOp>(any(), any()));
  const auto found = match(followedBy(sum, steps, 0, 8), root());
  ASSERT_TRUE(found);
  std::vector<std::string> parts;
  for (const auto& [name, value] : found->parts) parts.push_back(name.str());
  EXPECT_EQ(parts, (std::vector<std::string>{"sum", "relu", "tanh", "relu"}));
  EXPECT_EQ(found->part("relu"), value("first"));
  EXPECT_FALSE(matches(followedBy(sum, steps, 0, 2)));
  EXPECT_FALSE(matches(followedBy(sum, steps, 4, 8)));
  EXPECT_TRUE(matches(followedBy(sum, steps, 3, 3)));
  EXPECT_FALSE(matches(followedBy(sum, steps, 2, 2), "first"));
  EXPECT_TRUE(matches(followedBy(sum, steps, 1, 2), "first"));
}

TEST_F(KindsTest, ASearchEnds) {
  // 2^16 orders of operands, none of which ends in what is asked for.
  std::string body = "%l0 = tsr.relu %x : ($) -> $\n%r0 = tsr.abs %x : ($) -> $\n";
  for (int i = 0; i < 16; ++i) {
    const std::string from = std::to_string(i), to = std::to_string(i + 1);
    body += "%l" + to + " = tsr.add %l" + from + ", %r" + from + " : ($, $) -> $\n";
    body += "%r" + to + " = tsr.add %r" + from + ", %l" + from + " : ($, $) -> $\n";
  }
  graph(body + "return %l16 : $");
  const auto tower = [](const Pattern& bottom, int height) {
    Pattern pattern = bottom;
    for (int i = 0; i < height; ++i) pattern = either<ir::AddOp>(pattern, any());
    return pattern;
  };
  EXPECT_FALSE(matches(tower(op<ir::ExpOp>(any()), 16)));
  const Pattern found = tower(op<ir::AbsOp>(any()), 16);
  EXPECT_TRUE(matches(found));
  // What is concluded from a search that was cut short counts for nothing.
  EXPECT_FALSE(match(found, root(), {.maxSteps = 5}));
  EXPECT_FALSE(match(no(found), root(), {.maxSteps = 5}));
}

TEST_F(KindsTest, CompositesInsideOfCompositesHaveTheirOwnNamesAndBodies) {
  graph(R"(%1 = tsr.composite "outer"(%x) {} : ($) -> $ {
           ^bb0(%a: $):
             %s = tsr.composite "inner"(%a) {} : ($) -> $ {
             ^bb0(%b: $):
               %n = tsr.neg %b : ($) -> $
               tsr.yield %n : $
             }
             tsr.yield %s : $
           }
           return %1 : $)");
  const auto inner = match(composite("inner", {any()}), root());
  ASSERT_TRUE(inner);
  EXPECT_EQ(cast<ir::CompositeOp>(inner->ops.front()).getName(), "inner");
  EXPECT_TRUE(matches(composite("outer", {any()}, composite("inner", {any()}))));
  EXPECT_TRUE(matches(composite("inner", {any()}, op<ir::NegOp>(any()))));
  EXPECT_FALSE(matches(composite("inner", {any()}, op<ir::AbsOp>(any()))));
}

TEST_F(KindsTest, WhatMayBeAbsentMayBeSoInsideOfOtherPatterns) {
  graph(R"(%0 = tsr.clip %x {operandSegmentSizes = array<i32: 1, 0, 0>} : ($) -> $
           return %0 : $)");
  EXPECT_TRUE(matches(op<ir::ClipOp>(any(), more())));
  EXPECT_TRUE(matches(op<ir::ClipOp>(any(), part("low", perhaps(any())), absent())));
  EXPECT_TRUE(matches(op<ir::ClipOp>(any(), anyOf({scalar(0), absent()}), absent())));
  EXPECT_FALSE(matches(op<ir::ClipOp>(any(), anyOf({scalar(0), scalar(1)}), absent())));
}

}  // namespace
}  // namespace tessera::pattern
