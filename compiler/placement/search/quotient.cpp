#include "compiler/placement/search/quotient.h"

#include <algorithm>

namespace tessera::placement::search {

using Edges = std::vector<std::vector<uint32_t>>;  // Indices into the choice.

/// From each chosen candidate to those that read what it gives, each once.
static Edges edgesOf(const Problem& problem, std::span<const CandidateId> chosen) {
  std::vector<uint32_t> partOf(problem.numNodes);
  for (uint32_t part = 0; part < chosen.size(); ++part)
    for (const NodeId node : problem.candidates[chosen[part]].nodes) partOf[node] = part;
  Edges edges(chosen.size());
  for (uint32_t part = 0; part < chosen.size(); ++part)
    for (const Border& border : problem.candidates[chosen[part]].reads) {
      const NodeId producer = problem.values[border.value].producer;
      if (producer != kNoNode) edges[partOf[producer]].push_back(part);
    }
  for (std::vector<uint32_t>& next : edges) {
    std::ranges::sort(next);
    next.erase(std::ranges::unique(next).begin(), next.end());
  }
  return edges;
}

/// Takes away what waits for nothing, again and again; true stays for what is on or after a cycle.
static std::vector<bool> withoutStart(const Edges& edges) {
  std::vector<uint32_t> numWaits(edges.size());
  for (const auto& next : edges)
    for (const uint32_t part : next) ++numWaits[part];
  std::vector<uint32_t> ready;
  for (uint32_t part = 0; part < edges.size(); ++part)
    if (numWaits[part] == 0) ready.push_back(part);
  std::vector<bool> stays(edges.size(), true);
  while (!ready.empty()) {
    const uint32_t part = ready.back();
    ready.pop_back();
    stays[part] = false;
    for (const uint32_t next : edges[part])
      if (--numWaits[next] == 0) ready.push_back(next);
  }
  return stays;
}

/// The shortest way from `start` through parts that may be used and back; empty: none.
static std::vector<uint32_t> shortestCycle(const Edges& edges, const std::vector<bool>& mayUse,
                                           uint32_t start) {
  constexpr uint32_t kUnseen = ~0u;
  std::vector<uint32_t> from(edges.size(), kUnseen), queue = {start};
  for (size_t i = 0; i < queue.size(); ++i)
    for (const uint32_t next : edges[queue[i]]) {
      if (next == start) {
        std::vector<uint32_t> cycle;
        for (uint32_t part = queue[i]; part != start; part = from[part]) cycle.push_back(part);
        cycle.push_back(start);
        std::ranges::reverse(cycle);
        return cycle;
      }
      if (!mayUse[next] || from[next] != kUnseen) continue;
      from[next] = queue[i];
      queue.push_back(next);
    }
  return {};
}

std::vector<std::vector<CandidateId>> findCycles(const Problem& problem,
                                                 std::span<const CandidateId> chosen) {
  const Edges edges = edgesOf(problem, chosen);
  std::vector<bool> mayUse = withoutStart(edges);
  std::vector<std::vector<CandidateId>> cycles;
  for (uint32_t start = 0; start < edges.size(); ++start) {
    if (!mayUse[start]) continue;
    std::vector<uint32_t> cycle = shortestCycle(edges, mayUse, start);
    for (uint32_t& part : cycle) {
      mayUse[part] = false;
      part = chosen[part];
    }
    if (!cycle.empty()) cycles.push_back(std::move(cycle));
  }
  return cycles;
}

bool hasOneEnd(const Problem& problem, const ValuesOfNodes& index, const Candidate& candidate) {
  const NodeId last = candidate.nodes.back();
  const auto isOfLast = [&](const Border& border) {
    return problem.values[border.value].producer == last;
  };
  const auto isRead = [&](ValueId value) { return !problem.values[value].readers.empty(); };
  // What is read and does not leave is read inside: each node leads on, in the end to the last.
  return std::ranges::all_of(candidate.gives, isOfLast) &&
         std::ranges::all_of(candidate.nodes, [&](NodeId node) {
           return node == last || std::ranges::any_of(index.computes[node], isRead);
         });
}

}  // namespace tessera::placement::search
