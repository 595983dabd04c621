// What a tessera::Module owns.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"
#include "compiler/driver/pass_door.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tessera/compile.h"

namespace tessera {

struct Module::State {
  // In this order: the module goes before the context that holds its types and constants.
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<driver::PassDoor> door;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  backend_api::Owners owners;
  CompileOptions options;
  std::string file;  ///< Where it came from; empty for memory.

  /// Adds the file to an error that does not name one.
  Error atFile(Error error) const {
    if (error.file.empty()) error.file = file;
    return error;
  }
};

}  // namespace tessera
