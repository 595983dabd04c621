// Numbered regions become functions. The operators of a block are sorted on the graph whose nodes
// are the regions, so that a region with several exits has a place where all that it reads is there
// and nothing that it gives was used.
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/canonical_order.h"
#include "compiler/partition/regions/condensed_graph.h"
#include "compiler/partition/regions/outline.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace tessera::partition {

#define GEN_PASS_DEF_PARTITIONGRAPHPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

/// The operators of each region, in canonical order: regions that differ only in the order of
/// independent operators become equal functions.
using NumberedRegions = llvm::MapVector<int64_t, SmallVector<Operation*>>;

static NumberedRegions collectRegions(Block& block) {
  NumberedRegions regions;
  if (llvm::none_of(block, [](Operation& op) { return op.hasAttr(kRegionNumber); })) return regions;
  for (Operation* op : canonicalOrder(block)) {
    if (const auto number = op->getAttrOfType<IntegerAttr>(kRegionNumber))
      regions[number.getInt()].push_back(op);
  }
  return regions;
}

/// Makes the operators of each region neighbours.
static LogicalResult sortBlock(Block& block, const NumberedRegions& regions) {
  std::vector<Operation*> operations;
  for (Operation& op : block) operations.push_back(&op);
  Operation* terminator = block.mightHaveTerminator() ? operations.back() : nullptr;
  if (terminator) operations.pop_back();
  CondensedGraph graph(operations);
  llvm::DenseMap<int, ArrayRef<Operation*>> members;
  for (const auto& [number, region] : regions) {
    SmallVector<int> clusters;
    for (Operation* op : region) clusters.push_back(graph.clusterOf(graph.nodeOf(op)));
    if (!graph.canMerge(clusters))
      return region.front()->emitError()
             << "region " << number << " depends on itself through what is outside of it";
    members[graph.merge(clusters)] = region;
  }
  for (const int cluster : graph.order()) {
    const auto it = members.find(cluster);
    if (it == members.end()) {
      graph.operation(graph.members(cluster).front())->moveBefore(&block, block.end());
    } else {
      for (Operation* op : it->second) op->moveBefore(&block, block.end());
    }
  }
  if (terminator) terminator->moveBefore(&block, block.end());
  return success();
}

static std::optional<Binding> parseBinding(StringRef text) {
  return llvm::StringSwitch<std::optional<Binding>>(text)
      .Case("rules", Binding::kByRules)
      .Case("all", Binding::kAll)
      .Case("none", Binding::kNone)
      .Default(std::nullopt);
}

namespace {

struct PartitionGraph : impl::PartitionGraphPassBase<PartitionGraph> {
  using Base = impl::PartitionGraphPassBase<PartitionGraph>;
  using Base::Base;

  void runOnOperation() override {
    const std::optional<Binding> binding = parseBinding(bindConstants);
    if (!binding) {
      getOperation().emitError() << "found bind-constants '" << bindConstants
                                 << "', expected rules, all or none";
      return signalPassFailure();
    }
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    SymbolTable symbols(getOperation());
    RegionNames names(symbols);
    for (Block* block : hostBlocks(getOperation())) {
      const NumberedRegions regions = collectRegions(*block);
      if (regions.empty()) continue;
      if (failed(sortBlock(*block, regions))) return signalPassFailure();
      for (const auto& [number, region] : regions) {
        const backend_api::Owner* owner = owners->of(region.front());
        const bool isOne = owner != nullptr && llvm::all_of(region, [&](Operation* op) {
                             return owners->of(op) == owner;
                           });
        if (!isOne) {
          region.front()->emitError() << "region " << number << " has no owner, or several";
          return signalPassFailure();
        }
        outlineRegion(region, names.next(owner->target.kind), *owner, *owners, symbols, *binding);
      }
    }
  }
};

}  // namespace

}  // namespace tessera::partition
