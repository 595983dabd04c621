// Merging by reachability, as TVM's MergeCompilerRegions, but order-independent: operators are
// visited in canonical order, and regions grow until nothing changes. Each operator joins the
// regions of its operands, all at once where that is allowed (an exit of each part may be none of
// the whole), else one by one. Cost: a few rounds over the operators, in each what stands between
// two regions.
#include "compiler/partition/exclusions.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/owner_index.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/border_views.h"
#include "compiler/partition/regions/canonical_order.h"
#include "compiler/partition/regions/condensed_graph.h"
#include "compiler/partition/regions/outline.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::partition {

#define GEN_PASS_DEF_MERGECOMPILERREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::kUnlimited;
using backend_api::Owner;
using backend_api::RegionRules;
using Cluster = CondensedGraph::Cluster;

/// Calls `visit` for each operation of the block of `value`'s producer that uses it, itself or
/// inside.
static void forEachUser(Value value, llvm::function_ref<void(Operation*)> visit) {
  Block* block = value.getParentBlock();
  for (Operation* user : value.getUsers()) {
    if (Operation* ancestor = block->findAncestorOpInBlock(*user)) visit(ancestor);
  }
}

namespace {

class Merging {
 public:
  Merging(Block& block, const OwnerIndex& owners)
      : graph_(canonicalOrder(block)), owners_(owners), owner_(graph_.size()) {
    for (size_t node = 0; node < graph_.size(); ++node) {
      const Owner* owner = owners.of(graph_.operation(static_cast<int>(node)));
      if (owner && owners.rules(*owner).mergesOperators) owner_[node] = owner;
    }
  }

  /// Parts that were marked as regions are merged first. Fails, with an error, when one cannot be.
  LogicalResult mergeMarked() {
    llvm::MapVector<int64_t, SmallVector<Cluster>> marked;
    for (size_t node = 0; node < graph_.size(); ++node) {
      Operation* op = graph_.operation(static_cast<int>(node));
      const auto number = op->getAttrOfType<IntegerAttr>(kRegionNumber);
      if (number && owner_[node])
        marked[number.getInt()].push_back(graph_.clusterOf(static_cast<int>(node)));
    }
    for (const auto& [number, clusters] : marked) {
      if (!graph_.canMerge(clusters)) {
        graph_.operation(clusters.front())->emitError()
            << "region " << number << " depends on itself through what is outside of it";
        return failure();
      }
      graph_.merge(clusters);
    }
    return success();
  }

  /// The merged regions, each in canonical order.
  std::vector<std::vector<Operation*>> run() {
    bool changes = true;
    while (changes) {
      changes = false;
      for (size_t node = 0; node < graph_.size(); ++node) {
        if (owner_[node]) changes |= joinOperands(static_cast<int>(node));
      }
    }
    std::vector<std::vector<Operation*>> regions;
    for (size_t node = 0; node < graph_.size(); ++node) {
      SmallVector<int> members(graph_.members(static_cast<int>(node)));
      if (members.empty() || !owner_[node]) continue;
      llvm::sort(members);
      auto& region = regions.emplace_back();
      for (const int member : members) region.push_back(graph_.operation(member));
    }
    return regions;
  }

 private:
  bool joinOperands(int node) {
    SmallVector<Cluster> clusters = {graph_.clusterOf(node)};
    for (const int producer : graph_.producers(node)) {
      const Cluster cluster = graph_.clusterOf(producer);
      if (owner_[producer] == owner_[node] && !llvm::is_contained(clusters, cluster))
        clusters.push_back(cluster);
    }
    if (clusters.size() == 1) return false;
    if (tryMerge(clusters)) return true;
    bool changes = false;
    for (const Cluster cluster : ArrayRef(clusters).drop_front())
      changes |= clusters.size() > 2 && tryMerge({graph_.clusterOf(node), cluster});
    return changes;
  }

  bool tryMerge(ArrayRef<Cluster> clusters) {
    if (!isAllowed(clusters) || !graph_.canMerge(clusters)) return false;
    graph_.merge(clusters);
    return true;
  }

  bool isAllowed(ArrayRef<Cluster> clusters) const {
    const int first = graph_.members(clusters.front()).front();
    const RegionRules& rules = owners_.rules(*owner_[first]);
    size_t count = 0;
    for (const Cluster cluster : clusters) count += graph_.members(cluster).size();
    if (count > rules.maxOperations) return false;
    if (rules.maxExits == kUnlimited && rules.maxDepth == kUnlimited) return true;
    std::vector<int> members;
    for (const Cluster cluster : clusters) llvm::append_range(members, graph_.members(cluster));
    llvm::sort(members);
    return countExits(members) <= rules.maxExits && depthOf(members) <= rules.maxDepth;
  }

  /// Values that are used outside.
  size_t countExits(ArrayRef<int> members) const {
    llvm::DenseSet<Operation*> inside;
    for (const int member : members) inside.insert(graph_.operation(member));
    size_t exits = 0;
    for (Operation* op : inside) {
      for (const Value result : op->getResults()) {
        bool leaves = false;
        forEachUser(result, [&](Operation* user) { leaves |= !inside.contains(user); });
        exits += leaves ? 1 : 0;
      }
    }
    return exits;
  }

  /// Operators on the longest path.
  size_t depthOf(ArrayRef<int> members) const {
    llvm::DenseMap<int, size_t> depths;
    size_t greatest = 0;
    for (const int member : members) {
      size_t depth = 0;
      for (const int producer : graph_.producers(member))
        depth = std::max(depth, depths.lookup(producer));
      depths[member] = depth + 1;
      greatest = std::max(greatest, depth + 1);
    }
    return greatest;
  }

  CondensedGraph graph_;
  const OwnerIndex& owners_;
  std::vector<const Owner*> owner_;  ///< Of each node; null where it does not merge.
};

struct MergeCompilerRegions : impl::MergeCompilerRegionsPassBase<MergeCompilerRegions> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    int64_t number = firstFreeNumber();
    for (Block* block : hostBlocks(getOperation())) {
      const auto merges = [&](Operation& op) {
        const Owner* owner = owners->of(&op);
        return owner && owners->rules(*owner).mergesOperators;
      };
      if (llvm::none_of(*block, merges)) continue;
      Merging merging(*block, *owners);
      if (failed(merging.mergeMarked())) return signalPassFailure();
      for (const std::vector<Operation*>& region : merging.run())
        numberRegion(region, owners->rules(*owners->of(region.front())), number);
    }
  }

  /// Behind those of marked regions.
  int64_t firstFreeNumber() {
    int64_t next = 0;
    getOperation().walk([&](Operation* op) {
      if (const auto number = op->getAttrOfType<IntegerAttr>(kRegionNumber))
        next = std::max(next, number.getInt() + 1);
    });
    return next;
  }

  static void numberRegion(ArrayRef<Operation*> region, const backend_api::RegionRules& rules,
                           int64_t& number) {
    llvm::SetVector<Operation*> members(region.begin(), region.end());
    for (Operation* op : members) op->removeAttr(kRegionNumber);
    releaseBorderViews(members);
    if (rules.maxExits == backend_api::kUnlimited) {
      releaseBorderConcats(members);
      releaseBorderViews(members);  // What stood before or behind a concatenation.
    }
    // The host program may still have a lone concatenation; that is seen when its parts are known.
    if (members.empty() || (members.size() == 1 && isa<ir::ConcatOp>(members.front()))) return;
    const auto attribute = Builder(members.front()->getContext()).getI64IntegerAttr(number++);
    for (Operation* op : members) op->setAttr(kRegionNumber, attribute);
  }
};

}  // namespace

}  // namespace tessera::partition
