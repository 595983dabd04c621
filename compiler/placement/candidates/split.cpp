#include "compiler/placement/candidates/split.h"

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
  std::vector<NodeSet> runs;
  for (size_t length = 1; length < stretches.size(); length *= 2) {
    for (size_t begin = 0; begin < stretches.size(); begin += std::max<size_t>(1, length / 2)) {
      NodeSet run;
      for (const NodeSet& stretch :
           stretches.slice(begin, std::min(length, stretches.size() - begin)))
        llvm::append_range(run, stretch);
      runs.push_back(std::move(run));
    }
  }
  return runs;
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
