// Elementwise operators as C expressions on one element.
#pragma once

#include <optional>
#include <string>

#include "mlir/IR/Operation.h"

namespace tessera::backend_csource {

/// Whether the operator is in scalar_formulas.def.
bool isScalarFormula(mlir::Operation* op);

/// Why this application of an elementwise operator is declined; nothing when it is not.
std::optional<std::string> refuseScalar(mlir::Operation* op);

/// The expression for an element of the result; `arguments` are names or constants, so that
/// they may stand in it more than once.
std::string scalarFormula(mlir::Operation* op, llvm::ArrayRef<std::string> arguments);

/// Classes of the operators, as full names of operations.
llvm::SmallVector<llvm::StringRef> scalarOpNames();

}  // namespace tessera::backend_csource
