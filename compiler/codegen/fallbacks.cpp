// A second way to run every region that is not the host target's: the same operators by the host
// target, as one function with the same arguments. It is slower than what that makes of a model by
// itself, since it chose neither regions nor layouts, but it is there when the owner's code fails
// on the machine that runs the model.
#include "compiler/backend_api/registry.h"
#include "compiler/codegen/copies.h"
#include "compiler/codegen/passes.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::codegen {

using namespace mlir;

#define GEN_PASS_DEF_ADDFALLBACKSPASS
#define GEN_PASS_DEF_ATTACHFALLBACKSPASS
#include "compiler/codegen/passes.h.inc"

/// On a function of the host target: the region that it stands in for.
static constexpr llvm::StringLiteral kFallbackOf = "tessera.fallback_of";

/// Whether the host target can read and write all of it where it lies.
static bool isInHostMemory(func::FuncOp region) {
  const auto isThere = [](Type type) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || ir::spaceOf(tensor).empty();
  };
  return llvm::all_of(region.getArgumentTypes(), isThere) &&
         llvm::all_of(region.getResultTypes(), isThere);
}

namespace {

struct AddFallbacks : impl::AddFallbacksPassBase<AddFallbacks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->hasAttr(ir::kWithFallbackAttribute)) return;
    const auto owners = backend_api::ownersOrEmitError(module);
    if (failed(owners)) return signalPassFailure();
    const backend_api::Owner* host = backend_api::hostOf(*owners);
    if (!host) return;
    SymbolTable symbols(module);
    for (auto region : llvm::to_vector(module.getOps<func::FuncOp>())) {
      const backend_api::Owner* owner =
          backend_api::findOwner(*owners, backend_api::ownerOf(region));
      if (!owner || owner == host || region->hasAttr(kFallbackOf) || copyOf(region) ||
          region.isExternal() || !isInHostMemory(region))
        continue;
      func::FuncOp fallback = region.clone();
      fallback.setName(region.getName().str() + "_fallback");
      fallback.setPrivate();
      fallback->setAttr(backend_api::kTargetAttribute,
                        backend_api::toAttribute(&getContext(), host->target));
      fallback->setAttr(kFallbackOf, FlatSymbolRefAttr::get(region.getSymNameAttr()));
      symbols.insert(fallback);
    }
  }
};

struct AttachFallbacks : impl::AttachFallbacksPassBase<AttachFallbacks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto fallback : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      const auto of = fallback->getAttrOfType<FlatSymbolRefAttr>(kFallbackOf);
      if (!of) continue;
      auto region = module.lookupSymbol<func::FuncOp>(of.getValue());
      if (region) attach(fallback, region);
      fallback.erase();
    }
  }

  void attach(func::FuncOp fallback, func::FuncOp region) {
    const auto own = region->getAttrOfType<ArrayAttr>(kImplementations);
    const auto more = fallback->getAttrOfType<ArrayAttr>(kImplementations);
    if (!own || !more) {
      // The owner's refusal says more than that nobody stands in.
      if (own && fallback->hasAttr(backend_api::kRefusedAttribute))
        region.emitRemark() << "has no fallback: "
                            << fallback->getAttr(backend_api::kRefusedAttribute);
      return;
    }
    SmallVector<Attribute> all(own.begin(), own.end());
    llvm::append_range(all, more);
    region->setAttr(kImplementations, ArrayAttr::get(&getContext(), all));
  }
};

}  // namespace

}  // namespace tessera::codegen
