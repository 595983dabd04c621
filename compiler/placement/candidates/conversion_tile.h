// What brings a value from one layout or memory space to another, as a module of its own.
#pragma once

#include "compiler/placement/candidates/proposal.h"

namespace tessera::placement {

/// A module whose entry function takes a value in layout `from` and returns it in layout `to`, for
/// the targets of `source`; nothing is placed.
mlir::OwningOpRef<mlir::ModuleOp> makeConversion(mlir::ModuleOp source, mlir::Type from,
                                                 mlir::Type to);

}  // namespace tessera::placement
