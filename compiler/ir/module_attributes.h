// Names that the parts of the compiler agree on: the entry function, attributes of the module that
// make a saved one complete, names of its inputs and outputs.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::ir {

/// The function that a compiled model runs.
inline constexpr llvm::StringLiteral kEntryFunction = "main";
/// Null when the module has none.
inline mlir::func::FuncOp entryFunction(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>(kEntryFunction);
}

inline constexpr llvm::StringLiteral kPhaseAttribute = "tessera.phase";  ///< The last that ran.
inline constexpr llvm::StringLiteral kTargetsAttribute =
    "tessera.targets";  ///< Most preferred first.
inline constexpr llvm::StringLiteral kPlacementAttribute = "tessera.placement";
inline constexpr llvm::StringLiteral kThreadsAttribute = "tessera.threads";  ///< 0: all cores.
/// Unit: regions of other targets than the host target can be run by that, too.
inline constexpr llvm::StringLiteral kWithFallbackAttribute = "tessera.with_fallback";
/// Regions that a target does not get (compiler/partition/exclusions.h).
inline constexpr llvm::StringLiteral kExclusionsAttribute = "tessera.exclusions";

/// Of the entry function's arguments and results: the model's name for the value, a string.
inline constexpr llvm::StringLiteral kValueNameAttribute = "tessera.name";

}  // namespace tessera::ir
