// What the partial evaluator knows of shape arithmetic, and that hostile graphs cost little.
#include "compiler/ir/infer/known_dims.h"

#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"

namespace tessera::ir::test {
namespace {

struct Case {
  std::string name;
  std::string body;  ///< Defines %r from %x: tensor<?x3x?xf32>, whose first dimension is n, and %i:
                     ///< tensor<2xi64>.
  std::string type;  ///< Of %r, without "tensor<>".
  std::string known;
};

std::string toModule(const Case& c) {
  return "func.func @f(%x: tensor<?x3x?xf32, #tsr.layout<dims = [\"n\", \"\", \"\"]>>, %i: "
         "tensor<2xi64>) -> tensor<" +
         c.type + "> {\n" +
         "  %shape = tsr.shape %x : (tensor<?x3x?xf32, #tsr.layout<dims = [\"n\", \"\", \"\"]>>) "
         "-> tensor<3xi64>\n" +
         "  %one = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>\n" +
         "  %zero = tsr.constant dense<0> : tensor<i64> -> tensor<i64>\n" +
         "  %minus = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>\n" + c.body +
         "\n  return %r : tensor<" + c.type + ">\n}\n";
}

mlir::Value returned(mlir::ModuleOp module) {
  mlir::Value value;
  module.walk([&](mlir::func::ReturnOp op) { value = op.getOperand(0); });
  return value;
}

class KnownDims : public testing::TestWithParam<Case> {};

TEST_P(KnownDims, AreFound) {
  TestContext context;
  const auto module = context.parse(toModule(GetParam()));
  ASSERT_TRUE(module) << context.diagnostics() << toModule(GetParam());
  const std::optional<Dims> dims = knownDims(returned(*module));
  EXPECT_EQ(dims ? ir::toText(*dims) : "none", GetParam().known);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, KnownDims,
    testing::Values(Case{"shape", "%r = tsr.identity %shape : (tensor<3xi64>) -> tensor<3xi64>",
                         "3xi64", "[n, 3, ?]"},
                    Case{"argument", "%r = tsr.identity %i : (tensor<2xi64>) -> tensor<2xi64>",
                         "2xi64", "[?, ?]"},
                    Case{"gather_unsqueeze_concat", R"(
  %g = tsr.gather %shape, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %a = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %u = tsr.unsqueeze %g, %a : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %r = tsr.concat %u, %minus {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>)",
                         "2xi64", "[n, -1]"},
                    Case{"slice_cast", R"(
  %e = tsr.constant dense<3> : tensor<1xi64> -> tensor<1xi64>
  %s = tsr.slice %shape, %one, %e {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = tsr.cast %s {to = 6 : i64} : (tensor<2xi64>) -> tensor<2xi32>)",
                         "2xi32", "[3, ?]"},
                    Case{"arithmetic", R"(
  %a = tsr.mul %shape, %one : (tensor<3xi64>, tensor<1xi64>) -> tensor<3xi64>
  %b = tsr.add %a, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  %c = tsr.div %b, %one : (tensor<3xi64>, tensor<1xi64>) -> tensor<3xi64>
  %r = tsr.sub %c, %shape : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>)",
                         "3xi64", "[0, 0, ?]"},
                    Case{"division_by_zero", R"(
  %r = tsr.div %shape, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>)",
                         "3xi64", "[?, ?, ?]"},
                    Case{"expand_idiom", R"(
  %e = tsr.equal %shape, %minus : (tensor<3xi64>, tensor<1xi64>) -> tensor<3xi1>
  %r = tsr.where %e, %one, %shape : (tensor<3xi1>, tensor<1xi64>, tensor<3xi64>) -> tensor<3xi64>)",
                         "3xi64", "[n, 3, ?]"},
                    Case{"constant_of_shape", R"(
  %k = tsr.constant dense<2> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.constant_of_shape %k {value = dense<7> : tensor<1xi64>} : (tensor<1xi64>) -> tensor<2xi64>)",
                         "2xi64", "[7, 7]"},
                    Case{"reduce_prod", R"(
  %s = tsr.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x3x?xf32, #tsr.layout<dims = ["n", "", ""]>>) -> tensor<1xi64>
  %r = tsr.reduce_prod %s {keepdims = 0 : i64} : (tensor<1xi64>) -> tensor<i64>)",
                         "i64", "[3]"},
                    Case{"negative_index", R"(
  %k = tsr.constant dense<[-2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.gather %shape, %k : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>)",
                         "2xi64", "[3, n]"},
                    Case{"small_cast",
                         "%r = tsr.cast %shape {to = 3 : i64} : (tensor<3xi64>) -> tensor<3xi8>",
                         "3xi8", "[?, ?, ?]"},
                    Case{"float",
                         "%r = tsr.cast %shape {to = 1 : i64} : (tensor<3xi64>) -> tensor<3xf32>",
                         "3xf32", "none"}),
    [](const auto& info) { return info.param.name; });

TEST(KnownDimsCost, DiamondsAndChainsAreBounded) {
  TestContext context;
  std::string body =
      "  %v0 = tsr.add %one, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n";
  // 2^3000 paths, and far deeper than the stack.
  constexpr int kDepth = 3000;
  for (int i = 1; i <= kDepth; ++i) {
    const std::string last = "%v" + std::to_string(i - 1);
    body += "  %v" + std::to_string(i) + " = tsr.add " + last + ", " + last +
            " : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n";
  }
  body +=
      "  %r = tsr.identity %v" + std::to_string(kDepth) + " : (tensor<1xi64>) -> tensor<1xi64>\n";
  const auto module =
      context.parse(toModule({.name = "", .body = body, .type = "1xi64", .known = ""}));
  ASSERT_TRUE(module) << context.diagnostics();
  EXPECT_EQ(ir::toText(*knownDims(returned(*module))), "[?]");
}

TEST(KnownInts, LeastNumberIsKnown) {
  TestContext context;
  const auto module = context.parse(toModule(
      {.name = "",
       .body = "%r = tsr.constant dense<-9223372036854775808> : tensor<1xi64> -> tensor<1xi64>",
       .type = "1xi64",
       .known = ""}));
  ASSERT_TRUE(module) << context.diagnostics();
  EXPECT_EQ(knownInts(returned(*module)), (llvm::SmallVector<int64_t>{INT64_MIN}));
}

}  // namespace
}  // namespace tessera::ir::test
