// TVM's tests of rewriting by DFPattern, and those of patterns that use themselves.
#include "compiler/pattern/rewrite.h"

#include "mlir/IR/Verifier.h"
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using pattern::any;
using pattern::anyOf;
using pattern::capture;
using pattern::either;
using pattern::Match;
using pattern::op;
using pattern::Pattern;
using pattern::Rewrite;

class RewriteTest : public ParityTest {
 protected:
  /// Rewrites main; the module stays valid.
  bool rewritten(const std::vector<Rewrite>& rewrites) {
    ScopedDiagnosticHandler handler(&context_,
                                    [&](Diagnostic& diagnostic) { complaint_ = diagnostic.str(); });
    const bool isDone = succeeded(pattern::rewrite(region("main"), rewrites));
    EXPECT_TRUE(succeeded(verify(*module_)));
    return isDone;
  }

  std::string complaint_;
};

/// What `pattern` matches becomes the value that it captured under `name`.
Rewrite becomes(Pattern pattern, const char* name) {
  return {.pattern = std::move(pattern),
          .replace = [name](OpBuilder&, Value, const Match& match) { return match.value(name); }};
}

/// What `pattern` matches becomes an Op of the values captured under "a" and "b".
template <typename Op>
Rewrite becomesOp(Pattern pattern) {
  return {.pattern = std::move(pattern),
          .replace = [](OpBuilder& builder, Value value, const Match& match) -> Value {
            return builder.create<Op>(value.getLoc(), value.getType(), match.value("a"),
                                      match.value("b"));
          }};
}

/// Puts an Op behind what `pattern` matches.
template <typename Op>
Rewrite followedByOp(Pattern pattern, bool isOnce) {
  return {.pattern = std::move(pattern),
          .replace = [](OpBuilder& builder, Value value, const Match&) -> Value {
            return builder.create<Op>(value.getLoc(), value.getType(), value);
          },
          .isOnce = isOnce};
}

Pattern sum() { return op<ir::AddOp>(capture("a"), capture("b")); }

TEST_F(RewriteTest, DF_rewrite) {
  graph("%0 = add %x, %y \n return %0");
  EXPECT_TRUE(rewritten({becomesOp<ir::SubOp>(sum())}));
  EXPECT_EQ(plan(), (Texts{"v0 = sub(x, y)", "return(v0)"}));
}

TEST_F(RewriteTest, DF_rewrite_func_ACallIsOneNode) {
  module(R"(
    func.func private @doubled(%x: $) -> $ {
      %0 = add %x, %x
      return %0
    }
    func.func @main(%x: $, %y: $) -> $ {
      %0 = call @doubled(%x) : ($) -> $
      %1 = mul %0, %y
      return %1
    })");
  const Pattern doubled = pattern::callOf(op<ir::AddOp>(any(), any()), {capture("a")});
  EXPECT_TRUE(rewritten({becomesOp<ir::SubOp>(op<ir::MulOp>(doubled, capture("b")))}));
  EXPECT_EQ(plan(), (Texts{"v0 = @doubled(x)", "v1 = sub(x, y)", "return(v1)"}));
}

TEST_F(RewriteTest, DF_rewrite_func_with_attr_ACompositeByName) {
  graph(R"(%0 = tsr.composite "silu"(%x) {} : ($) -> $ {
    ^bb0(%a: $):
      %1 = tsr.sigmoid %a : ($) -> $
      %2 = tsr.mul %a, %1 : ($, $) -> $
      tsr.yield %2 : $
    }
    %3 = add %0, %y
    return %3)");
  const Pattern silu = pattern::composite("silu", {capture("a")});
  EXPECT_TRUE(rewritten({becomesOp<ir::DivOp>(op<ir::AddOp>(silu, capture("b")))}));
  EXPECT_EQ(plan(), (Texts{"v0 = div(x, y)", "return(v0)"}));
}

TEST_F(RewriteTest, DF_nested_rewrite_TheOutermostFirst) {
  graph("%0 = add %x, %y \n %1 = mul %0, %z \n %2 = add %1, %w \n %3 = mul %2, %z \n return %3");
  const Pattern scaled = op<ir::MulOp>(op<ir::AddOp>(capture("a"), any()), capture("b"));
  EXPECT_TRUE(rewritten({becomesOp<ir::SubOp>(scaled)}));
  EXPECT_EQ(plan(), (Texts{"v0 = sub(x, z)", "v1 = sub(v0, z)", "return(v1)"}));
}

TEST_F(RewriteTest, DF_quadruple_rewrite_dominator) {
  std::string body, last = "%x";
  for (const std::string id : {"0", "1", "2", "3"}) {
    body += "%r" + id + " = relu " + last + "\n%t" + id + " = tanh %r" + id + "\n%n" + id +
            " = neg %r" + id + "\n%s" + id + " = add %t" + id + ", %n" + id + "\n";
    last = "%s" + id;
  }
  graph(body + "return " + last);
  const Pattern stretch = pattern::dominates(op<ir::ReluOp>(capture("a")),
                                             anyOf({op<ir::TanhOp>(any()), op<ir::NegOp>(any())}),
                                             op<ir::AddOp>(any(), any()));
  Rewrite rewrite{.pattern = stretch,
                  .replace = [](OpBuilder& builder, Value value, const Match& match) -> Value {
                    return builder.create<ir::AbsOp>(value.getLoc(), value.getType(),
                                                     match.value("a"));
                  }};
  EXPECT_TRUE(rewritten({rewrite}));
  EXPECT_EQ(plan(),
            (Texts{"v0 = abs(x)", "v1 = abs(v0)", "v2 = abs(v1)", "v3 = abs(v2)", "return(v3)"}));
}

TEST_F(RewriteTest, DF_algebraic_simplify) {
  const Pattern x = capture("x"), zero = pattern::scalar(0.0), one = pattern::scalar(1.0);
  const Pattern nothing = pattern::allOf({capture("0"), zero});
  const std::vector<Rewrite> rules = {
      becomes(either<ir::AddOp>(x, zero), "x"), becomes(op<ir::SubOp>(x, zero), "x"),
      becomes(either<ir::MulOp>(x, one), "x"),  becomes(either<ir::MulOp>(any(), nothing), "0"),
      becomes(op<ir::DivOp>(x, one), "x"),      becomes(op<ir::DivOp>(nothing, any()), "0")};
  const std::string constants =
      "%0 = tsr.constant dense<0.0> : $ -> $ \n %1 = tsr.constant dense<1.0> : $ -> $ \n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"add %x, %0", "x"}, {"add %0, %x", "x"}, {"sub %x, %0", "x"}, {"mul %x, %1", "x"},
      {"mul %1, %x", "x"}, {"mul %x, %0", "c"}, {"div %x, %1", "x"}, {"div %0, %x", "c"}};
  for (const auto& [computed, expected] : cases) {
    graph(constants + "%r = " + computed + "\n return %r");
    EXPECT_TRUE(rewritten(rules));
    EXPECT_EQ(plan(), (Texts{"return(" + expected + ")"})) << computed;
  }
  graph(constants +
        "%a = mul %y, %0 \n %b = add %x, %a \n %c = mul %b, %1 \n %d = mul %y, %1 \n"
        "%e = add %c, %d \n %f = div %0, %x \n %r = sub %e, %f \n return %r");
  EXPECT_TRUE(rewritten(rules));
  EXPECT_EQ(plan(), (Texts{"v0 = add(x, y)", "return(v0)"}));
  expectEqualValues();
}

/// A sum becomes its first operand.
Rewrite dropsSecond(bool isOnce) {
  return {.pattern = op<ir::AddOp>(capture("a"), any()),
          .replace = [](OpBuilder&, Value, const Match& match) { return match.value("a"); },
          .isOnce = isOnce};
}

TEST_F(RewriteTest, DF_rewrite_once_one_callback) {
  const std::string sums = "%0 = add %x, %y \n %1 = abs %0 \n %2 = add %1, %w \n return %2";
  const Rewrite relu = followedByOp<ir::ReluOp>(op<ir::AbsOp>(any()), /*isOnce=*/true);
  graph(sums);
  EXPECT_TRUE(rewritten({dropsSecond(/*isOnce=*/false)}));
  EXPECT_EQ(plan(), (Texts{"v0 = abs(x)", "return(v0)"}));
  graph(sums);
  EXPECT_TRUE(rewritten({relu}));
  EXPECT_EQ(plan(), (Texts{"v0 = add(x, y)", "v1 = abs(v0)", "v2 = relu(v1)", "v3 = add(v2, w)",
                           "return(v3)"}));
}

TEST_F(RewriteTest, DF_rewrite_once_multi_callbacks) {
  const std::string chain = "%0 = abs %x \n %1 = add %0, %y \n return %1";
  const auto relus = [](bool isOnce) {
    return followedByOp<ir::ReluOp>(op<ir::AbsOp>(any()), isOnce);
  };
  const auto tanhs = [](bool isOnce) {
    return followedByOp<ir::TanhOp>(op<ir::AddOp>(any(), any()), isOnce);
  };
  graph(chain);
  EXPECT_TRUE(rewritten({relus(true), tanhs(true)}));
  EXPECT_EQ(plan(), (Texts{"v0 = abs(x)", "v1 = relu(v0)", "v2 = add(v1, y)", "v3 = tanh(v2)",
                           "return(v3)"}));
  graph(chain);
  EXPECT_FALSE(rewritten({relus(true), tanhs(false)}));
  EXPECT_NE(complaint_.find("has not ended after 100 rounds"), std::string::npos) << complaint_;
}

/// A chain of at least one neg behind a product, one relu behind all of it.
class RecursionTest : public RewriteTest {
 protected:
  void expectOneRelu(const Pattern& chain) {
    graph("%0 = mul %x, %y \n %1 = neg %0 \n %2 = neg %1 \n %3 = neg %2 \n return %3");
    EXPECT_TRUE(rewritten({followedByOp<ir::ReluOp>(chain, /*isOnce=*/true)}));
    EXPECT_EQ(plan(), (Texts{"v0 = mul(x, y)", "v1 = neg(v0)", "v2 = neg(v1)", "v3 = neg(v2)",
                             "v4 = relu(v3)", "return(v4)"}));
    graph("%1 = neg %x \n %2 = neg %1 \n return %2");  // Behind no product.
    EXPECT_TRUE(rewritten({followedByOp<ir::ReluOp>(chain, /*isOnce=*/true)}));
    EXPECT_EQ(plan(), (Texts{"v0 = neg(x)", "v1 = neg(v0)", "return(v1)"}));
  }
  static Pattern product() { return op<ir::MulOp>(any(), any()); }
};

TEST_F(RecursionTest, DF_rewrite_with_pattern_recursion_reset_call_args) {
  expectOneRelu(pattern::recursive(
      [](const Pattern& self) { return op<ir::NegOp>(anyOf({self, product()})); }));
}

TEST_F(RecursionTest, DF_rewrite_with_pattern_recursion_reset_alt_left) {
  expectOneRelu(op<ir::NegOp>(pattern::recursive(
      [](const Pattern& self) { return anyOf({op<ir::NegOp>(self), product()}); })));
}

TEST_F(RecursionTest, DF_rewrite_with_pattern_recursion_reset_alt_right) {
  expectOneRelu(op<ir::NegOp>(pattern::recursive(
      [](const Pattern& self) { return anyOf({product(), op<ir::NegOp>(self)}); })));
}

const char* kBranches = R"(
  func.func @main(%x: $, %y: $, %p: tensor<i1>) -> $ {
    %0 = tsr.if %p : (tensor<i1>) -> $ {
      %1 = mul %x, %y
      yield %1
    } else {
      %2 = sub %x, %y
      yield %2
    }
    return %0
  })";

TEST_F(RewriteTest, DF_match_match_BranchesThatNothingMatchesStay) {
  module(kBranches);
  const Texts before = plan();
  EXPECT_TRUE(rewritten({becomesOp<ir::SubOp>(sum())}));
  EXPECT_EQ(plan(), before);
}

TEST_F(RewriteTest, DF_match_match_BodiesOfBranchesAreRewritten) {
  module(kBranches);
  Texts expected = plan();
  EXPECT_TRUE(rewritten({becomesOp<ir::DivOp>(op<ir::MulOp>(capture("a"), capture("b")))}));
  for (std::string& line : expected) {
    if (const size_t at = line.find("mul("); at != std::string::npos) line.replace(at, 3, "div");
  }
  EXPECT_EQ(plan(), expected);
}

}  // namespace
}  // namespace tessera::tests
