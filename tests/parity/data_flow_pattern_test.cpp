// TVM's tests of rewriting and partitioning by DFPattern: what of a graph becomes a composite.
// Those of matching alone are in compiler/pattern/test.
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using backend_api::PatternTable;
using pattern::any;
using pattern::capture;
using pattern::either;
using pattern::op;
using pattern::Pattern;

/// gamma * (x - mean) / sqrt(variance + epsilon) + beta, products and sums in any order.
Pattern batchNorm() {
  const Pattern centred = op<ir::SubOp>(capture("x"), any());
  const Pattern deviation = op<ir::SqrtOp>(either<ir::AddOp>(any(), pattern::scalar("epsilon")));
  return either<ir::AddOp>(op<ir::DivOp>(either<ir::MulOp>(any(), centred), deviation), any());
}

/// What a relu gives, through tanh and neg alone, into a sum.
Pattern dominated() {
  return pattern::dominates(op<ir::ReluOp>(any()),
                            pattern::anyOf({op<ir::TanhOp>(any()), op<ir::NegOp>(any())}),
                            op<ir::AddOp>(any(), any()));
}

/// A pattern, a graph, and the host program that is left of it.
struct Case {
  std::string name;
  Pattern pattern;
  std::string body;
  Texts expected;
};
void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

class DataFlowPatternTest : public ParityTest, public testing::WithParamInterface<Case> {};

TEST_P(DataFlowPatternTest, BecomesComposites) {
  place({{.name = "fast", .supports = only({}), .patterns = {{"m", GetParam().pattern}}},
         {.name = "host"}});
  if (GetParam().body.find("@main") == std::string::npos)
    graph(GetParam().body);
  else
    module(GetParam().body);
  runPasses([](OpPassManager& manager) { manager.addPass(partition::createMergeCompositePass()); });
  EXPECT_EQ(plan(), GetParam().expected);
}

std::string nameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

const std::string kEpsilon = "%e = tsr.constant dense<1.0e-05> : $ -> $ \n %v = mul %w, %w \n";
const std::string kNorm = "sub mul constant add sqrt div add";

/// One normalisation of `x`, whose last value is `result`.
std::string norm(const std::string& x, const std::string& id, bool isCommuted = false) {
  const auto value = [&](const char* name) { return "%" + std::string(name) + id; };
  return value("c") + " = sub " + x + ", %y\n" + value("m") + " = mul " +
         (isCommuted ? value("c") + ", %z" : "%z, " + value("c")) + "\n" + value("s") + " = add " +
         (isCommuted ? "%e, %v" : "%v, %e") + "\n" + value("d") + " = sqrt " + value("s") + "\n" +
         value("q") + " = div " + value("m") + ", " + value("d") + "\n" + value("r") + " = add " +
         (isCommuted ? "%y, " + value("q") : value("q") + ", %y") + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    BatchNorm, DataFlowPatternTest,
    testing::Values(
        Case{"DF_fuse_batchnorm",
             batchNorm(),
             kEpsilon + norm("%x", "0") + "return %r0",
             {"v0 = mul(w, w)", "v1 = fast.m[" + kNorm + "](x, y, z, v0)", "return(v1)"}},
        Case{"DF_fuse_batchnorm_commutation",
             batchNorm(),
             kEpsilon + norm("%x", "0", /*isCommuted=*/true) + "return %r0",
             {"v0 = mul(w, w)", "v1 = fast.m[" + kNorm + "](x, y, z, v0)", "return(v1)"}},
        Case{"DF_fuse_double_batchnorm",
             batchNorm(),
             kEpsilon + norm("%x", "0") + norm("%r0", "1") + "return %r1",
             {"v0 = mul(w, w)", "v1 = fast.m[" + kNorm + "](x, y, z, v0)",
              "v2 = fast.m[" + kNorm + "](v1, y, z, v0)", "return(v2)"}},
        Case{"DF_partial_fuse_double_batchnorm",
             batchNorm(),
             kEpsilon + norm("%x", "0") + norm("%r0", "1") + "return %r1, %d0",
             {"v0 = mul(w, w)", "v1 = sub(x, y)", "v2 = mul(z, v1)", "v3 = add(v0, c)",
              "v4 = sqrt(v3)", "v5 = div(v2, v4)", "v6 = add(v5, y)",
              "v7 = fast.m[" + kNorm + "](v6, y, z, v0)", "return(v7, v4)"}},
        Case{
            "DF_no_fuse_batchnorm",
            batchNorm(),
            "%c = sub %x, %y \n %m = mul %z, %c \n %q = div %m, %w \n %r = add %q, %y \n return %r",
            {"v0 = sub(x, y)", "v1 = mul(z, v0)", "v2 = div(v1, w)", "v3 = add(v2, y)",
             "return(v3)"}}),
    nameOf);

const std::string kStretch = "fast.m[relu tanh neg add]";

/// A relu of `x` and two paths to the sum %s<id>.
std::string stretch(const std::string& x, const std::string& id) {
  return "%r" + id + " = relu " + x + "\n%t" + id + " = tanh %r" + id + "\n%n" + id + " = neg %r" +
         id + "\n%s" + id + " = add %t" + id + ", %n" + id + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Dominators, DataFlowPatternTest,
    testing::Values(Case{"DF_partition_dominator",
                         dominated(),
                         stretch("%x", "0") + "return %s0",
                         {"v0 = " + kStretch + "(x)", "return(v0)"}},
                    Case{"DF_partition_double_dominator",
                         dominated(),
                         stretch("%x", "0") + stretch("%s0", "1") + "return %s1",
                         {"v0 = " + kStretch + "(x)", "v1 = " + kStretch + "(v0)", "return(v1)"}},
                    Case{"DF_partition_quadruple_dominator",
                         dominated(),
                         stretch("%x", "0") + stretch("%s0", "1") + stretch("%s1", "2") +
                             stretch("%s2", "3") + "return %s3",
                         {"v0 = " + kStretch + "(x)", "v1 = " + kStretch + "(v0)",
                          "v2 = " + kStretch + "(v1)", "v3 = " + kStretch + "(v2)", "return(v3)"}},
                    Case{"DF_not_fuse_multi_diamond",
                         dominated(),
                         stretch("%x", "0") + "%b = mul %t0, %s0 \n return %b",
                         {"v0 = relu(x)", "v1 = tanh(v0)", "v2 = neg(v0)", "v3 = add(v1, v2)",
                          "v4 = mul(v1, v3)", "return(v4)"}},
                    Case{"DF_fuse_nested_diamonds",
                         op<ir::MulOp>(dominated(), op<ir::AbsOp>(any())),
                         stretch("%x", "0") + "%a = abs %y \n %b = mul %s0, %a \n return %b",
                         {"v0 = fast.m[relu tanh neg add abs mul](x, y)", "return(v0)"}}),
    nameOf);

Pattern sumOfThree() { return op<ir::AddOp>(op<ir::AddOp>(any(), any()), any()); }
Pattern biasAndRelu() {
  const auto bias = [](const Pattern& before) { return op<ir::AddOp>(before, any()); };
  const auto relu = [](const Pattern& before) { return op<ir::ReluOp>(before); };
  return pattern::optionally(pattern::optionally(op<ir::MulOp>(any(), any()), bias), relu);
}
const char* kFunction = R"(
  func.func private @twice(%x: $) -> $ {
    %0 = add %x, %x
    return %0
  }
  func.func @main(%x: $) -> $ {
    %0 = call @twice(%x) : ($) -> $
    %1 = relu %0
    return %1
  })";

INSTANTIATE_TEST_SUITE_P(
    Partition, DataFlowPatternTest,
    testing::Values(
        Case{"DF_partition_overlapping",
             sumOfThree(),
             "%0 = add %x, %y \n %1 = add %0, %z \n %2 = add %1, %w \n return %2",
             {"v0 = add(x, y)", "v1 = fast.m[add add](v0, z, w)", "return(v1)"}},
        Case{"DF_partition_option_All",
             biasAndRelu(),
             "%0 = mul %x, %y \n %1 = add %0, %z \n %2 = relu %1 \n return %2",
             {"v0 = fast.m[mul add relu](x, y, z)", "return(v0)"}},
        Case{"DF_partition_option_NoBias",
             biasAndRelu(),
             "%0 = mul %x, %y \n %1 = relu %0 \n return %1",
             {"v0 = fast.m[mul relu](x, y)", "return(v0)"}},
        Case{"DF_partition_option_NoRelu",
             biasAndRelu(),
             "%0 = mul %x, %y \n %1 = add %0, %z \n return %1",
             {"v0 = fast.m[mul add](x, y, z)", "return(v0)"}},
        Case{"DF_partition_option_Neither",
             biasAndRelu(),
             "%0 = mul %x, %y \n return %0",
             {"v0 = fast.m[mul](x, y)", "return(v0)"}},
        Case{"DF_partition_fuzzy_tuple",
             op<ir::ConcatOp>(pattern::every(op<ir::AbsOp>(any()))),
             R"(func.func @main(%x: $, %y: $, %z: $) -> tensor<12xf32> {
               %0 = abs %x
               %1 = abs %y
               %2 = abs %z
               %3 = tsr.concat %0, %1, %2 {axis = 0 : i64} : ($, $, $) -> tensor<12xf32>
               return %3 : tensor<12xf32>
             })",
             {"v0 = fast.m[abs abs abs concat](x, y, z)", "return(v0)"}},
        Case{"DF_partition_fuzzy_function_args",
             op<ir::AbsOp>(op<ir::AddOp>()),
             "%0 = add %x, %x \n %1 = abs %0 \n return %1",
             {"v0 = fast.m[add abs](x)", "return(v0)"}},
        Case{"DF_partition_parallel_branch_with_same_input",
             op<ir::MulOp>(op<ir::AbsOp>(capture("in")), op<ir::NegOp>(capture("in"))),
             "%0 = relu %x \n %1 = abs %0 \n %2 = neg %0 \n %3 = mul %1, %2 \n return %3",
             {"v0 = relu(x)", "v1 = fast.m[abs neg mul](v0)", "return(v1)"}},
        Case{"DF_partition_check_types",
             pattern::hasRank(op<ir::AbsOp>(any()), 2),
             "%0 = abs %x \n return %0",
             {"v0 = abs(x)", "return(v0)"}},
        Case{"DF_partition_function_IsNotEntered",
             op<ir::ReluOp>(pattern::callOf(op<ir::AddOp>(any(), any()))),
             kFunction,
             {"v0 = @twice(x)", "v1 = relu(v0)", "return(v1)"}},
        Case{"DF_partition_optional_function_OfAnOperator",
             op<ir::ReluOp>(pattern::anyOf({pattern::callOf(op<ir::AddOp>(any(), any())), any()})),
             kFunction,
             {"v0 = @twice(x)", "v1 = fast.m[relu](v0)", "return(v1)"}}),
    nameOf);

}  // namespace
}  // namespace tessera::tests
