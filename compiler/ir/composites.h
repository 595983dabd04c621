// Names of composites.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::ir::composite {

#define TESSERA_COMPOSITE(constant, name) inline constexpr llvm::StringLiteral constant = name;
#include "compiler/ir/composites.def"
#undef TESSERA_COMPOSITE

}  // namespace tessera::ir::composite
