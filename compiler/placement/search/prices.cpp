// Prices start in the proportion of what the nodes cost by themselves, scaled down to the tightest
// candidate of each node, and are then raised one by one to what their candidates leave.
#include "compiler/placement/search/prices.h"

namespace tessera::placement::search {

static Ticks ticksOf(const Problem& problem, CandidateId id) {
  return toTicks(problem.seconds(problem.candidates[id].cost));
}

/// What each node costs by itself, else its equal share of the candidate where that is least.
static std::vector<Ticks> sharesOf(const Problem& problem,
                                   std::span<const std::vector<CandidateId>> byNode) {
  std::vector<Ticks> shares(problem.numNodes);
  for (NodeId node = 0; node < problem.numNodes; ++node) {
    Ticks alone = kNeverTicks, part = kNeverTicks;
    for (const CandidateId id : byNode[node]) {
      const auto size = static_cast<Ticks>(problem.candidates[id].nodes.size());
      Ticks& least = size == 1 ? alone : part;
      least = std::min(least, ticksOf(problem, id) / size);
    }
    shares[node] = alone < kNeverTicks ? alone : part;
  }
  return shares;
}

std::vector<Ticks> pricesOf(const Problem& problem, std::span<const CandidateId> candidates,
                            std::span<const std::vector<CandidateId>> byNode) {
  const std::vector<Ticks> shares = sharesOf(problem, byNode);
  std::vector<double> scale(problem.numNodes, 1);
  for (const CandidateId id : candidates) {
    double sum = 0;
    for (const NodeId node : problem.candidates[id].nodes) sum += static_cast<double>(shares[node]);
    const double most = sum > 0 ? static_cast<double>(ticksOf(problem, id)) / sum : 1;
    for (const NodeId node : problem.candidates[id].nodes)
      scale[node] = std::min(scale[node], most);
  }
  std::vector<Ticks> prices(problem.numNodes);
  for (NodeId node = 0; node < problem.numNodes; ++node)
    prices[node] = static_cast<Ticks>(static_cast<double>(shares[node]) * scale[node]);

  std::vector<Ticks> left(problem.candidates.size());
  for (const CandidateId id : candidates) {
    left[id] = ticksOf(problem, id);
    for (const NodeId node : problem.candidates[id].nodes) left[id] -= prices[node];
  }
  for (NodeId node = 0; node < problem.numNodes; ++node) {
    Ticks raise = kNeverTicks;
    for (const CandidateId id : byNode[node]) raise = std::min(raise, left[id]);
    prices[node] += raise;
    for (const CandidateId id : byNode[node]) left[id] -= raise;
  }
  return prices;
}

}  // namespace tessera::placement::search
