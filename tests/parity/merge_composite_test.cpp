// TVM's tests of MergeComposite, C1 to C13: which matches of a pattern table become one operator.
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using backend_api::Declined;
using backend_api::PatternTable;
using backend_api::Support;
using backend_api::Supported;
using pattern::any;
using pattern::capture;
using pattern::op;
using pattern::Pattern;

Pattern addRelu() { return op<ir::ReluOp>(op<ir::AddOp>(any(), any())); }
Pattern addAbsMul() { return op<ir::MulOp>(op<ir::AddOp>(any(), any()), op<ir::AbsOp>(any())); }

class MergeCompositeTest : public ParityTest {
 protected:
  /// Composites of "fast", which takes nothing else; the host has the rest.
  void placeTable(PatternTable table) {
    place({{.name = "fast", .supports = only({}), .patterns = std::move(table)}, {.name = "host"}});
  }
  void merged() {
    runPasses(
        [](OpPassManager& manager) { manager.addPass(partition::createMergeCompositePass()); });
  }
};

TEST_F(MergeCompositeTest, C1_SimpleMerge) {
  placeTable({{"add_relu", addRelu()}});
  graph("%0 = add %x, %y \n %1 = relu %0 \n return %1");
  merged();
  EXPECT_EQ(plan(), (Texts{"v0 = fast.add_relu[add relu](x, y)", "return(v0)"}));
}

TEST_F(MergeCompositeTest, C2_BranchMerge) {
  placeTable({{"add_abs_mul", addAbsMul()}});
  graph(R"(%0 = add %x, %y
           %1 = abs %y
           %2 = mul %0, %1
           %3 = add %x, %2
           %4 = abs %2
           %5 = mul %3, %4
           %6 = relu %5
           return %6)");
  merged();
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast.add_abs_mul[add abs mul](x, y)",
                   "v1 = fast.add_abs_mul[add abs mul](x, v0)", "v2 = relu(v1)", "return(v2)"}));
}

TEST_F(MergeCompositeTest, C3_OneCallThatFeedsTwice) {
  const Pattern sum = pattern::allOf({op<ir::AddOp>(any(), any()), capture("sum")});
  placeTable({{"add_add_add", op<ir::AddOp>(op<ir::AddOp>(any(), sum), sum)}});
  graph(R"(%0 = add %x, %y
           %1 = add %x, %0
           %2 = add %1, %0
           return %2)");
  merged();
  EXPECT_EQ(plan(), (Texts{"v0 = fast.add_add_add[add add add](x, y)", "return(v0)"}));
}

TEST_F(MergeCompositeTest, C4_MultiplePatterns) {
  placeTable({{"add_relu", addRelu()}, {"mul_abs", op<ir::AbsOp>(op<ir::MulOp>(any(), any()))}});
  graph(R"(%0 = add %x, %y
           %1 = relu %0
           %2 = mul %1, %z
           %3 = abs %2
           %4 = mul %3, %w
           return %4)");
  merged();
  EXPECT_EQ(plan(), (Texts{"v0 = fast.add_relu[add relu](x, y)",
                           "v1 = fast.mul_abs[mul abs](v0, z)", "v2 = mul(v1, w)", "return(v2)"}));
}

TEST_F(MergeCompositeTest, C5_OptionalTail) {
  const Pattern sum = pattern::part("add", op<ir::AddOp>(any(), any()));
  const auto tail = [](const Pattern& before) {
    return pattern::part("relu", op<ir::ReluOp>(before));
  };
  placeTable({{"sum", pattern::optionally(sum, tail)}});
  graph("%0 = add %x, %y \n %1 = relu %0 \n %2 = add %1, %z \n return %2");
  merged();
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast.sum[add relu](x, y)", "v1 = fast.sum[add](v0, z)", "return(v1)"}));
  std::vector<bool> withRelu;
  module_->walk([&](ir::CompositeOp composite) {
    EXPECT_TRUE(backend_api::hasPart(composite, "add"));
    withRelu.push_back(backend_api::hasPart(composite, "relu"));
  });
  EXPECT_EQ(withRelu, (std::vector<bool>{true, false}));
}

/// C6: the order of entries is their priority.
struct Order {
  std::string name;
  std::vector<int> entries;
  Texts expected;
};
void PrintTo(const Order& value, std::ostream* out) { *out << value.name; }
class OrderTest : public MergeCompositeTest, public testing::WithParamInterface<Order> {};

TEST_P(OrderTest, C6_MergeOrder) {
  const Pattern abs = op<ir::AbsOp>(any()), relu = op<ir::ReluOp>(abs),
                add = op<ir::AddOp>(relu, any());
  const PatternTable all = {{"a", add}, {"b", relu}, {"c", abs}};
  PatternTable table;
  for (const int entry : GetParam().entries) table.push_back(all[entry]);
  placeTable(std::move(table));
  graph("%0 = abs %x \n %1 = relu %0 \n %2 = add %1, %y \n return %2");
  merged();
  EXPECT_EQ(plan(), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, OrderTest,
    testing::Values(
        Order{"LargestFirst", {0, 1, 2}, {"v0 = fast.a[abs relu add](x, y)", "return(v0)"}},
        Order{"MiddleFirst",
              {1, 0, 2},
              {"v0 = fast.b[abs relu](x)", "v1 = add(v0, y)", "return(v1)"}},
        Order{"SmallestFirst",
              {2, 1, 0},
              {"v0 = fast.c[abs](x)", "v1 = relu(v0)", "v2 = add(v1, y)", "return(v2)"}}),
    [](const auto& info) { return info.param.name; });

TEST_F(MergeCompositeTest, C7_ParallelMerge) {
  placeTable({{"add_relu", addRelu()}});
  graph(R"(%0 = add %x, %y
           %1 = relu %0
           %2 = add %x, %y
           %3 = relu %2
           %4 = mul %1, %3
           return %4)");
  merged();
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast.add_relu[add relu](x, y)", "v1 = fast.add_relu[add relu](x, y)",
                   "v2 = mul(v0, v1)", "return(v2)"}));
}

/// C8: sums that feed a difference, which also feeds what the pattern does not cover.
struct Escape {
  std::string name;
  std::string body;
  size_t composites;
};
void PrintTo(const Escape& value, std::ostream* out) { *out << value.name; }
class EscapeTest : public MergeCompositeTest, public testing::WithParamInterface<Escape> {};

TEST_P(EscapeTest, C8_MultipleInputs) {
  const Pattern left = op<ir::ReluOp>(op<ir::AddOp>(any(), any()));
  const Pattern right = op<ir::AbsOp>(op<ir::AddOp>(any(), any()));
  placeTable({{"add_sub", op<ir::SubOp>(left, right)}});
  graph(GetParam().body);
  merged();
  size_t count = 0;
  module_->walk([&](ir::CompositeOp) { ++count; });
  EXPECT_EQ(count, GetParam().composites) << testing::PrintToString(plan());
}

INSTANTIATE_TEST_SUITE_P(
    All, EscapeTest,
    testing::Values(
        Escape{"TwoSums",
               "%0 = add %x, %y \n %1 = add %z, %w \n %2 = relu %0 \n %3 = abs %1 \n"
               "%4 = sub %2, %3 \n return %4",
               1},
        Escape{"OneSharedSum",
               "%0 = add %x, %y \n %2 = relu %0 \n %3 = abs %0 \n %4 = sub %2, %3 \n return %4", 1},
        Escape{"TheSumLeaves",
               "%0 = add %x, %y \n %2 = relu %0 \n %3 = abs %0 \n %4 = sub %2, %3 \n"
               "%5 = mul %4, %0 \n return %5",
               0},
        Escape{"ASideLeaves",
               "%0 = add %x, %y \n %1 = add %z, %w \n %2 = relu %0 \n %3 = abs %1 \n"
               "%4 = sub %2, %3 \n return %4, %3",
               0}),
    [](const auto& info) { return info.param.name; });

TEST_F(MergeCompositeTest, C9_OneOfSeveralResults) {
  placeTable({{"norm_relu", op<ir::ReluOp>(pattern::result<ir::LayerNormOp>(0))}});
  module(R"(
  !x = tensor<2x4xf32>
  !m = tensor<2x1xf32>
  func.func @main(%x: !x, %s: $, %b: $) -> (!x, !m) {
    %n:3 = tsr.layer_norm %x, %s, %b {resultSegmentSizes = array<i32: 1, 1, 1>} : (!x, $, $) -> (!x, !m, !m)
    %0 = tsr.relu %n#0 : (!x) -> !x
    %o:3 = tsr.layer_norm %0, %s, %b {resultSegmentSizes = array<i32: 1, 1, 1>} : (!x, $, $) -> (!x, !m, !m)
    %1 = tsr.relu %o#0 : (!x) -> !x
    return %1, %o#1 : !x, !m
  })");
  merged();
  // The other results of the first are not used; one of the second is.
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast.norm_relu[layer_norm relu](x, y, z)",
                   "v1, v2, v3 = layer_norm(v0, y, z)", "v4 = relu(v1)", "return(v4, v2)"}));
}

TEST_F(MergeCompositeTest, C10_PatternWithCheck) {
  const auto groupIsOne = [](const pattern::Match&, Operation* root) -> Support {
    if (cast<ir::ConvOp>(root).getGroup() == 1) return Supported{};
    return Declined{"it takes no groups"};
  };
  placeTable({{"conv", op<ir::ConvOp>(any(), any()), groupIsOne}});
  module(R"(
  !x = tensor<1x2x3x3xf32>
  func.func @main(%x: !x, %w: tensor<2x2x1x1xf32>, %v: tensor<2x1x1x1xf32>) -> !x {
    %0 = tsr.conv %x, %w : (!x, tensor<2x2x1x1xf32>) -> !x
    %1 = tsr.conv %0, %v {group = 2 : i64} : (!x, tensor<2x1x1x1xf32>) -> !x
    return %1 : !x
  })");
  merged();
  EXPECT_EQ(plan(), (Texts{"v0 = fast.conv[conv](x, y)", "v1 = conv(v0, z)", "return(v1)"}));
}

TEST_F(MergeCompositeTest, C11_DiamondNotMerged) {
  const Pattern sum = op<ir::AddOp>(op<ir::ReluOp>(any()), op<ir::AbsOp>(any()));
  placeTable({{"diamond", op<ir::MulOp>(sum, any())}});
  graph(R"(%0 = relu %x
           %1 = abs %y
           %2 = add %0, %1
           %3 = exp %2
           %4 = mul %2, %3
           return %4)");
  const Texts before = plan();
  merged();
  EXPECT_EQ(plan(), before);
}

/// C12: a check that reads types.
struct Typed {
  std::string name;
  std::string argument;
  bool isTaken;
};
void PrintTo(const Typed& value, std::ostream* out) { *out << value.name; }
class TypeCheckTest : public MergeCompositeTest, public testing::WithParamInterface<Typed> {};

TEST_P(TypeCheckTest, C12_TypeCheck) {
  const auto isRowsOfFour = [](const pattern::Match& match, Operation*) -> Support {
    const auto type = cast<RankedTensorType>(match.value("in").getType());
    if (type.getRank() != 2) return Declined{"it takes matrices"};
    if (type.getDimSize(1) != 4) return Declined{"it takes rows of four"};
    return Supported{};
  };
  placeTable({{"abs_relu", op<ir::ReluOp>(op<ir::AbsOp>(capture("in"))), isRowsOfFour}});
  module("!x = tensor<" + GetParam().argument + R"(xf32>
  func.func @main(%x: !x) -> !x {
    %0 = tsr.abs %x : (!x) -> !x
    %1 = tsr.relu %0 : (!x) -> !x
    return %1 : !x
  })");
  merged();
  EXPECT_EQ(plan().size(), GetParam().isTaken ? 2U : 3U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, TypeCheckTest,
                         testing::Values(Typed{"Taken", "2x4", true},
                                         Typed{"AnotherSize", "2x5", false},
                                         Typed{"AnotherRank", "4", false}),
                         [](const auto& info) { return info.param.name; });

TEST_F(MergeCompositeTest, C13_EinsumOfManyOperands) {
  placeTable(
      {{"einsum_reshape", op<ir::ReshapeOp>(op<ir::EinsumOp>(any(), any()), pattern::constant())}});
  module(R"(
  func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<8xf32> {
    %shape = tsr.constant dense<8> : tensor<1xi64> -> tensor<1xi64>
    %0 = tsr.einsum %x, %y {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = tsr.reshape %0, %shape : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  })");
  merged();
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast.einsum_reshape[einsum constant reshape](x, y)", "return(v0)"}));
}

}  // namespace
}  // namespace tessera::tests
