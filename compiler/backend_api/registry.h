// The backends of one session, reachable from every module of its contexts.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "compiler/backend_api/backend.h"

namespace tessera::backend_api {

/// Owns the backends of a session. Filled once, then only read: from any thread.
class BackendRegistry {
 public:
  BackendRegistry() = default;
  BackendRegistry(const BackendRegistry&) = delete;
  BackendRegistry& operator=(const BackendRegistry&) = delete;

  /// Returns the backend, alive as long as the registry. Errors (kTargetFailed): its kind's name is
  /// that of another one, its kind cannot be (target::whyMalformed).
  Result<const Backend*> add(std::unique_ptr<Backend> backend);

  /// Null when there is none of that kind.
  const Backend* find(std::string_view kind) const;

  /// In the order in which they were added.
  std::vector<const Backend*> backends() const;

  /// Whom modules belong to that name no targets: for tools and tests that read plain modules.
  void setDefaultOwners(Owners owners) { defaultOwners_ = std::move(owners); }
  const Owners& defaultOwners() const { return defaultOwners_; }

 private:
  std::vector<std::unique_ptr<Backend>> backends_;
  Owners defaultOwners_;
};

/// The host target, which takes every operator and where refusals end, wherever it stands: the
/// least preferred owner whose kind is the host's. Null when there is none.
const Owner* hostOf(const Owners& owners);

/// Lets passes on modules of `context` find their owners. The registry outlives the context; the
/// last one attached counts.
void attachRegistry(mlir::MLIRContext& context, const BackendRegistry& registry);

/// Loads the dialects that any backend's passes may make: for passes that run such, before they do.
void loadDialects(mlir::MLIRContext& context);

/// Lets passes on modules of `context` keep code that they compiled: what EmitContext::cache is to
/// emission. The cache outlives the context; null detaches it.
void attachCodeCache(mlir::MLIRContext& context, CodeCache* cache);
/// Null when there is none.
CodeCache* codeCacheOf(mlir::MLIRContext& context);

/// Null when none was attached.
const BackendRegistry* registryOf(mlir::MLIRContext& context);

/// The owners that `tessera.targets` of the module names, in its order; the registry's default ones
/// when it names none. Errors (kInvalidInput): a target whose kind the registry does not have, no
/// registry.
Result<Owners> ownersOf(mlir::ModuleOp module);
/// The same for passes: the error is emitted at the module.
mlir::FailureOr<Owners> ownersOrEmitError(mlir::ModuleOp module);
/// Writes them into the module.
void setTargets(mlir::ModuleOp module, const Owners& owners);

}  // namespace tessera::backend_api
