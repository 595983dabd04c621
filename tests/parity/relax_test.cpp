// TVM's tests of merging composites and of fusing by patterns in Relax: a table of patterns, then
// regions of what it made, in one go.
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using backend_api::Declined;
using backend_api::PatternTable;
using backend_api::Support;
using backend_api::Supported;
using pattern::any;
using pattern::op;
using pattern::Pattern;

Pattern addRelu() { return op<ir::ReluOp>(op<ir::AddOp>(any(), any())); }

/// Entries of which each scenario takes some, by name.
PatternTable entries(const Texts& names) {
  const PatternTable all = {
      {"add_relu", addRelu()},
      {"add", op<ir::AddOp>(any(), any())},
      {"abs", op<ir::AbsOp>(any())},
      {"neg", op<ir::NegOp>(any())},
      {"mul_add", op<ir::AddOp>(op<ir::MulOp>(any(), any()), any())},
      {"mul_add3",
       op<ir::AddOp>(op<ir::AddOp>(op<ir::AddOp>(op<ir::MulOp>(any(), any()), any()), any()),
                     any())},
      {"with_constant", op<ir::AddOp>(any(), pattern::constant())},
      {"never", op<ir::AddOp>(any(), any()),
       [](const pattern::Match&, Operation*) -> Support { return Declined{"not today"}; }},
      {"clip", op<ir::ClipOp>()},
      {"concat", op<ir::ConcatOp>(op<ir::AbsOp>(any()), any())},
      {"split", op<ir::AbsOp>(pattern::result<ir::SplitOp>(0, any()))},
      {"matmul_add", op<ir::AddOp>(op<ir::MatmulOp>(any(), any()), any())},
  };
  PatternTable table;
  for (const std::string& name : names)
    table.push_back(*llvm::find_if(all, [&](const auto& entry) { return entry.name == name; }));
  return table;
}

struct Scenario {
  std::string name;
  Texts table;
  std::string body;  ///< Of main, or a module.
  Texts expected;
};
void PrintTo(const Scenario& value, std::ostream* out) { *out << value.name; }

class RelaxTest : public ParityTest, public testing::WithParamInterface<Scenario> {
 protected:
  void check() {
    place(fastBesidePlainHost({}, entries(GetParam().table)));
    if (GetParam().body.find("@main") == std::string::npos)
      graph(GetParam().body);
    else
      module(GetParam().body);
    partitioned();
    EXPECT_EQ(plan(), GetParam().expected);
  }
};
class RelaxMergeTest : public RelaxTest {};
class RelaxFuseTest : public RelaxTest {};

TEST_P(RelaxMergeTest, MergeCompositeFunctions) { check(); }
TEST_P(RelaxFuseTest, FuseOpsByPattern) { check(); }

std::string nameOf(const testing::TestParamInfo<Scenario>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Scenarios, RelaxMergeTest,
    testing::Values(
        Scenario{"RX_Conv2dReluTwice",
                 {"add_relu"},
                 "%0 = add %x, %y \n %1 = relu %0 \n %2 = add %1, %z \n %3 = relu %2 \n return %3",
                 {"v0 = fast_0{fast.add_relu[add relu] fast.add_relu[add relu]}(x, y, z)",
                  "return(v0)"}},
        Scenario{
            "RX_Diamond",
            {"add_relu", "abs", "neg", "add"},
            "%0 = add %x, %y \n %1 = relu %0 \n %2 = abs %1 \n %3 = neg %1 \n %4 = add %2, %3 \n"
            "return %4",
            {"v0 = fast_0{fast.add_relu[add relu] fast.abs[abs] fast.neg[neg] "
             "fast.add[add]}(x, y)",
             "return(v0)"}},
        Scenario{
            "RX_DiamondCyclicDependency",
            {"add_relu", "abs", "add"},
            "%0 = add %x, %y \n %1 = relu %0 \n %2 = abs %1 \n %3 = exp %1 \n %4 = add %2, %3 \n"
            "return %4",
            {"v0, v1 = fast_0{fast.add_relu[add relu] fast.abs[abs]}(x, y)", "v2 = exp(v0)",
             "v3 = fast_1{fast.add[add]}(v1, v2)", "return(v3)"}},
        Scenario{"RX_MergeProducers",
                 {"abs", "neg", "add"},
                 "%0 = abs %x \n %1 = neg %y \n %2 = add %0, %1 \n return %2",
                 {"v0 = fast_0{fast.abs[abs] fast.neg[neg] fast.add[add]}(x, y)", "return(v0)"}},
        Scenario{"RX_MergeProducersCyclic",
                 {"abs", "neg", "add"},
                 "%0 = abs %x \n %1 = exp %0 \n %2 = neg %1 \n %3 = add %0, %2 \n return %3",
                 {"v0 = fast_0{fast.abs[abs]}(x)", "v1 = exp(v0)",
                  "v2 = fast_1{fast.neg[neg] fast.add[add]}(v1, v0)", "return(v2)"}},
        Scenario{"RX_RfcExample",
                 {"add"},
                 "%0 = add %x, %y \n %1 = sub %z, %w \n %2 = add %0, %1 \n %3 = sub %z, %2 \n"
                 "%4 = add %x, %2 \n %5 = add %3, %4 \n return %5",
                 {"v0 = sub(z, w)",
                  "v1, v2 = fast_0{fast.add[add] fast.add[add] fast.add[add]}(x, y, v0)",
                  "v3 = sub(z, v1)", "v4 = fast_1{fast.add[add]}(v3, v2)", "return(v4)"}},
        Scenario{"RX_MixedNonComposite",
                 {"abs", "neg"},
                 "%0 = abs %x \n %1 = exp %0 \n %2 = neg %1 \n return %2",
                 {"v0 = fast_0{fast.abs[abs]}(x)", "v1 = exp(v0)", "v2 = fast_1{fast.neg[neg]}(v1)",
                  "return(v2)"}},
        Scenario{"RX_Reshape",
                 {"abs", "neg"},
                 R"(func.func @main(%x: $) -> tensor<2x2xf32> {
                   %shape = tsr.constant dense<[2, 2]> : tensor<2xi64> -> tensor<2xi64>
                   %0 = abs %x
                   %1 = tsr.reshape %0, %shape : ($, tensor<2xi64>) -> tensor<2x2xf32>
                   %2 = tsr.neg %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
                   return %2 : tensor<2x2xf32>
                 })",
                 {"v0 = fast_0{fast.abs[abs]}(x)", "v1 = reshape(v0, c)",
                  "v2 = fast_1{fast.neg[neg]}(v1)", "return(v2)"}},
        Scenario{"RX_CallsOfOtherFunctionsStay",
                 {"abs"},
                 R"(func.func private @other(%x: $) -> $ {
                   %0 = exp %x
                   return %0
                 }
                 func.func @main(%x: $) -> $ {
                   %0 = abs %x
                   %1 = call @other(%0) : ($) -> $
                   %2 = abs %1
                   return %2
                 })",
                 {"v0 = fast_0{fast.abs[abs]}(x)", "v1 = @other(v0)",
                  "v2 = fast_1{fast.abs[abs]}(v1)", "return(v2)"}},
        Scenario{"RX_ProjectionsMerge",
                 {"split", "neg"},
                 R"(func.func @main(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
                   %0:2 = tsr.split %x {axis = 1 : i64} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
                   %1 = tsr.abs %0#0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
                   %2 = tsr.neg %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
                   return %2 : tensor<2x2xf32>
                 })",
                 {"v0 = fast_0{fast.split[split abs] fast.neg[neg]}(x)", "return(v0)"}},
        Scenario{"RX_AProjectionThatEscapes",
                 {"split"},
                 R"(func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
                   %0:2 = tsr.split %x {axis = 1 : i64} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
                   %1 = tsr.abs %0#0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
                   return %1, %0#1 : tensor<2x2xf32>, tensor<2x2xf32>
                 })",
                 {"v0, v1 = split(x)", "v2 = abs(v0)", "return(v2, v1)"}}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Scenarios, RelaxFuseTest,
    testing::Values(
        Scenario{"RX_Partition",
                 {"add_relu"},
                 "%0 = add %x, %y \n %1 = relu %0 \n %2 = exp %1 \n return %2",
                 {"v0 = fast_0{fast.add_relu[add relu]}(x, y)", "v1 = exp(v0)", "return(v1)"}},
        Scenario{"RX_PriorityOfPatterns",
                 {"add", "add_relu"},
                 "%0 = add %x, %y \n %1 = relu %0 \n return %1",
                 {"v0 = fast_0{fast.add[add]}(x, y)", "v1 = relu(v0)", "return(v1)"}},
        Scenario{
            "RX_BranchIsOutput",
            {"add_relu", "abs"},
            "%0 = add %x, %y \n %1 = relu %0 \n %2 = abs %1 \n return %1, %2",
            {"v0, v1 = fast_0{fast.add_relu[add relu] fast.abs[abs]}(x, y)", "return(v0, v1)"}},
        Scenario{"RX_CyclicDependency",
                 {"mul_add"},
                 "%0 = mul %x, %y \n %1 = exp %0 \n %2 = add %0, %1 \n return %2",
                 {"v0 = mul(x, y)", "v1 = exp(v0)", "v2 = add(v0, v1)", "return(v2)"}},
        Scenario{
            "RX_BindConstants",
            {"with_constant"},
            "%c = tsr.constant dense<2.0> : $ -> $ \n %0 = add %x, %c \n %1 = add %0, %y \n"
            "return %1",
            {"v0 = fast_0{fast.with_constant[constant add]}(x)", "v1 = add(v0, y)", "return(v1)"}},
        Scenario{"RX_NoMatchChangesNothing",
                 {"add_relu"},
                 "%0 = exp %x \n %1 = abs %0 \n return %1",
                 {"v0 = exp(x)", "v1 = abs(v0)", "return(v1)"}},
        Scenario{"RX_Check",
                 {"never", "abs"},
                 "%0 = add %x, %y \n %1 = abs %0 \n return %1",
                 {"v0 = add(x, y)", "v1 = fast_0{fast.abs[abs]}(v0)", "return(v1)"}},
        Scenario{
            "RX_SeveralEntriesOfOneOwner",
            {"abs", "neg"},
            "%0 = abs %x \n %1 = exp %0 \n %2 = abs %1 \n %3 = exp %2 \n %4 = neg %3 \n return %4",
            {"v0 = fast_0{fast.abs[abs]}(x)", "v1 = exp(v0)", "v2 = fast_1{fast.abs[abs]}(v1)",
             "v3 = exp(v2)", "v4 = fast_2{fast.neg[neg]}(v3)", "return(v4)"}},
        Scenario{"RX_Split",
                 {"split"},
                 R"(func.func @main(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
                   %0:2 = tsr.split %x {axis = 1 : i64} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
                   %1 = tsr.abs %0#0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
                   return %1 : tensor<2x2xf32>
                 })",
                 {"v0 = fast_0{fast.split[split abs]}(x)", "return(v0)"}},
        Scenario{"RX_Clip",
                 {"clip"},
                 "%low = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32> \n"
                 "%0 = tsr.clip %x, %low {operandSegmentSizes = array<i32: 1, 1, 0>} : ($, "
                 "tensor<f32>) -> $ \n"
                 "return %0",
                 {"v0 = fast_0{fast.clip[constant clip]}(x)", "return(v0)"}},
        Scenario{
            "RX_MatmulAdd3",
            {"mul_add3", "mul_add"},
            "%0 = mul %x, %y \n %1 = add %0, %x \n %2 = add %1, %y \n %3 = add %2, %z \n return %3",
            {"v0 = fast_0{fast.mul_add3[mul add add add]}(x, y, z)", "return(v0)"}},
        Scenario{"RX_AnIntermediateIsReturned",
                 {"mul_add"},
                 "%0 = mul %x, %y \n %1 = add %0, %x \n return %1, %0",
                 {"v0 = mul(x, y)", "v1 = add(v0, x)", "return(v1, v0)"}},
        Scenario{"RX_SymbolicMatmul",
                 {"matmul_add"},
                 R"(!n = tensor<?x2xf32, #tsr.layout<dims = ["n", ""]>>
                 func.func @main(%x: !n, %w: tensor<2x2xf32>, %b: tensor<2xf32>) -> !n {
                   %0 = tsr.matmul %x, %w : (!n, tensor<2x2xf32>) -> !n
                   %1 = tsr.add %0, %b : (!n, tensor<2xf32>) -> !n
                   return %1 : !n
                 })",
                 {"v0 = fast_0{fast.matmul_add[matmul add]}(x, y, z)", "return(v0)"}},
        Scenario{"RX_InsideABranch",
                 {"add_relu"},
                 R"(func.func @main(%c: tensor<i1>, %x: $, %y: $) -> $ {
                   %0 = tsr.if %c : (tensor<i1>) -> $ {
                     %1 = add %x, %y
                     %2 = relu %1
                     tsr.yield %2 : $
                   } else {
                     tsr.yield %x : $
                   }
                   return %0
                 })",
                 {"v0 = if(x)", "  v1 = fast_0{fast.add_relu[add relu]}(y, z)", "  yield(v1)",
                  "  yield(y)", "return(v0)"}},
        Scenario{"RX_Concat",
                 {"concat"},
                 R"(func.func @main(%x: $, %y: $) -> tensor<8xf32> {
                   %0 = abs %x
                   %1 = tsr.concat %0, %y {axis = 0 : i64} : ($, $) -> tensor<8xf32>
                   return %1 : tensor<8xf32>
                 })",
                 {"v0 = fast_0{fast.concat[abs concat]}(x, y)", "return(v0)"}},
        Scenario{"RX_SharedValuesEnterOnce",
                 {"mul_add"},
                 "%0 = mul %x, %x \n %1 = add %0, %x \n return %1",
                 {"v0 = fast_0{fast.mul_add[mul add]}(x)", "return(v0)"}}),
    nameOf);

TEST_F(ParityTest, RX_SeveralRuns) {
  place(fastBesideHost(only({}), entries({"add_relu"})));
  graph("%0 = add %x, %y \n %1 = relu %0 \n %2 = exp %1 \n return %2");
  partitioned();
  const Texts once = plan();
  partitioned();
  EXPECT_EQ(plan(), once);
}

}  // namespace
}  // namespace tessera::tests
