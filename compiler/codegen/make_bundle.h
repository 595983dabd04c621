// A partitioned, lowered module with its host program becomes what an artifact holds.
#pragma once

#include "artifact/bundle.h"
#include "compiler/backend_api/backend.h"

namespace tessera::codegen {

/// What the owners emitted, in the order of `Owners`.
struct OwnerEmission {
  const backend_api::Owner* owner = nullptr;
  backend_api::Emission emission;
};

/// Phase `emit`: asks each owner for the code of all its regions in one call. Errors: what the
/// owner reports.
Result<std::vector<OwnerEmission>> emitRegions(mlir::ModuleOp module,
                                               const backend_api::Owners& owners,
                                               const backend_api::Progress& progress);

struct BundleOptions {
  std::string producer;
  std::string modelName;
  uint32_t defaultThreads = 0;
};

/// Serialises the host program. Constants borrow the bytes of the module's store: it must outlive
/// the bundle.
Result<artifact::Bundle> makeBundle(mlir::ModuleOp module, std::vector<OwnerEmission> emissions,
                                    const BundleOptions& options);

}  // namespace tessera::codegen
