// Attributes of the module itself that make a saved one complete.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

inline constexpr llvm::StringLiteral kPhaseAttribute = "tessera.phase";  ///< The last that ran.
inline constexpr llvm::StringLiteral kTargetsAttribute =
    "tessera.targets";  ///< Most preferred first.
inline constexpr llvm::StringLiteral kPlacementAttribute = "tessera.placement";
inline constexpr llvm::StringLiteral kThreadsAttribute = "tessera.threads";  ///< 0: all cores.
/// Regions that a target refused to compile: an array of {region, target, reason}.
inline constexpr llvm::StringLiteral kExclusionsAttribute = "tessera.exclusions";

}  // namespace tessera::ir
