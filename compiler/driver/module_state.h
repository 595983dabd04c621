// What a tessera::Module owns.
#pragma once

#include <memory>

#include "compiler/backend_api/registry.h"
#include "compiler/driver/pass_door.h"
#include "compiler/driver/pipeline.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tessera/compile.h"

namespace tessera {

struct Session::State {
  backend_api::BackendRegistry registry;
  backend_api::CodeCache cache;
};

struct Module::State {
  // In this order: modules go before the context that holds their types and constants, and that
  // before the backends that made them.
  std::shared_ptr<Session> session;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<driver::PassDoor> door;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CompileOptions options;
  std::string file;  ///< Where it came from; empty for memory.

  State(const CompileOptions& options, std::string file);

  backend_api::BackendRegistry& registry() const { return session->state_->registry; }

  /// Fills the module from an ONNX model or from a saved module, and settles what it is for.
  Status import(driver::ImportRequest request);
  Status read();
  Status settleTargets();

  /// Runs one phase, the next of the module.
  Status run(target::Phase phase, const driver::PhaseServices& services = {});
  /// Behind phase emit: the error of a region that its target refused.
  Status checkRefusals() const;

  /// Adds the file to an error that does not name one.
  Error atFile(Error error) const {
    if (error.file.empty()) error.file = file;
    return error;
  }
};

}  // namespace tessera
