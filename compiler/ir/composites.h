// Names of composites: those that simplify recognises, and those of pattern tables.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::ir::composite {

#define TESSERA_COMPOSITE(constant, name) inline constexpr llvm::StringLiteral constant = name;
#include "compiler/ir/composites.def"
#undef TESSERA_COMPOSITE

/// Whether a composite of that name was made by the entry of a backend's pattern table,
/// `<kind>.<entry>`: its body is that backend's. Bodies of all others are a part of the graph.
inline bool isBackends(llvm::StringRef name) { return name.contains('.'); }

}  // namespace tessera::ir::composite
