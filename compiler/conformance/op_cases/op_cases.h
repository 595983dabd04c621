// Applications of operators, legal and illegal: tests of the dialect, of inference and of export go
// over them, and the legal ones are cases of the kit.
#pragma once

#include <string>
#include <vector>

namespace tessera::op_cases {

/// One application of an operator. Operands and results are the inside of tensor<...>; "-" is an
/// absent optional one; "2xi64=[3, 2]" is a constant operand.
struct OpCase {
  std::string name;  ///< "conv_grouped"; for illegal ones the operator and the broken constraint,
                     ///< "conv_c2".
  std::string op;    ///< Mnemonic.
  std::vector<std::string> operands;
  std::string attributes;  ///< Without braces.
  std::vector<std::string> results;
  std::string label;  ///< "(C2)": the constraint that is broken; empty for a legal case.
};

/// The text of a module with one function that applies the operator and returns nothing.
std::string toModule(const OpCase& opCase);

std::vector<OpCase> elementwiseCases();
std::vector<OpCase> movementCases();
std::vector<OpCase> indexingCases();
std::vector<OpCase> generatingCases();
std::vector<OpCase> reductionCases();
std::vector<OpCase> productCases();
std::vector<OpCase> windowCases();
std::vector<OpCase> normCases();
std::vector<OpCase> recurrentCases();
std::vector<OpCase> allOpCases();

}  // namespace tessera::op_cases
