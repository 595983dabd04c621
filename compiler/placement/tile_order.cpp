#include "compiler/placement/tile_order.h"

#include <set>

namespace tessera::placement {

using namespace mlir;

/// The number of the tile that each node is in.
static Result<std::vector<size_t>> tileOfNodes(const OperatorGraph& graph, ArrayRef<Tile> tiles) {
  const size_t none = tiles.size();
  std::vector<size_t> tileOf(graph.size(), none);
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    for (const uint32_t node : tile.nodes) {
      if (node >= graph.size())
        return invalidInput("found operator " + std::to_string(node) +
                            " in the plan of a model of " + std::to_string(graph.size()) +
                            " operators");
      if (tileOf[node] != none)
        return invalidInput("found operator " + std::to_string(node) + " in two tiles of the plan");
      tileOf[node] = number;
    }
  }
  const auto missing = std::ranges::find(tileOf, none);
  if (missing != tileOf.end())
    return invalidInput("found operator " + std::to_string(missing - tileOf.begin()) +
                        " in no tile of the plan");
  return tileOf;
}

Result<std::vector<size_t>> orderOf(const OperatorGraph& graph, ArrayRef<Tile> tiles) {
  TESSERA_TRY(const std::vector<size_t> tileOf, tileOfNodes(graph, tiles));
  std::vector<std::set<size_t>> users(tiles.size());
  std::vector<size_t> numProducers(tiles.size());
  for (uint32_t node = 0; node < graph.size(); ++node) {
    for (const Value value : graph.reads(node)) {
      const uint32_t producer = graph.producerOf(value);
      if (producer == graph.size() || tileOf[producer] == tileOf[node]) continue;
      if (users[tileOf[producer]].insert(tileOf[node]).second) ++numProducers[tileOf[node]];
    }
  }
  std::set<std::pair<uint32_t, size_t>> ready;  // By first operator.
  const auto makeReady = [&](size_t number) { ready.emplace(tiles[number].nodes.front(), number); };
  for (size_t number = 0; number < tiles.size(); ++number) {
    if (numProducers[number] == 0) makeReady(number);
  }
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t next = ready.extract(ready.begin()).value().second;
    order.push_back(next);
    for (const size_t user : users[next]) {
      if (--numProducers[user] == 0) makeReady(user);
    }
  }
  if (order.size() < tiles.size())
    return invalidInput("found tiles of the plan that wait for each other");
  return order;
}

}  // namespace tessera::placement
