// Cases as text: what a report shows is all that it takes to run the case again.
#pragma once

#include "compiler/conformance/choose_cases.h"

namespace tessera::conformance {

/// As MLIR prints it: large constants by their names, which mean something in this context only.
std::string shortTextOf(mlir::func::FuncOp function);

/// With the bytes of large constants written out.
std::string wholeTextOf(mlir::func::FuncOp function);

/// The one function of what wholeTextOf wrote, or a person did. Errors (kInvalidInput): it is no
/// case.
Result<Candidate> candidateIn(mlir::MLIRContext& context, const std::string& text);

}  // namespace tessera::conformance
