// A node waits for those that reach it in the graph of operators, whatever is taken: a candidate
// with one end on the way lets through what comes in. Quadratic in the shapes that lie over one
// another in the order of nodes.
#include "compiler/placement/search/conflicts.h"

#include <map>

#include "compiler/placement/search/quotient.h"

namespace tessera::placement::search {
namespace {

/// Sets of nodes, one bit each.
class NodeSet {
 public:
  explicit NodeSet(uint32_t numNodes) : words_((numNodes + kBits - 1) / kBits) {}

  void add(NodeId node) { words_[node / kBits] |= uint64_t{1} << node % kBits; }
  void add(const NodeSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool has(NodeId node) const { return (words_[node / kBits] >> node % kBits & 1) != 0; }
  bool hasAny(std::span<const NodeId> nodes) const {
    return std::ranges::any_of(nodes, [&](NodeId node) { return has(node); });
  }

 private:
  static constexpr uint32_t kBits = 64;
  std::vector<uint64_t> words_;
};

struct Shape {
  std::vector<NodeId> nodes;
  std::vector<CandidateId> candidates;
  NodeSet after;  ///< What its nodes reach.
};

}  // namespace

/// By node, what it reaches.
static std::vector<NodeSet> reachOf(const Problem& problem, const ValuesOfNodes& index) {
  std::vector<NodeSet> reach(problem.numNodes, NodeSet(problem.numNodes));
  for (NodeId node = problem.numNodes; node-- > 0;)
    for (const ValueId value : index.computes[node])
      for (const NodeId reader : problem.values[value].readers) {
        reach[node].add(reader);
        reach[node].add(reach[reader]);
      }
  return reach;
}

/// Those with several ends, by their nodes.
static std::vector<Shape> shapesOf(const Problem& problem,
                                   std::span<const CandidateId> candidates) {
  const ValuesOfNodes index(problem);
  std::map<std::vector<NodeId>, std::vector<CandidateId>> byNodes;
  for (const CandidateId id : candidates)
    if (!hasOneEnd(problem, index, problem.candidates[id]))
      byNodes[problem.candidates[id].nodes].push_back(id);
  std::vector<Shape> shapes;
  if (byNodes.empty()) return shapes;
  const std::vector<NodeSet> reach = reachOf(problem, index);
  for (auto& [nodes, ids] : byNodes) {
    NodeSet after(problem.numNodes);
    for (const NodeId node : nodes) after.add(reach[node]);
    shapes.push_back({.nodes = nodes, .candidates = std::move(ids), .after = std::move(after)});
  }
  return shapes;
}

static bool areInConflict(const Shape& a, const Shape& b) {
  if (!a.after.hasAny(b.nodes) || !b.after.hasAny(a.nodes)) return false;
  std::vector<NodeId> common;
  std::ranges::set_intersection(a.nodes, b.nodes, std::back_inserter(common));
  return common.empty();
}

Conflicts::Conflicts(const Problem& problem, std::span<const CandidateId> some)
    : shapeOf(problem.candidates.size(), kNone) {
  const std::vector<Shape> shapes = shapesOf(problem, some);  // By first node.
  with.resize(shapes.size());
  lastStart.resize(shapes.size());
  candidates.resize(shapes.size());
  for (uint32_t i = 0; i < shapes.size(); ++i)
    for (uint32_t k = i + 1; k < shapes.size() && shapes[k].nodes.front() <= shapes[i].nodes.back();
         ++k) {
      if (!areInConflict(shapes[i], shapes[k])) continue;
      with[i].push_back(k);
      with[k].push_back(i);
    }
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    if (with[i].empty()) continue;
    candidates[i] = shapes[i].candidates;
    for (const CandidateId id : candidates[i]) shapeOf[id] = i;
    for (const uint32_t other : with[i])
      lastStart[i] = std::max(lastStart[i], shapes[other].nodes.front());
  }
}

}  // namespace tessera::placement::search
