// Regions that differ only in name and location are compiled once.
#include <map>

#include "compiler/backend_api/region_nodes.h"
#include "compiler/partition/passes.h"
#include "mlir/IR/OperationSupport.h"

namespace tessera::partition {

using namespace mlir;

namespace {

bool areEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         backend_api::ownerOf(a) == backend_api::ownerOf(b) &&
         backend_api::nodeNumbers(a) == backend_api::nodeNumbers(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

/// Equal regions have equal keys.
std::string coarseKey(func::FuncOp function) {
  std::string key;
  for (Operation& op : function.getBody().front()) key += op.getName().getStringRef().str() + ";";
  return key;
}

struct MergeEqualRegions : PassWrapper<MergeEqualRegions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeEqualRegions)

  StringRef getArgument() const override { return "tessera-partition-merge-equal-regions"; }
  StringRef getDescription() const override { return "keep one of all regions that are equal"; }

  void runOnOperation() override {
    std::map<std::string, SmallVector<func::FuncOp>> kept;
    llvm::DenseMap<StringAttr, StringAttr> replacement;
    for (func::FuncOp function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!backend_api::ownerOf(function) || function.isExternal()) continue;
      SmallVector<func::FuncOp>& candidates = kept[coarseKey(function)];
      auto* const same =
          llvm::find_if(candidates, [&](func::FuncOp other) { return areEqual(other, function); });
      if (same == candidates.end()) {
        candidates.push_back(function);
        continue;
      }
      replacement[function.getSymNameAttr()] = same->getSymNameAttr();
      function.erase();
    }
    getOperation().walk([&](func::CallOp call) {
      const auto it = replacement.find(call.getCalleeAttr().getAttr());
      if (it != replacement.end()) call.setCalleeAttr(FlatSymbolRefAttr::get(it->second));
    });
  }
};

}  // namespace

std::unique_ptr<Pass> createMergeEqualRegionsPass() {
  return std::make_unique<MergeEqualRegions>();
}

}  // namespace tessera::partition
