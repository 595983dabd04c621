// Every operator of the table: legal cases have the inferred types and survive printing and
// bytecode, illegal ones are refused with the label of the constraint they break.
#include <gtest/gtest.h>

#include <set>

#include "compiler/conformance/op_cases/op_cases.h"
#include "compiler/ir/op_info.h"
#include "compiler/ir/test/parse_for_test.h"
#include "compiler/ir/tsr.h"

namespace tessera::op_cases {

/// Found by GoogleTest by its name.
static void PrintTo(const OpCase& opCase, std::ostream* stream) {  // NOLINT: GoogleTest's spelling
  *stream << toModule(opCase);
}

}  // namespace tessera::op_cases

namespace tessera::ir::test {
namespace {

using op_cases::OpCase;

TsrOpInterface findOp(mlir::ModuleOp module, const std::string& mnemonic) {
  TsrOpInterface found;
  module.walk([&](TsrOpInterface op) {
    if (op->getName().getStringRef() == "tsr." + mnemonic) found = op;
  });
  return found;
}

class LegalOp : public testing::TestWithParam<OpCase> {};

TEST_P(LegalOp, HasInferredTypes) {
  TestContext context;
  const auto module = context.parse(toModule(GetParam()));
  ASSERT_TRUE(module) << context.diagnostics() << toModule(GetParam());
  const TsrOpInterface op = findOp(*module, GetParam().op);
  ASSERT_TRUE(op);
  llvm::SmallVector<mlir::Type> types;
  ASSERT_TRUE(mlir::succeeded(inferResultTypes(op, types))) << context.diagnostics();
  EXPECT_EQ(mlir::TypeRange(types), op->getResultTypes()) << toText(*module);
}

TEST_P(LegalOp, CountsWork) {
  TestContext context;
  const auto module = context.parse(toModule(GetParam()));
  ASSERT_TRUE(module);
  TsrOpInterface op = findOp(*module, GetParam().op);
  const auto isStatic = [](mlir::Type type) {
    return llvm::cast<mlir::RankedTensorType>(type).hasStaticShape();
  };
  const bool areStatic =
      llvm::all_of(op->getOperandTypes(), isStatic) && llvm::all_of(op->getResultTypes(), isStatic);
  if (!areStatic || op->getNumResults() == 0) return;
  EXPECT_GE(op.getFlops(), 0);
  EXPECT_GT(op.getBytes(), 0);
  EXPECT_EQ(op.getFusionKind(), findByMnemonic(GetParam().op)->fusionKind);
}

TEST_P(LegalOp, SurvivesPrintingAndBytecode) {
  TestContext context;
  const auto module = context.parse(toModule(GetParam()));
  ASSERT_TRUE(module);
  const std::string text = toText(*module);
  const auto again = context.parse(text);
  ASSERT_TRUE(again) << context.diagnostics() << text;
  EXPECT_EQ(toText(*again), text);
  const auto fromBytes = context.parse(toBytecode(*module));
  ASSERT_TRUE(fromBytes) << context.diagnostics();
  EXPECT_EQ(toText(*fromBytes), text);
}

class IllegalOp : public testing::TestWithParam<OpCase> {};

TEST_P(IllegalOp, IsRefused) {
  TestContext context;
  EXPECT_FALSE(context.parse(toModule(GetParam()))) << toModule(GetParam());
  EXPECT_NE(context.diagnostics().find("'tsr." + GetParam().op + "' op " + GetParam().label),
            std::string::npos)
      << context.diagnostics() << toModule(GetParam());
}

std::vector<OpCase> cases(bool areLegal) {
  std::vector<OpCase> all = op_cases::allOpCases();
  std::erase_if(all, [&](const OpCase& opCase) { return opCase.label.empty() != areLegal; });
  return all;
}
std::string nameOf(const testing::TestParamInfo<OpCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Ops, LegalOp, testing::ValuesIn(cases(true)), nameOf);
INSTANTIATE_TEST_SUITE_P(Ops, IllegalOp, testing::ValuesIn(cases(false)), nameOf);

TEST(OpTable, EveryOperatorAndConstraintHasACase) {
  std::set<std::string> covered;
  for (const OpCase& opCase : op_cases::allOpCases()) covered.insert(opCase.op + opCase.label);
  for (const OpInfo& info : opTable()) {
    const std::string op(info.mnemonic);
    EXPECT_TRUE(covered.contains(op)) << op;
    for (int i = 1; i <= info.numConstraints; ++i) {
      const std::string label = "(C" + std::to_string(i) + ")";
      // One element type is left by the type constraints of the operands.
      if ((op == "and" || op == "or" || op == "xor") && i == 1) continue;
      EXPECT_TRUE(covered.contains(op + label)) << op << " " << label;
    }
  }
}

/// The parts of a list between commas that lie in no brackets.
std::vector<std::string> splitTopLevel(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '<' || c == '[' ? 1 : c == '>' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ' || depth != 0 || !parts.back().empty())
      parts.back() += c;
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

/// A function around an example, with an argument for each operand that the example does not
/// define.
std::string toModule(const OpInfo& info) {
  const std::string example(info.example);
  const std::string op = " = tsr." + std::string(info.mnemonic) + " ";
  const size_t first = example.find(op) + op.size();
  const size_t types = example.rfind(" :"), open = example.find('(', types),
               close = example.find(") ->", open);
  const std::string names = example.substr(first, example.find_first_of("{:", first) - first);
  std::vector<std::string> operands = splitTopLevel(names);
  const std::vector<std::string> operandTypes =
      splitTopLevel(example.substr(open + 1, close - open - 1));
  EXPECT_EQ(operands.size(), operandTypes.size()) << example;
  std::string arguments;
  for (size_t i = 0; i < std::min(operands.size(), operandTypes.size()); ++i) {
    std::erase(operands[i], ' ');
    if (example.find(operands[i] + " = ") != std::string::npos) continue;
    arguments += (arguments.empty() ? "" : ", ") + operands[i] + ": " + operandTypes[i];
  }
  return "func.func @f(" + arguments + ") {\n" + example + "\nreturn\n}\n";
}

TEST(OpTable, ExamplesAreLegal) {
  for (const OpInfo& info : opTable()) {
    TestContext context;
    EXPECT_TRUE(context.parse(toModule(info))) << context.diagnostics() << toModule(info);
  }
}

TEST(OpTable, IsSortedAndFindsByBothNames) {
  EXPECT_TRUE(std::ranges::is_sorted(opTable(), {}, &OpInfo::mnemonic));
  EXPECT_EQ(findByMnemonic("matmul")->onnxName, "MatMul");
  EXPECT_EQ(findByOnnxName("LayerNormalization")->mnemonic, "layer_norm");
  EXPECT_EQ(findByMnemonic("relayout"), nullptr);
  EXPECT_EQ(findByOnnxName("NoSuchOp"), nullptr);
}

}  // namespace
}  // namespace tessera::ir::test
