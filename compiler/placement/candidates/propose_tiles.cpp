// The rules that make candidates.
#include <set>

#include "compiler/backend_api/pattern_table.h"
#include "compiler/partition/answers.h"
#include "compiler/partition/exclusions.h"
#include "compiler/pattern/make_composite.h"
#include "compiler/placement/candidates/preferences.h"
#include "compiler/placement/candidates/split.h"

namespace tessera::placement {

using namespace mlir;
using backend_api::Owner;

namespace {

/// Chains are at most so long that each of their beginnings is worth a look.
constexpr size_t kMaxChain = 8;
/// Where branches meet, so many operators at most are looked at together.
constexpr size_t kMaxCone = 12;
/// What is offered to other targets, too, has at most so many operators.
constexpr size_t kMaxShared = 16;

class Proposals {
 public:
  Proposals(const OperatorGraph& graph, const partition::OwnerIndex& owners, const PlaceTile& place)
      : graph_(graph), owners_(owners), place_(place), preferences_(graph, owners) {}

  std::vector<Proposal> run() {
    for (size_t i = 0; i < owners_.size(); ++i) addRegions(owners_[i]);
    for (size_t i = 0; i < owners_.size(); ++i) {
      addPatterns(owners_[i]);
      addComposites(owners_[i]);
      addSingles(owners_[i]);
    }
    addShared();
    return std::move(proposals_);
  }

 private:
  void add(const Owner& owner, NodeSet nodes, const std::string& rule) {
    const ir::TargetAttr target = owners_.attribute(owner);
    if (nodes.empty() || !seen_.insert({owners_.indexOf(owner), nodes}).second) return;
    if (!preferences_.allow(nodes, target)) return;
    proposals_.push_back(
        {.tile = {.nodes = std::move(nodes), .target = target, .reads = {}}, .rule = rule});
  }

  void addRegions(const Owner& owner) {
    const bool merges = owners_.rules(owner).mergesOperators;
    const std::string rule = merges ? "region" : "fused";
    for (const NodeSet& region : regionsOfTarget(graph_, owners_.attribute(owner), place_)) {
      add(owner, region, rule);
      if (!merges) {
        addAll(owner, endsOf(region, kMaxChain), "split." + rule);
        continue;
      }
      const std::vector<NodeSet> stretches = stretchesOf(graph_, region);
      addAll(owner, runsOf(stretches), "split." + rule);
      for (const NodeSet& stretch : stretches) {
        addAll(owner, chainsOf(graph_, stretch), "chain." + rule);
        addAll(owner, conesOf(graph_, stretch, kMaxCone), "cone." + rule);
      }
    }
  }

  void addAll(const Owner& owner, const std::vector<NodeSet>& parts, const std::string& rule) {
    for (const NodeSet& part : parts) add(owner, part, rule);
  }

  /// The blocks in which nodes stand, with the operations that owners are asked about: composites
  /// as a whole, and what is inside of them.
  void forEachBlock(llvm::function_ref<void(Block&)> visit) const {
    SmallVector<Block*> blocks = {&graph_.entry().getBody().front()};
    for (size_t i = 0; i < blocks.size(); ++i) {  // NOLINT(modernize-loop-convert): it grows.
      visit(*blocks[i]);
      for (auto composite : blocks[i]->getOps<ir::CompositeOp>())
        blocks.push_back(&composite.getBody().front());
    }
  }

  NodeSet nodesOf(ArrayRef<Operation*> ops) const {
    std::set<uint32_t> nodes;
    for (Operation* op : ops) {
      const OperatorGraph::Range range = graph_.nodesOf(op);
      for (uint32_t node = range.first; node < range.end; ++node) nodes.insert(node);
    }
    return {nodes.begin(), nodes.end()};
  }

  void addPatterns(const Owner& owner) {
    const backend_api::PatternTable table = owner.backend->patterns(owner.target);
    if (table.empty()) return;
    forEachBlock([&](Block& block) {
      for (const backend_api::PatternEntry& entry : table) {
        for (Operation& root : block.without_terminator()) addMatch(owner, entry, root);
      }
    });
  }

  void addMatch(const Owner& owner, const backend_api::PatternEntry& entry, Operation& root) {
    std::optional<pattern::Cover> cover;
    const auto accepts = [&](const pattern::Match& match) {
      cover = pattern::coverOf(match, &root);
      return cover && (!entry.check || backend_api::isSupported(entry.check(match, &root)));
    };
    for (const Value result : root.getResults()) {
      if (!pattern::match(entry.pattern, result, {}, accepts)) continue;
      add(owner, nodesOf(cover->ops), "pattern." + entry.name);
      return;
    }
  }

  void addComposites(const Owner& owner) {
    forEachBlock([&](Block& block) {
      for (auto composite : block.getOps<ir::CompositeOp>())
        add(owner, nodesOf(composite.getOperation()), "composite." + composite.getName().str());
    });
  }

  void addSingles(const Owner& owner) {
    forEachBlock([&](Block& block) {
      SmallVector<Operation*> ops;
      for (Operation& op : block.without_terminator()) {
        if (!isa<ir::ConstantOp, ir::CompositeOp>(op)) ops.push_back(&op);
      }
      // The host target's tiles may hold what it leaves to the host program.
      const bool isHost = &owner == owners_.host();
      for (auto [op, answer] : llvm::zip_equal(ops, partition::askOwner(ops, owner, owners_))) {
        if (isHost || backend_api::isSupported(answer)) add(owner, nodesOf(op), "single");
      }
    });
  }

  void addShared() {
    const std::vector<Proposal> present = proposals_;
    for (const Proposal& proposal : present) {
      const size_t count = proposal.tile.nodes.size();
      if (count < 2 || count > kMaxShared) continue;
      for (size_t i = 0; i < owners_.size(); ++i)
        add(owners_[i], proposal.tile.nodes, kSharedRule.str() + proposal.rule);
    }
  }

  const OperatorGraph& graph_;
  const partition::OwnerIndex& owners_;
  const PlaceTile& place_;
  const Preferences preferences_;
  std::set<std::pair<size_t, NodeSet>> seen_;
  std::vector<Proposal> proposals_;
};

}  // namespace

std::vector<Proposal> proposeTiles(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                                   const PlaceTile& place) {
  return Proposals(graph, owners, place).run();
}

}  // namespace tessera::placement
