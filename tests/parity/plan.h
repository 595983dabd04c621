// A partitioned module in words that a test can state.
#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

namespace tessera::tests {

/// The host program of function `name`, a line for each operation: "v0 = fast_0{add relu}(x, y)" is
/// a call of region fast_0, which holds these operators; "v1 = abs(v0)" an operator that is in
/// none. Arguments are x, y, z, w, a4, a5, ...; values are numbered in order; constants are "c".
/// Composites of backends are "fast.entry[add relu]", wherever they stand. Bodies of control flow
/// follow their operation, indented.
std::vector<std::string> planOf(mlir::ModuleOp module, llvm::StringRef name = "main");

}  // namespace tessera::tests
