// Phase emit. Owners answer one after the other, each for all its regions; an owner uses the
// threads.
#include "compiler/backend_api/registry.h"
#include "compiler/codegen/copies.h"
#include "compiler/codegen/passes.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::codegen {

using namespace mlir;

#define GEN_PASS_DEF_EMITREGIONSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

struct EmitRegions : impl::EmitRegionsPassBase<EmitRegions> {
  EmitRegions() = default;
  explicit EmitRegions(EmitServices services) : services_(std::move(services)) {}

  void runOnOperation() override {
    const auto owners = backend_api::ownersOrEmitError(getOperation());
    if (failed(owners)) return signalPassFailure();
    for (const backend_api::Owner& owner : *owners) {
      SmallVector<func::FuncOp> regions;
      for (auto function : getOperation().getOps<func::FuncOp>()) {
        if (backend_api::findOwner(*owners, backend_api::ownerOf(function)) == &owner &&
            !function->hasAttr(kImplementations) &&
            !function->hasAttr(backend_api::kRefusedAttribute) && !copyOf(function))
          regions.push_back(function);
      }
      if (!regions.empty()) emit(owner, regions);
    }
    eraseIntermediates();
  }

 private:
  void emit(const backend_api::Owner& owner, ArrayRef<func::FuncOp> regions) {
    backend_api::CodeCache own;
    const backend_api::EmitContext context{
        .numThreads = std::max<size_t>(getContext().getNumThreads(), 1),
        .cache = services_.cache ? *services_.cache : own,
        .progress = services_.progress};
    auto emission = owner.backend->emit(getOperation(), regions, owner.target, context);
    if (emission && emission->regions.size() != regions.size())
      emission = targetFailed("target '" + owner.target.kind + "' answered for " +
                              std::to_string(emission->regions.size()) +
                              " regions, was asked for " + std::to_string(regions.size()));
    if (!emission) {
      for (const func::FuncOp region : regions)
        refuse(region, backend_api::declined(emission.error()).reason);
      return;
    }
    SymbolTable symbols(getOperation());
    SmallVector<FlatSymbolRefAttr> code(emission->blobs.size());
    for (auto [region, answer] : llvm::zip_equal(regions, emission->regions)) {
      if (const auto* declined = std::get_if<backend_api::Declined>(&answer)) {
        refuse(region, declined->reason);
        continue;
      }
      const auto& made = std::get<backend_api::RegionCode>(answer);
      if (made.blob >= code.size()) {
        refuse(region, "its code is blob " + std::to_string(made.blob) + " of " +
                           std::to_string(code.size()));
        continue;
      }
      if (!code[made.blob]) code[made.blob] = addCode(owner.target, *emission, made.blob, symbols);
      setImplementation(region, code[made.blob], made);
    }
  }

  void refuse(func::FuncOp region, const std::string& reason) {
    region->setAttr(backend_api::kRefusedAttribute, StringAttr::get(&getContext(), reason));
  }

  /// Takes the bytes of one blob out of the emission.
  FlatSymbolRefAttr addCode(const target::Target& target, backend_api::Emission& emission,
                            size_t blob, SymbolTable& symbols) {
    ModuleOp module = getOperation();
    const std::string& leastVersion = emission.leastVersion;
    const std::string hash =
        module.getContext()->getLoadedDialect<ir::TsrDialect>()->constants().add(
            std::move(emission.blobs[blob].bytes));
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto code = builder.create<ir::CodeOp>(
        module.getLoc(), target.kind + "_code", backend_api::toAttribute(&getContext(), target),
        ir::BlobAttr::get(&getContext(), hash), emission.leastAbi,
        leastVersion.empty() ? StringAttr() : builder.getStringAttr(leastVersion));
    symbols.insert(code);  // Makes the name unique.
    return FlatSymbolRefAttr::get(code.getSymNameAttr());
  }

  void setImplementation(func::FuncOp region, FlatSymbolRefAttr code,
                         const backend_api::RegionCode& made) {
    Builder builder(&getContext());
    ArrayAttr features;
    if (!made.cpuFeatures.empty())
      features = builder.getStrArrayAttr(
          SmallVector<StringRef>(made.cpuFeatures.begin(), made.cpuFeatures.end()));
    region->setAttr(kImplementations, builder.getArrayAttr(ir::ImplementationAttr::get(
                                          &getContext(), code, builder.getStringAttr(made.entry),
                                          static_cast<int64_t>(made.workspaceBytes), features)));
  }

  /// Modules that owners lowered their regions to, and what refers to them.
  void eraseIntermediates() {
    llvm::DenseSet<StringAttr> erased;
    for (auto nested : llvm::make_early_inc_range(getOperation().getOps<ModuleOp>())) {
      if (!backend_api::ownerOf(nested)) continue;
      erased.insert(nested.getSymNameAttr());
      nested.erase();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (const NamedAttribute attribute : llvm::to_vector(function->getDiscardableAttrs())) {
        const auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue());
        if (symbol && erased.contains(symbol.getAttr())) function->removeAttr(attribute.getName());
      }
    }
  }

  EmitServices services_;
};

}  // namespace

std::unique_ptr<Pass> createEmitRegionsPass(EmitServices services) {
  return std::make_unique<EmitRegions>(std::move(services));
}

}  // namespace tessera::codegen
