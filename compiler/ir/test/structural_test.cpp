// Operators with bodies, layout and space conversion, foreign operators, marks, the host program.
#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"

namespace tessera::ir::test {
namespace {

struct Case {
  std::string name;
  std::string
      body;  ///< Of a function with arguments %x: tensor<2x3xf32>, %c: tensor<i1>, %n: tensor<i64>.
  std::string message = "";  ///< Empty for a legal case.
};

std::string toModule(const Case& c) {
  return "func.func private @callee(tensor<2xf32>) -> tensor<2xf32>\n"
         "func.func private @nothing()\n"
         "func.func @f(%x: tensor<2x3xf32>, %c: tensor<i1>, %n: tensor<i64>) {\n" +
         c.body + "\n  return\n}\n";
}

std::string nameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class LegalStructure : public testing::TestWithParam<Case> {};

TEST_P(LegalStructure, SurvivesPrintingAndBytecode) {
  TestContext context;
  const auto module = context.parse(toModule(GetParam()));
  ASSERT_TRUE(module) << context.diagnostics() << toModule(GetParam());
  const std::string text = toText(*module);
  const auto again = context.parse(text);
  ASSERT_TRUE(again) << context.diagnostics() << text;
  EXPECT_EQ(toText(*again), text);
  const auto fromBytes = context.parse(toBytecode(*module));
  ASSERT_TRUE(fromBytes) << context.diagnostics();
  EXPECT_EQ(toText(*fromBytes), text);
}

const char* const kComposite =
    R"(%y = tsr.composite "scale"(%x) {axis = 1 : i64} attributes {note} : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<2x3xf32>):
      %b = tsr.mul %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      tsr.yield %b : tensor<2x3xf32>
    })";

INSTANTIATE_TEST_SUITE_P(
    Ops, LegalStructure,
    testing::Values(
        Case{"composite", kComposite},
        Case{"composite_without_inputs", R"(%y = tsr.composite "one"() : () -> tensor<f32> {
      %b = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
      tsr.yield %b : tensor<f32>
    })"},
        Case{
            "custom",
            R"(%y = tsr.custom "Fancy"(%x) {domain = "com.example", onnx_attributes = {a = 1 : i64}, opset = 1 : i64, present = array<i1: true, false>} : (tensor<2x3xf32>) -> tensor<*xf32>)"},
        Case{"if", R"(%y = tsr.if %c : (tensor<i1>) -> tensor<?x3xf32> {
      tsr.yield %x : tensor<2x3xf32>
    } else {
      %z = tsr.concat %x, %x {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      tsr.yield %z : tensor<4x3xf32>
    })"},
        Case{
            "loop",
            R"(%y:2 = tsr.loop %n, %x {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<i64>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<?x2x3xf32>) {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<2x3xf32>):
      tsr.yield %go, %a, %x : tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>
    })"},
        Case{
            "scan",
            R"(%y:2 = tsr.scan %n, %x {num_scan_inputs = 1 : i64} : (tensor<i64>, tensor<2x3xf32>) -> (tensor<i64>, tensor<2x3xf32>) {
    ^bb0(%s: tensor<i64>, %a: tensor<3xf32>):
      tsr.yield %s, %a : tensor<i64>, tensor<3xf32>
    })"},
        Case{"relayout",
             "%y = tsr.relayout %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<order = [1, "
             "0]>>"},
        Case{"copy",
             "%y = tsr.copy %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<space = "
             "\"far\">>"},
        Case{"marks", R"(%y = tsr.compiler_begin "native" %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %z = tsr.compiler_end "native" %y : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        Case{"host_program", R"(%a = tsr.alloc {offset = 64 : i64, size = 8 : i64} : <tensor<2xf32>>
      %b = tsr.alloc {output = 0 : i64, size = 8 : i64} : <tensor<2xf32>>
      %g = tsr.global dense<1.0> : tensor<4xf32> -> <tensor<4xf32>>
      %v = tsr.view %g {offset = 8 : i64} : <tensor<4xf32>> -> <tensor<2xf32>>
      tsr.call @callee ins(%v : !tsr.buffer<tensor<2xf32>>) outs(%a : !tsr.buffer<tensor<2xf32>>)
      tsr.call @nothing ins() outs()
      tsr.copy_buffer %a to %b : <tensor<2xf32>>, <tensor<2xf32>>)"}),
    nameOf);

class IllegalStructure : public testing::TestWithParam<Case> {};

TEST_P(IllegalStructure, IsRefused) {
  TestContext context;
  EXPECT_FALSE(context.parse(toModule(GetParam())));
  EXPECT_NE(context.diagnostics().find(GetParam().message), std::string::npos)
      << context.diagnostics();
}

INSTANTIATE_TEST_SUITE_P(
    Ops, IllegalStructure,
    testing::Values(
        Case{"composite_c1", R"(%y = tsr.composite "f"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32> {
    ^bb0(%a: tensor<3x2xf32>):
      tsr.yield %a : tensor<3x2xf32>
    })",
             "(C1)"},
        Case{"composite_c1_count",
             R"(%y = tsr.composite "f"(%x) : (tensor<2x3xf32>) -> tensor<f32> {
      %b = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
      tsr.yield %b : tensor<f32>
    })",
             "(C1)"},
        Case{"composite_c1_layout",
             R"(%y = tsr.composite "f"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<2x3xf32, #tsr.layout<order = [1, 0]>>):
      %r = tsr.relayout %a : (tensor<2x3xf32, #tsr.layout<order = [1, 0]>>) -> tensor<2x3xf32>
      tsr.yield %r : tensor<2x3xf32>
    })",
             "(C1)"},
        Case{"composite_c1_space",
             R"(%y = tsr.composite "f"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<2x3xf32, #tsr.layout<space = "far">>):
      %r = tsr.copy %a : (tensor<2x3xf32, #tsr.layout<space = "far">>) -> tensor<2x3xf32>
      tsr.yield %r : tensor<2x3xf32>
    })",
             "(C1)"},
        Case{"composite_c2_layout",
             R"(%y = tsr.composite "f"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<2x3xf32>):
      %r = tsr.copy %a : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<space = "far">>
      tsr.yield %r : tensor<2x3xf32, #tsr.layout<space = "far">>
    })",
             "(C2)"},
        Case{"composite_c2", R"(%y = tsr.composite "f"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32> {
    ^bb0(%a: tensor<2x3xf32>):
      tsr.yield %a : tensor<2x3xf32>
    })",
             "'tsr.composite' op result #0"},
        Case{"if_c1", R"(%k = tsr.constant dense<true> : tensor<2xi1> -> tensor<2xi1>
      %y = tsr.if %k : (tensor<2xi1>) -> tensor<2x3xf32> {
      tsr.yield %x : tensor<2x3xf32>
    } else {
      tsr.yield %x : tensor<2x3xf32>
    })",
             "(C1)"},
        Case{"if_c2", R"(%y = tsr.if %c : (tensor<i1>) -> tensor<2x3xf32> {
      tsr.yield %x : tensor<2x3xf32>
    } else {
      tsr.yield %n : tensor<i64>
    })",
             "(C2)"},
        Case{"if_c2_no_yield", R"(%y = tsr.if %c : (tensor<i1>) -> tensor<2x3xf32> {
      tsr.yield %x : tensor<2x3xf32>
    } else {
      %z = tsr.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    })",
             "(C2)"},
        Case{
            "loop_c1",
            R"(%y = tsr.loop %n, %x {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%i: tensor<i64>):
      tsr.yield %c, %x : tensor<i1>, tensor<2x3xf32>
    })",
            "(C1)"},
        Case{
            "loop_c2",
            R"(%y = tsr.loop %n, %x {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<2x3xf32>):
      tsr.yield %go : tensor<i1>
    })",
            "(C2)"},
        Case{
            "scan_c1",
            R"(%y = tsr.scan %x {num_scan_inputs = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<3xf32>):
      tsr.yield %a : tensor<3xf32>
    })",
            "(C1)"},
        Case{
            "scan_c2",
            R"(%y = tsr.scan %x {num_scan_inputs = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<3xf32>):
      tsr.yield
    })",
            "(C2)"},
        Case{"relayout_c1",
             "%y = tsr.relayout %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<space = "
             "\"far\">>",
             "(C1)"},
        Case{"relayout_c1_shape", "%y = tsr.relayout %x : (tensor<2x3xf32>) -> tensor<?x3xf32>",
             "(C1)"},
        Case{"copy_c1",
             "%y = tsr.copy %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #tsr.layout<order = [1, 0], "
             "space = \"far\">>",
             "(C1)"},
        Case{"mark_type", "%y = tsr.compiler_begin \"t\" %x : (tensor<2x3xf32>) -> tensor<3x2xf32>",
             "same type"},
        Case{"view_c1", R"(%g = tsr.global dense<1.0> : tensor<4xf32> -> <tensor<4xf32>>
      %v = tsr.view %g {offset = 12 : i64} : <tensor<4xf32>> -> <tensor<2xf32>>)",
             "(C1)"},
        Case{"view_c1_negative", R"(%g = tsr.global dense<1.0> : tensor<4xf32> -> <tensor<4xf32>>
      %v = tsr.view %g {offset = -9223372036854775808 : i64} : <tensor<4xf32>> -> <tensor<2xf32>>)",
             "(C1)"},
        Case{"call_unknown", "tsr.call @nobody ins() outs()", "expected the name of a function"},
        Case{
            "huge_operand",
            R"(%z = tsr.custom "F"() {domain = "", onnx_attributes = {}, opset = 1 : i64, present = array<i1>} : () -> tensor<4611686018427387904x4xf32>
      %y = tsr.abs %z : (tensor<4611686018427387904x4xf32>) -> tensor<4611686018427387904x4xf32>)",
            "2^62 bytes"},
        Case{
            "huge_result",
            R"(%s = tsr.constant dense<[4611686018427387904, 2, 3]> : tensor<3xi64> -> tensor<3xi64>
      %y = tsr.expand %x, %s : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x2x3xf32>)",
            "2^62 bytes"}),
    nameOf);

template <typename Op>
Op first(mlir::ModuleOp module) {
  Op found;
  module.walk([&](Op op) { found = found ? found : op; });
  return found;
}

TEST(Composite, CountsItsBody) {
  TestContext context;
  const auto module = context.parse(toModule({.name = "", .body = kComposite}));
  ASSERT_TRUE(module);
  auto composite = first<CompositeOp>(*module);
  EXPECT_EQ(composite.getFlops(), 6);
  EXPECT_EQ(composite.getBytes(), 48);
  EXPECT_EQ(composite.getFusionKind(), FusionKind::Broadcast);
}

TEST(Composite, OfTwoOperatorsIsOpaque) {
  TestContext context;
  const auto module = context.parse(toModule(
      {.name = "", .body = R"(%y = tsr.composite "f"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<2x3xf32>):
      %b = tsr.exp %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %d = tsr.abs %b : (tensor<2x3xf32>) -> tensor<2x3xf32>
      tsr.yield %d : tensor<2x3xf32>
    })"}));
  ASSERT_TRUE(module) << context.diagnostics();
  auto composite = first<CompositeOp>(*module);
  EXPECT_EQ(composite.getFlops(), 66);
  EXPECT_EQ(composite.getFusionKind(), FusionKind::Opaque);
}

TEST(Inference, RefusesOperandsThatAreNoTensors) {
  TestContext context;
  const auto module = context.parse(toModule(
      {.name = "",
       .body =
           R"(%u = tsr.custom "F"() {domain = "", onnx_attributes = {}, opset = 1 : i64, present = array<i1>} : () -> tensor<*xf32>)"}));
  ASSERT_TRUE(module) << context.diagnostics();
  auto custom = first<CustomOp>(*module);
  mlir::OperationState state(custom.getLoc(), "tsr.abs");
  state.addOperands(custom->getResults());
  state.addTypes(custom->getResultTypes());
  mlir::Operation* op = mlir::Operation::create(state);
  llvm::SmallVector<mlir::Type> types;
  EXPECT_TRUE(mlir::failed(inferResultTypes(op, types)));
  EXPECT_NE(context.diagnostics().find("expected a ranked tensor"), std::string::npos);
  op->destroy();
}

}  // namespace
}  // namespace tessera::ir::test
