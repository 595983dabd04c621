// Which operators the runtime half has fast primitives for.
#pragma once

#include <string>
#include <vector>

#include "compiler/backend_api/support.h"
#include "mlir/IR/Operation.h"

namespace tessera::backend_onednn {

/// Declined with the reason: a form that the library has no kernel for, or only the slow one that
/// defines its meaning.
backend_api::Support supportsOperator(mlir::Operation* op);

/// Mnemonics of what it may take, sorted.
std::vector<std::string> supportedOperators();

}  // namespace tessera::backend_onednn
