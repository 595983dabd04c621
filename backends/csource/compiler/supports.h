// Which operators are taken.
#pragma once

#include <optional>

#include "backends/csource/compiler/options.h"
#include "mlir/IR/Operation.h"

namespace tessera::backend_csource {

/// Why an operator or composite is declined; nothing when it is taken.
std::optional<std::string> whyDeclined(mlir::Operation* op, const Options& options);

/// Mnemonics of the operators that are taken, sorted.
std::vector<std::string> supportedOperators();

}  // namespace tessera::backend_csource
