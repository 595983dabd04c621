// Passes that need to know the targets, for tessera-opt.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tessera::tools {

/// Makes the built-in backends known to each context, with those of the option `--targets` as
/// owners of modules that name no targets, and registers the passes that need them. A text that
/// names no targets ends the program with exit code 2.
void registerOwnerPasses(mlir::DialectRegistry& dialects);

}  // namespace tessera::tools
