// Values of which the code generator does not know what they are.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tessera::lowering {

/// The same integer or address, of which the code generator does not know that it is: what is read
/// there is read again, a loop of so many steps stays one, and no constant is folded.
mlir::Value opaque(mlir::ImplicitLocOpBuilder& b, mlir::Value value);

}  // namespace tessera::lowering
