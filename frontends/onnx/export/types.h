// MLIR types as ONNX types.
#pragma once

#include "mlir/IR/Types.h"

namespace tessera::onnx {

class TypeProto;

/// Element type, sizes and names of dimensions, as far as they are known; names that the compiler
/// gave ("?7") included, since equal names are equal sizes. False for a type of which
/// nothing is: `none`.
bool writeType(TypeProto& proto, mlir::Type type);

}  // namespace tessera::onnx
