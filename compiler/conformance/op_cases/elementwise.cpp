#include "compiler/conformance/op_cases/op_cases.h"

namespace tessera::op_cases {

// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.

static void addUnary(std::vector<OpCase>& cases) {
  for (const char* op : {"abs",
                         "acos",
                         "acosh",
                         "asin",
                         "asinh",
                         "atan",
                         "atanh",
                         "ceil",
                         "celu",
                         "cos",
                         "cosh",
                         "elu",
                         "erf",
                         "exp",
                         "floor",
                         "hard_sigmoid",
                         "hard_swish",
                         "identity",
                         "leaky_relu",
                         "log",
                         "mish",
                         "neg",
                         "reciprocal",
                         "relu",
                         "round",
                         "selu",
                         "shrink",
                         "sigmoid",
                         "sign",
                         "sin",
                         "sinh",
                         "softplus",
                         "softsign",
                         "sqrt",
                         "tan",
                         "tanh",
                         "thresholded_relu"})
    cases.push_back({op, op, {"2x3xf32"}, "", {"2x3xf32"}, ""});
}

static void addBinary(std::vector<OpCase>& cases, const std::vector<std::string>& ops,
                      const std::string& element, const std::string& result) {
  for (const std::string& op : ops) {
    cases.push_back({op + "_broadcast",
                     op,
                     {"2x1x3x" + element, "4x1x" + element},
                     "",
                     {"2x4x3x" + result},
                     ""});
    cases.push_back({op + "_scalar", op, {element, "2x" + element}, "", {"2x" + result}, ""});
    cases.push_back({op + "_c1", op, {"2x" + element, "2xui16"}, "", {"2x" + result}, "(C1)"});
    cases.push_back(
        {op + "_c2", op, {"2x" + element, "3x" + element}, "", {"2x" + result}, "(C2)"});
  }
}

std::vector<OpCase> elementwiseCases() {
  std::vector<OpCase> cases = {
      {"bitwise_not", "bitwise_not", {"3xui8"}, "", {"3xui8"}, ""},
      {"not", "not", {"3xi1"}, "", {"3xi1"}, ""},
      {"is_nan", "is_nan", {"3xf16"}, "", {"3xi1"}, ""},
      {"is_inf", "is_inf", {"3xf64"}, "detect_negative = 0 : i64", {"3xi1"}, ""},
      {"cast", "cast", {"3xf32"}, "to = 7 : i64", {"3xi64"}, ""},
      {"cast_c1", "cast", {"3xf32"}, "to = 8 : i64", {"3xi64"}, "(C1)"},
      {"cast_c1_number", "cast", {"3xf32"}, "to = 4294967303 : i64", {"3xi64"}, "(C1)"},
      {"gelu", "gelu", {"3xbf16"}, R"(approximate = "tanh")", {"3xbf16"}, ""},
      {"gelu_c1", "gelu", {"3xf32"}, R"(approximate = "sigmoid")", {"3xf32"}, "(C1)"},
      {"bit_shift", "bit_shift", {"3xui8", "1xui8"}, R"(direction = "LEFT")", {"3xui8"}, ""},
      {"bit_shift_c1", "bit_shift", {"3xui8", "1xi8"}, R"(direction = "LEFT")", {"3xui8"}, "(C1)"},
      {"bit_shift_c2", "bit_shift", {"3xui8", "2xui8"}, R"(direction = "LEFT")", {"3xui8"}, "(C2)"},
      {"bit_shift_c3", "bit_shift", {"3xui8", "1xui8"}, R"(direction = "UP")", {"3xui8"}, "(C3)"},
      {"prelu", "prelu", {"2x3x4xf32", "3x1xf32"}, "", {"2x3x4xf32"}, ""},
      {"prelu_c1", "prelu", {"2x3xf32", "3xf64"}, "", {"2x3xf32"}, "(C1)"},
      {"prelu_c2", "prelu", {"1xf32", "3xf32"}, "", {"3xf32"}, "(C2)"},
      {"pow", "pow", {"2x3xf32", "3xi64"}, "", {"2x3xf32"}, ""},
      {"pow_c1", "pow", {"2xf32", "3xf32"}, "", {"2xf32"}, "(C1)"},
      {"where", "where", {"3x1xi1", "2xf32", "f32"}, "", {"3x2xf32"}, ""},
      {"where_c1", "where", {"2xi1", "2xf32", "2xi64"}, "", {"2xf32"}, "(C1)"},
      {"where_c2", "where", {"2xi1", "3xf32", "3xf32"}, "", {"3xf32"}, "(C2)"},
      {"clip", "clip", {"2xf32", "f32", "f32"}, "", {"2xf32"}, ""},
      {"clip_max_only", "clip", {"2xf32", "-", "f32"}, "", {"2xf32"}, ""},
      {"clip_c1", "clip", {"2xf32", "2xf32"}, "", {"2xf32"}, "(C1)"},
      {"clip_c1_element", "clip", {"2xf32", "f64"}, "", {"2xf32"}, "(C1)"},
      {"sum_one", "sum", {"2xf32"}, "", {"2xf32"}, ""},
      {"sum_three", "sum", {"2xf32", "3x1xf32", "f32"}, "", {"3x2xf32"}, ""},
      {"sum_c1_none", "sum", {}, "", {"2xf32"}, "(C1)"},
      {"add_dynamic", "add", {"?xf32", "3xf32"}, "", {"3xf32"}, ""},
      {"add_unknown", "add", {"?xf32", "?xf32"}, "", {"?xf32"}, ""},
      {"add_symbols",
       "add",
       {R"(?x3xf32, #tsr.layout<dims = ["n", ""]>)", R"(?x1xf32, #tsr.layout<dims = ["n", ""]>)"},
       "",
       {R"(?x3xf32, #tsr.layout<dims = ["n", ""]>)"},
       ""},
  };
  addUnary(cases);
  addBinary(cases, {"add", "div", "max", "mean", "min", "mod", "mul", "sub", "sum"}, "f32", "f32");
  addBinary(cases, {"equal", "greater", "greater_or_equal", "less", "less_or_equal"}, "f32", "i1");
  addBinary(cases, {"bitwise_and", "bitwise_or", "bitwise_xor"}, "i32", "i32");
  addBinary(cases, {"and", "or", "xor"}, "i1", "i1");
  // The element types of these are fixed by the operand types or checked by the type constraints of
  // the operands.
  std::erase_if(cases, [](const OpCase& c) {
    const bool isTyped =
        c.op == "and" || c.op == "or" || c.op == "xor" || c.op == "mean" || c.op == "sum";
    return isTyped && c.name == c.op + "_c1";
  });
  cases.push_back({"mean_c1", "mean", {"2xf32", "2xf64"}, "", {"2xf32"}, "(C1)"});
  cases.push_back({"sum_c1", "sum", {"2xf32", "2xf64"}, "", {"2xf32"}, "(C1)"});
  return cases;
}

// NOLINTEND(modernize-use-designated-initializers)

}  // namespace tessera::op_cases
