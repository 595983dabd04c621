#include "compiler/conformance/op_cases/op_cases.h"

#include "compiler/ir/op_info.h"

namespace tessera::op_cases {

static std::string tensor(const std::string& inside) { return "tensor<" + inside + ">"; }

static std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// `operandSegmentSizes = array<i32: 1, 0>` when the operator has them.
static void addSegments(const std::vector<std::string>& values, const std::string& name,
                        size_t count, std::vector<std::string>& attributes) {
  std::vector<std::string> sizes;
  sizes.reserve(count);
  for (size_t i = 0; i < count; ++i)
    sizes.emplace_back(i < values.size() && values[i] != "-" ? "1" : "0");
  attributes.push_back(name + " = array<i32: " + join(sizes) + ">");
}

std::string toModule(const OpCase& opCase) {
  const ir::OpInfo* info = ir::findByMnemonic(opCase.op);
  std::vector<std::string> arguments, constants, values, types, attributes, results;
  for (const std::string& operand : opCase.operands) {
    if (operand == "-") continue;
    const std::string name = "%v" + std::to_string(values.size());
    const size_t equals =
        operand.find("#tsr") == std::string::npos ? operand.find('=') : std::string::npos;
    const std::string type = tensor(operand.substr(0, equals));
    values.push_back(name);
    types.push_back(type);
    if (equals == std::string::npos)
      arguments.push_back(name + ": " + type);
    else
      constants.push_back("  " + name + " = tsr.constant dense<" + operand.substr(equals + 1) +
                          "> : " + type + " -> " + type + "\n");
  }
  if (!opCase.attributes.empty()) attributes.push_back(opCase.attributes);
  if (info && info->hasOperandSegments)
    addSegments(opCase.operands, "operandSegmentSizes", info->operands.size(), attributes);
  if (info && info->hasResultSegments)
    addSegments(opCase.results, "resultSegmentSizes", info->results.size(), attributes);
  for (const std::string& result : opCase.results) {
    if (result != "-") results.push_back(tensor(result));
  }
  std::string text = "func.func @f(" + join(arguments) + ") {\n";
  for (const std::string& constant : constants) text += constant;
  text += results.empty() ? "  " : "  %r:" + std::to_string(results.size()) + " = ";
  text += "tsr." + opCase.op + " " + join(values);
  if (!attributes.empty()) text += " {" + join(attributes) + "}";
  return text + " : (" + join(types) + ") -> (" + join(results) + ")\n  return\n}\n";
}

std::vector<OpCase> allOpCases() {
  std::vector<OpCase> all;
  for (const auto& family :
       {elementwiseCases(), movementCases(), indexingCases(), generatingCases(), reductionCases(),
        productCases(), windowCases(), normCases(), recurrentCases()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

}  // namespace tessera::op_cases
