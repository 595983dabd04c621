// Sizes of a model's open dimensions, from its inputs.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::transforms {

/// Gives the entry function's arguments these shapes, one for each, and infers every type behind
/// them anew. An open dimension takes its size, everywhere if it has a name, or stays open where
/// the shape has ShapedType::kDynamic. Fails after an error: another number of shapes, another
/// rank, another size than the type has, two sizes for one name, an operator that refuses what it
/// gets (this one leaves the module changed). Before phase `partition` only.
mlir::LogicalResult bindInputs(mlir::ModuleOp module,
                               llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

}  // namespace tessera::transforms
