// What a tessera::Module owns.
#pragma once

#include <memory>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_registry/registry.h"
#include "compiler/driver/measuring/kept_code.h"
#include "compiler/driver/pass_door.h"
#include "compiler/driver/run_phases.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tessera/compile.h"

namespace tessera {

struct Session::State {
  backend_api::BackendRegistry registry;
  std::vector<backend_registry::MissingBackend> missing;
  std::vector<backend_registry::Plugin> plugins;
  backend_api::CodeCache cache{driver::keptCode()};
  bool isIsolated = false;
};

struct Module::State {
  // In this order: modules go before the context that holds their types and constants, and that
  // before the backends that made them.
  std::shared_ptr<Session> session;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<driver::PassDoor> door;
  driver::ModuleInPhases phases;
  CompileOptions options;
  std::string file;  ///< Where it came from; empty for memory.
  std::string plan;  ///< What placement `measured` found, as JSON, once it has.
  std::vector<std::string> notes;

  State(const CompileOptions& options, std::string file);

  backend_api::BackendRegistry& registry() const { return session->state_->registry; }

  /// Fills the module from an ONNX model or from a saved module, and settles what it is for.
  Status import(driver::ImportRequest request);
  Status read();
  /// The plan, read or found by measuring, goes into the module.
  Status settlePlan();
  /// Whether phase `partition` waits for that.
  bool needsPlan() const;
  Status findPlan();
  /// Costs are those of a file (mock:FILE) instead of a store.
  bool hasCostsOfItsOwn() const;
  std::string storePath() const;
  /// Looks schedules up in the cost store; empty with costs of one's own.
  driver::FindSchedule scheduleFinder();
  Status applyPlanFile();
  /// A usage error for options that do not reach into processes of their own.
  Status checkIsolation() const;

  mlir::ModuleOp module() const { return phases.module.get(); }

  /// Adds the file to an error that does not name one.
  Error atFile(Error error) const {
    if (error.file.empty()) error.file = file;
    return error;
  }
};

/// The text of a plan's file. Errors (kInvalidInput): it cannot be read.
Result<std::string> readPlanFile(const std::string& path);

/// The name of the placement that measures.
inline constexpr llvm::StringLiteral kMeasuredPlacement = "measured";

/// Writes what the module is for into it: the targets it names, unless others are asked for, its
/// placement and its number of threads. Errors (kUsage): targets or passes that are not there.
Status settleTargets(mlir::ModuleOp module, const backend_api::BackendRegistry& registry,
                     const CompileOptions& options);

}  // namespace tessera
