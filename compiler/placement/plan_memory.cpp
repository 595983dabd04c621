#include "compiler/placement/plan_memory.h"

#include <algorithm>

#include "compiler/ir/io/constants.h"

namespace tessera::placement {

using namespace mlir;

static uint64_t bytesOf(Value value) {
  const auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? static_cast<uint64_t>(std::max<int64_t>(0, ir::physicalSizeBytes(type))) : 0;
}

/// Whether whoever reads it can do so as it is computed.
static bool isFused(const OperatorGraph& graph, Value value,
                    const llvm::DenseMap<uint32_t, size_t>& positions) {
  const std::vector<uint32_t>& readers = graph.readersOf(value);
  if (graph.isReturned(value) || readers.size() != 1 || !positions.contains(readers.front()))
    return false;
  auto reader = dyn_cast<ir::TsrOpInterface>(graph.operation(readers.front()));
  return reader && reader.getFusionKind() <= ir::FusionKind::Broadcast;
}

uint64_t peakLiveBytes(const OperatorGraph& graph, ArrayRef<uint32_t> nodes) {
  llvm::DenseMap<uint32_t, size_t> positions;
  for (auto [position, node] : llvm::enumerate(nodes)) positions[node] = position;
  std::vector<uint64_t> ending(nodes.size() + 1);
  uint64_t live = 0, most = 0;
  for (auto [position, node] : llvm::enumerate(nodes)) {
    for (const Value result : graph.operation(node)->getResults()) {
      if (isFused(graph, result, positions)) continue;
      size_t last = graph.isReturned(result) ? nodes.size() : position;
      for (const uint32_t reader : graph.readersOf(result)) {
        const auto it = positions.find(reader);
        last = std::max(last, it == positions.end() ? nodes.size() : it->second);
      }
      live += bytesOf(result);
      ending[last] += bytesOf(result);
    }
    most = std::max(most, live);
    live -= ending[position];
  }
  return most;
}

uint64_t hiddenBytes(const OperatorGraph& graph, ArrayRef<uint32_t> nodes, uint64_t told) {
  const llvm::DenseSet<uint32_t> inside(nodes.begin(), nodes.end());
  uint64_t given = 0;
  for (const uint32_t node : nodes) {
    for (const Value result : graph.operation(node)->getResults()) {
      const auto isOutside = [&](uint32_t reader) { return !inside.contains(reader); };
      if (graph.isReturned(result) || llvm::any_of(graph.readersOf(result), isOutside))
        given += bytesOf(result);
    }
  }
  constexpr uint64_t kLittle = 4096;
  if (told > given + kLittle) return 0;
  const uint64_t live = peakLiveBytes(graph, nodes);
  return live > given ? live - given : 0;
}

}  // namespace tessera::placement
