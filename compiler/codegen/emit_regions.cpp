#include "compiler/codegen/make_bundle.h"

namespace tessera::codegen {

Result<std::vector<OwnerEmission>> emitRegions(mlir::ModuleOp module,
                                               const backend_api::Owners& owners,
                                               const backend_api::Progress& progress) {
  std::vector<OwnerEmission> emissions;
  for (const backend_api::Owner& owner : owners) {
    llvm::SmallVector<mlir::func::FuncOp> regions;
    for (auto function : module.getOps<mlir::func::FuncOp>()) {
      if (backend_api::findOwner(owners, backend_api::ownerOf(function)) == &owner)
        regions.push_back(function);
    }
    if (regions.empty()) continue;
    TESSERA_TRY(auto emission, owner.backend->emit(module, regions, owner.target, progress));
    emissions.push_back({.owner = &owner, .emission = std::move(emission)});
  }
  return emissions;
}

}  // namespace tessera::codegen
