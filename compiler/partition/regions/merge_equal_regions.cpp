// Regions that differ only in name and location are compiled once.
#include <map>

#include "compiler/backend_api/backend.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/partition/exclusions.h"
#include "compiler/partition/passes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::partition {

#define GEN_PASS_DEF_MERGEEQUALREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

/// All that the function says of itself but its name.
static DictionaryAttr attributesOf(func::FuncOp function) {
  NamedAttrList attributes(function->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(function.getContext());
}

static bool areEqual(func::FuncOp a, func::FuncOp b) {
  return attributesOf(a) == attributesOf(b) &&
         backend_api::nodeNumbers(a) == backend_api::nodeNumbers(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

/// Equal regions have equal keys.
static std::string coarseKey(func::FuncOp function) {
  std::string key;
  if (const auto name = function->getAttrOfType<StringAttr>(kRegionClass)) key = name.str() + ":";
  for (Operation& op : function.getBody().front()) key += op.getName().getStringRef().str() + ";";
  return key;
}

namespace {

struct MergeEqualRegions : impl::MergeEqualRegionsPassBase<MergeEqualRegions> {
  void runOnOperation() override {
    erasePlacementNotes(getOperation());
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

}  // namespace tessera::partition
