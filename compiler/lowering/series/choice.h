// Formulas of which one is for lanes that are all of the usual kind.
#pragma once

#include "compiler/lowering/element.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::lowering {

/// Whether a condition holds in a lane at least, and in all lanes.
mlir::Value holdsAnywhere(const Condition& condition);
mlir::Value holdsEverywhere(const Condition& condition);

/// `usual` where the condition holds in all lanes, which it is expected to, else `any`.
Element chooseUsual(const Condition& condition, llvm::function_ref<Element()> usual,
                    llvm::function_ref<Element()> any);

}  // namespace tessera::lowering
