#include "compiler/placement/candidates/split.h"

#include <map>
#include <set>

namespace tessera::placement {

using namespace mlir;

/// For each node of a set the last position in it at which something reads what the node computes;
/// the end of the set when something outside does.
static std::vector<size_t> lastUses(const OperatorGraph& graph, ArrayRef<uint32_t> nodes) {
  llvm::DenseMap<uint32_t, size_t> positions;
  for (auto [position, node] : llvm::enumerate(nodes)) positions[node] = position;
  std::vector<size_t> last(nodes.size());
  for (auto [position, node] : llvm::enumerate(nodes)) {
    last[position] = position;
    for (const Value result : graph.operation(node)->getResults()) {
      if (graph.isReturned(result)) last[position] = nodes.size();
      for (const uint32_t reader : graph.readersOf(result)) {
        const auto it = positions.find(reader);
        last[position] =
            std::max(last[position], it == positions.end() ? nodes.size() : it->second);
      }
    }
  }
  return last;
}

std::vector<NodeSet> stretchesOf(const OperatorGraph& graph, ArrayRef<uint32_t> nodes) {
  const std::vector<size_t> last = lastUses(graph, nodes);
  std::vector<size_t> ending(nodes.size() + 1);  // Values that nobody needs from there on.
  size_t passing = 0;
  std::vector<NodeSet> stretches(1);
  for (size_t position = 0; position < nodes.size(); ++position) {
    stretches.back().push_back(nodes[position]);
    passing -= ending[position];
    if (last[position] > position) {
      ++passing;
      ++ending[last[position]];
    }
    if (passing == 1 && position + 1 < nodes.size()) stretches.emplace_back();
  }
  return stretches;
}

std::vector<NodeSet> runsOf(ArrayRef<NodeSet> stretches) {
  constexpr size_t kFew = 16;
  const bool areFew = stretches.size() <= kFew;
  std::vector<NodeSet> runs;
  for (size_t length = 1; length < stretches.size(); length = areFew ? length + 1 : length * 2) {
    const size_t step = areFew ? 1 : std::max<size_t>(1, length / 2);
    for (size_t begin = 0; begin < stretches.size(); begin += step) {
      if (areFew && begin + length > stretches.size()) break;
      NodeSet run;
      for (const NodeSet& stretch :
           stretches.slice(begin, std::min(length, stretches.size() - begin)))
        llvm::append_range(run, stretch);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

namespace {

/// Who reads whom in a set of nodes.
class Inside {
 public:
  Inside(const OperatorGraph& graph, ArrayRef<uint32_t> nodes)
      : graph_(graph), nodes_(nodes.begin(), nodes.end()) {}

  bool contains(uint32_t node) const { return nodes_.contains(node); }

  /// Those in the set of which it reads something, each once.
  std::set<uint32_t> producersOf(uint32_t node) const {
    std::set<uint32_t> producers;
    for (const Value value : graph_.reads(node))
      if (contains(graph_.producerOf(value))) producers.insert(graph_.producerOf(value));
    return producers;
  }

  /// Whether only nodes of `some` read what it computes.
  bool isReadOnlyBy(const std::set<uint32_t>& some, uint32_t node) const {
    return llvm::all_of(graph_.operation(node)->getResults(), [&](Value result) {
      return !graph_.isReturned(result) &&
             llvm::all_of(graph_.readersOf(result),
                          [&](uint32_t reader) { return some.contains(reader); });
    });
  }

 private:
  const OperatorGraph& graph_;
  const std::set<uint32_t> nodes_;
};

}  // namespace

std::vector<NodeSet> chainsOf(const OperatorGraph& graph, ArrayRef<uint32_t> stretch) {
  const Inside inside(graph, stretch);
  std::map<uint32_t, NodeSet> byEnd;  // Chains, by their last node.
  for (const uint32_t node : stretch) {
    const std::set<uint32_t> producers = inside.producersOf(node);
    const auto before = producers.size() == 1 ? byEnd.find(*producers.begin()) : byEnd.end();
    NodeSet chain;
    if (before != byEnd.end() && inside.isReadOnlyBy({node}, before->first))
      chain = std::move(byEnd.extract(before).mapped());
    chain.push_back(node);
    byEnd[node] = std::move(chain);
  }
  std::vector<NodeSet> chains;
  for (auto& [end, chain] : byEnd)
    if (chain.size() > 1 && chain.size() < stretch.size()) chains.push_back(std::move(chain));
  return chains;
}

std::vector<NodeSet> conesOf(const OperatorGraph& graph, ArrayRef<uint32_t> stretch,
                             size_t maxSize) {
  const Inside inside(graph, stretch);
  std::vector<NodeSet> cones;
  for (const uint32_t tip : stretch) {
    if (inside.producersOf(tip).size() < 2) continue;
    std::set<uint32_t> cone = {tip}, front = inside.producersOf(tip);
    while (!front.empty() && cone.size() < maxSize) {
      const uint32_t node = *front.rbegin();  // Later ones cannot be behind it.
      front.erase(node);
      if (!inside.isReadOnlyBy(cone, node)) continue;
      cone.insert(node);
      front.merge(inside.producersOf(node));
    }
    if (cone.size() > 1 && cone.size() < stretch.size())
      cones.emplace_back(cone.begin(), cone.end());
  }
  return cones;
}

std::vector<NodeSet> endsOf(ArrayRef<uint32_t> chain, size_t maxLength) {
  std::vector<NodeSet> ends;
  for (size_t length = 1; length < chain.size() && length <= maxLength; ++length) {
    ends.emplace_back(chain.take_front(length));
    ends.emplace_back(chain.take_back(length));
  }
  return ends;
}

}  // namespace tessera::placement
