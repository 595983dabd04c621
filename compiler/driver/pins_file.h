// Files of rules about who runs what.
#pragma once

#include <string>

#include "mlir/IR/BuiltinAttributes.h"
#include "tessera/status.h"

namespace tessera::driver {

/// The rules of a JSON file in the form of `tessera.pins` (compiler/partition/pins.h). Errors
/// (kInvalidInput), with the file: it cannot be read, is no JSON, a rule cannot be one.
Result<mlir::ArrayAttr> readPins(mlir::MLIRContext* context, const std::string& file);

}  // namespace tessera::driver
