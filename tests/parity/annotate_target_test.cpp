// TVM's tests of AnnotateTarget, A1 to A16: who owns which operator.
#include "compiler/ir/module_attributes.h"
#include "tests/parity/mobile_net.h"
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using pattern::any;
using pattern::op;

class AnnotateTargetTest : public ParityTest {
 protected:
  void annotated() {
    runPasses([](OpPassManager& manager) {
      manager.addPass(partition::createMergeCompositePass());
      manager.addPass(partition::createAnnotateTargetPass());
    });
  }
  /// "add:fast", or "reshape:" without an owner, of each operator of main, bodies included.
  Texts owners() {
    Texts texts;
    ir::entryFunction(*module_).getBody().walk<WalkOrder::PreOrder>([&](Operation* op) {
      if (isa<ir::ConstantOp>(op) || op->hasTrait<OpTrait::IsTerminator>()) return;
      const ir::TargetAttr owner = backend_api::ownerOf(op);
      texts.push_back(op->getName().stripDialect().str() + ":" +
                      (owner ? owner.getKind().str() : ""));
    });
    return texts;
  }
  std::string print() {
    std::string text;
    llvm::raw_string_ostream(text) << *module_;
    return text;
  }
  /// The targets that the module is for, of those that place() made.
  void setTargets(const Texts& kinds) {
    SmallVector<Attribute> targets;
    for (const std::string& kind : kinds)
      targets.push_back(backend_api::toAttribute(&context_, target::Target{.kind = kind}));
    (*module_)->setAttr(ir::kTargetsAttribute, ArrayAttr::get(&context_, targets));
  }
  /// What the host got is free again.
  void dropHosts() {
    module_->walk([](Operation* op) {
      const ir::TargetAttr owner = backend_api::ownerOf(op);
      if (owner && owner.getKind() == "host") op->removeAttr(backend_api::kTargetAttribute);
    });
  }
};

TEST_F(AnnotateTargetTest, A1_ConvolutionsAndASum) {
  place(fastBesideHost(only({"conv", "add"})));
  module(R"(
  !x = tensor<1x2x3x3xf32>
  !w = tensor<2x2x1x1xf32>
  func.func @main(%x: !x, %w: !w) -> !x {
    %0 = tsr.conv %x, %w : (!x, !w) -> !x
    %1 = tsr.exp %0 : (!x) -> !x
    %2 = tsr.conv %1, %w : (!x, !w) -> !x
    %3 = tsr.add %2, %0 : (!x, !x) -> !x
    return %3 : !x
  })");
  annotated();
  EXPECT_EQ(owners(), (Texts{"conv:fast", "exp:host", "conv:fast", "add:fast"}));
}

TEST_F(AnnotateTargetTest, A2_MobileNetWithoutMerging) {
  place({{.name = "fast", .supports = only({"conv", "add", "relu"})},
         {.name = "host", .rules = {.takesViews = false}}});
  module(mobileNet());
  annotated();
  const Texts texts = owners();
  EXPECT_EQ(llvm::count_if(texts, [](StringRef text) { return text.ends_with(":fast"); }), 81);
  EXPECT_EQ(llvm::count_if(texts, [](StringRef text) { return text.ends_with(":host"); }), 3);
}

TEST_F(AnnotateTargetTest, A3_OneResultUsedByTwo) {
  place(fastBesideHost(only({"add"})));
  graph("%0 = add %x, %y \n %1 = abs %0 \n %2 = exp %0 \n %3 = add %1, %2 \n return %3");
  annotated();
  EXPECT_EQ(owners(), (Texts{"add:fast", "abs:host", "exp:host", "add:fast"}));
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{add}(x, y)", "v1 = abs(v0)", "v2 = exp(v0)",
                           "v3 = fast_1{add}(v1, v2)", "return(v3)"}));
}

TEST_F(AnnotateTargetTest, A4_TypesStay) {
  place(fastBesideHost(only({"add"})));
  module(R"(
  !n = tensor<?x2xf32, #tsr.layout<dims = ["n", ""]>>
  func.func @main(%x: !n, %y: !n) -> !n {
    %0 = tsr.add %x, %y : (!n, !n) -> !n
    %1 = tsr.exp %0 : (!n) -> !n
    return %1 : !n
  })");
  const Type type = ir::entryFunction(*module_).getArgumentTypes()[0];
  annotated();
  module_->walk([&](ir::AddOp add) { EXPECT_EQ(add.getType(), type); });
  partitioned();
  EXPECT_EQ(region("fast_0").getFunctionType(), FunctionType::get(&context_, {type, type}, type));
}

const char* kViews = R"(
  func.func @main(%x: $) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %shape = tsr.constant dense<[2, 2]> : tensor<2xi64> -> tensor<2xi64>
    %0 = abs %x
    %1 = tsr.reshape %0, %shape : ($, tensor<2xi64>) -> tensor<2x2xf32>
    %2 = exp %x
    %3 = tsr.reshape %2, %shape : ($, tensor<2xi64>) -> tensor<2x2xf32>
    %4 = tsr.reshape %x, %shape : ($, tensor<2xi64>) -> tensor<2x2xf32>
    return %1, %3, %4 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  })";

TEST_F(AnnotateTargetTest, A6_ViewsGoWhereTheirOperandWasComputed) {
  place(fastBesideHost(only({"abs", "reshape"})));
  module(kViews);
  annotated();
  EXPECT_EQ(owners(), (Texts{"abs:fast", "reshape:fast", "exp:host", "reshape:", "reshape:"}));
}

TEST_F(AnnotateTargetTest, A7_CompositesAreTheirPatternsOwners) {
  std::vector<Mock> mocks =
      fastBesideHost(only({}), {{"add_relu", op<ir::ReluOp>(op<ir::AddOp>(any(), any()))}});
  mocks.insert(mocks.begin(), {.name = "first", .supports = only({"composite", "abs"})});
  place(std::move(mocks));
  graph("%0 = add %x, %y \n %1 = relu %0 \n %2 = abs %1 \n return %2");
  annotated();
  const Texts expected = {"composite:fast", "add:", "relu:", "abs:first"};
  EXPECT_EQ(owners(), expected);
}

TEST_F(AnnotateTargetTest, A8_TheSameTargetTwice) {
  place(fastBesideHost(only({"add"})));
  graph("%0 = add %x, %y \n %1 = exp %0 \n %2 = add %1, %0 \n return %2");
  annotated();
  const std::string once = print();
  annotated();
  EXPECT_EQ(print(), once);
}

const char* kMixed = R"(%0 = add %x, %y
                        %1 = exp %0
                        %2 = relu %1
                        %3 = add %2, %0
                        %4 = neg %3
                        return %4)";

TEST_F(AnnotateTargetTest, A9_OneTargetThenAnotherEqualsBoth) {
  place({{.name = "first", .supports = only({"add"})},
         {.name = "second", .supports = only({"add", "exp"})},
         {.name = "host"}});
  graph(kMixed);
  annotated();
  const Texts both = owners();
  EXPECT_EQ(both, (Texts{"add:first", "exp:second", "relu:host", "add:first", "neg:host"}));
  graph(kMixed);
  setTargets({"first", "host"});
  annotated();
  EXPECT_EQ(owners(), (Texts{"add:first", "exp:host", "relu:host", "add:first", "neg:host"}));
  dropHosts();
  setTargets({"first", "second", "host"});
  annotated();
  EXPECT_EQ(owners(), both);
}

TEST_F(AnnotateTargetTest, A10_ThreeRuns) {
  place({{.name = "first", .supports = only({"add"})},
         {.name = "second", .supports = only({"exp"})},
         {.name = "third", .supports = only({"relu", "exp"})},
         {.name = "host"}});
  graph(kMixed);
  const std::vector<Texts> runs = {
      {"first", "host"}, {"first", "second", "host"}, {"first", "second", "third", "host"}};
  for (const Texts& targets : runs) {
    dropHosts();
    setTargets(targets);
    annotated();
  }
  EXPECT_EQ(owners(), (Texts{"add:first", "exp:second", "relu:third", "add:first", "neg:host"}));
}

TEST_F(AnnotateTargetTest, A11_SeveralResultsReturned) {
  place(fastBesideHost(only({"top_k"})));
  module(R"(
  func.func @main(%x: $) -> (tensor<2xf32>, tensor<2xi64>) {
    %k = tsr.constant dense<2> : tensor<1xi64> -> tensor<1xi64>
    %r:2 = tsr.top_k %x, %k : ($, tensor<1xi64>) -> (tensor<2xf32>, tensor<2xi64>)
    return %r#0, %r#1 : tensor<2xf32>, tensor<2xi64>
  })");
  annotated();
  EXPECT_EQ(owners(), Texts{"top_k:fast"});
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0, v1 = fast_0{constant top_k}(x)", "return(v0, v1)"}));
}

/// A choice whose branches read what is around them.
const char* kChoice = R"(func.func @main(%c: tensor<i1>, %x: $, %y: $) -> $ {
    %0 = add %x, %y
    %1 = tsr.if %c : (tensor<i1>) -> $ {
      %2 = sigmoid %0
      tsr.yield %2 : $
    } else {
      %3 = exp %y
      %4 = sigmoid %3
      tsr.yield %4 : $
    }
    return %1
  })";

struct Mode {
  std::string name;
  std::vector<std::string> taken;
  Texts owners;
};
void PrintTo(const Mode& value, std::ostream* out) { *out << value.name; }
class ChoiceTest : public AnnotateTargetTest, public testing::WithParamInterface<Mode> {};

TEST_P(ChoiceTest, A12_IfElse) {
  place(fastBesideHost(only(GetParam().taken)));
  module(kChoice);
  annotated();
  EXPECT_EQ(owners(), GetParam().owners);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, ChoiceTest,
    testing::Values(Mode{"Branches",
                         {"add", "sigmoid"},
                         {"add:fast", "if:host", "sigmoid:", "exp:", "sigmoid:"}},
                    Mode{"Whole",
                         {"add", "sigmoid", "if"},
                         {"add:fast", "if:fast", "sigmoid:", "exp:", "sigmoid:"}}),
    [](const auto& info) { return info.param.name; });

TEST_F(AnnotateTargetTest, A12_IfElseOfTheHostProgram) {
  place(fastBesidePlainHost({"add", "sigmoid"}));
  module(kChoice);
  annotated();
  EXPECT_EQ(owners(), (Texts{"add:fast", "if:", "sigmoid:fast", "exp:host", "sigmoid:fast"}));
}

TEST_F(AnnotateTargetTest, A13_BodiesOfLoops) {
  place(fastBesidePlainHost({"add"}));
  module(R"(func.func @main(%x: $) -> $ {
    %n = tsr.constant dense<3> : tensor<i64> -> tensor<i64>
    %0 = tsr.loop %n, %x {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<i64>, $) -> $ {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: $):
      %1 = tanh %s
      %2 = add %1, %x
      tsr.yield %go, %2 : tensor<i1>, $
    }
    return %0
  })");
  annotated();
  EXPECT_EQ(owners(), (Texts{"loop:", "tanh:host", "add:fast"}));
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = loop(c, x)", "  v1 = tanh(b2)", "  v2 = fast_0{add}(v1, x)",
                           "  yield(b1, v2)", "return(v0)"}));
}

TEST_F(AnnotateTargetTest, A14_BranchesThatReadWhatIsAround) {
  place(fastBesidePlainHost({"add", "sigmoid", "exp"}));
  module(kChoice);
  partitioned();
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast_0{add}(y, z)", "v1 = if(x)", "  v2 = fast_1{sigmoid}(v0)",
                   "  yield(v2)", "  v3 = fast_2{exp sigmoid}(z)", "  yield(v3)", "return(v1)"}));
}

TEST_F(AnnotateTargetTest, A15_WhatNeedsNothingIsAnInput) {
  place(fastBesideHost(allBut({})));
  graph("%c = tsr.constant dense<1.0> : $ -> $ \n %0 = add %x, %c \n return %0, %c");
  annotated();
  module_->walk([](ir::ConstantOp constant) { EXPECT_FALSE(backend_api::ownerOf(constant)); });
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{add}(x, c)", "return(v0, c)"}));
}

TEST_F(AnnotateTargetTest, A16_NothingToAnnotate) {
  place(fastBesideHost(allBut({})));
  graph("return %x, %y");
  annotated();
  partitioned();
  EXPECT_EQ(plan(), Texts{"return(x, y)"});
}

}  // namespace
}  // namespace tessera::tests
