// Operators that C functions of the user compute.
#pragma once

#include "backends/csource/compiler/nest_writer.h"

namespace tessera::backend_csource {

/// Writes the call of `symbol` for the nest's one operator: a csource_operation and what it points
/// to.
void printCall(NestWriter& w, llvm::StringRef symbol);

}  // namespace tessera::backend_csource
