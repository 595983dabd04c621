// What neighbouring tiles of a plan could be together.
#include <set>

#include "compiler/placement/candidates/proposal.h"

namespace tessera::placement {

using namespace mlir;

using Nodes = std::set<uint32_t>;

/// Whether a path of values leaves the nodes and comes back.
static bool isConvex(const OperatorGraph& graph, const Nodes& nodes) {
  std::set<uint32_t> behind;  // Outside, after something inside.
  for (uint32_t node = *nodes.begin(); node <= *nodes.rbegin(); ++node) {
    const bool isInside = nodes.contains(node);
    for (const Value value : graph.reads(node)) {
      const uint32_t producer = graph.producerOf(value);
      if (behind.contains(producer) && isInside) return false;
      if (!isInside && (behind.contains(producer) || nodes.contains(producer))) behind.insert(node);
    }
  }
  return true;
}

namespace {

class Unions {
 public:
  Unions(const OperatorGraph& graph, llvm::ArrayRef<Tile> plan) : graph_(graph), plan_(plan) {
    for (auto [number, tile] : llvm::enumerate(plan))
      for (const uint32_t node : tile.nodes) tileOf_[node] = number;
    neighbours_.resize(plan.size());
    for (auto [number, tile] : llvm::enumerate(plan)) findNeighbours(number);
  }

  std::vector<Proposal> run() {
    for (size_t a = 0; a < plan_.size(); ++a) {
      for (const size_t b : neighbours_[a])
        if (a < b) addPair(a, b);
    }
    std::vector<bool> isTaken(plan_.size());
    for (size_t i = 0; i < plan_.size(); ++i)
      if (!isTaken[i]) addGroup(i, isTaken);
    return std::move(proposals_);
  }

 private:
  void findNeighbours(size_t tile) {
    for (const uint32_t node : plan_[tile].nodes) {
      for (const Value value : graph_.reads(node)) {
        const auto producer = tileOf_.find(graph_.producerOf(value));
        if (producer == tileOf_.end() || producer->second == tile ||
            plan_[producer->second].target != plan_[tile].target)
          continue;
        neighbours_[tile].insert(producer->second);
        neighbours_[producer->second].insert(tile);
      }
    }
  }

  void add(const Nodes& nodes, ir::TargetAttr target) {
    if (seen_.insert(nodes).second)
      proposals_.push_back(
          {.tile = {.nodes = {nodes.begin(), nodes.end()}, .target = target, .reads = {}},
           .rule = kUnionRule.str()});
  }

  void addPair(size_t a, size_t b) {
    Nodes nodes(plan_[a].nodes.begin(), plan_[a].nodes.end());
    nodes.insert(plan_[b].nodes.begin(), plan_[b].nodes.end());
    if (isConvex(graph_, nodes)) add(nodes, plan_[a].target);
  }

  /// The tile with all that can join it one after another.
  void addGroup(size_t first, std::vector<bool>& isTaken) {
    Nodes nodes(plan_[first].nodes.begin(), plan_[first].nodes.end());
    isTaken[first] = true;
    std::set<size_t> front = neighbours_[first];
    size_t count = 1;
    for (auto it = front.begin(); it != front.end();) {
      const size_t next = *it;
      Nodes with = nodes;
      with.insert(plan_[next].nodes.begin(), plan_[next].nodes.end());
      if (isTaken[next] || !isConvex(graph_, with)) {
        ++it;
        continue;
      }
      nodes = std::move(with);
      isTaken[next] = true;
      ++count;
      front.insert(neighbours_[next].begin(), neighbours_[next].end());
      it = front.begin();  // What was not convex without it may be now.
    }
    if (count > 1) add(nodes, plan_[first].target);
  }

  const OperatorGraph& graph_;
  const llvm::ArrayRef<Tile> plan_;
  llvm::DenseMap<uint32_t, size_t> tileOf_;  ///< By node.
  std::vector<std::set<size_t>> neighbours_;
  std::set<Nodes> seen_;
  std::vector<Proposal> proposals_;
};

}  // namespace

std::vector<Proposal> proposeUnions(const OperatorGraph& graph, llvm::ArrayRef<Tile> plan) {
  return Unions(graph, plan).run();
}

}  // namespace tessera::placement
