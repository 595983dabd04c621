// A cone is a candidate with one end: every way from inside to outside goes through its last node,
// which so is a post-dominator of its other nodes. Let a choice have cone S. A node outside of S
// whose immediate post-dominator is inside is the end of its own cone: had that cone a later end,
// the post-dominator would lie between the two, so in that cone, not in S. So what is below S in
// the tree of post-dominators falls apart into independent sub-trees:
//   least(v) = min over cones S that end in v of cost(S) + sum of least(r), r outside of S with
//              its immediate post-dominator inside,
// and the whole is the sum over the nodes that have no post-dominator.
#include "compiler/placement/search/tree.h"

#include "compiler/placement/search/quotient.h"
#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {
namespace {

/// Immediate post-dominators; numNodes is the end of everything.
struct Tree {
  std::vector<NodeId> parent;
  std::vector<std::vector<NodeId>> children;
};

struct Least {
  Ticks ticks = kNeverTicks;
  uint32_t numCandidates = 0;
  CandidateId candidate = 0;  ///< The one that ends here.

  bool isLess(const Least& other) const {
    return ticks != other.ticks ? ticks < other.ticks : numCandidates < other.numCandidates;
  }
  void add(const Least& other) {
    ticks = addTicks(ticks, other.ticks);
    numCandidates += other.numCandidates;
  }
};

}  // namespace

/// Nodes in reverse order: a node's parent is where the ways from all that read it meet.
static Tree postDominators(const Problem& problem, const ValuesOfNodes& index) {
  const NodeId end = problem.numNodes;
  Tree tree{.parent = std::vector<NodeId>(end),
            .children = std::vector<std::vector<NodeId>>(end + 1)};
  std::vector<uint32_t> depth(end + 1, 0);
  const auto meet = [&](NodeId a, NodeId b) {
    while (a != b) {
      NodeId& deeper = depth[a] >= depth[b] ? a : b;
      deeper = tree.parent[deeper];
    }
    return a;
  };
  for (NodeId node = end; node-- > 0;) {
    NodeId parent = kNoNode;
    const auto leadsTo = [&](NodeId next) {
      parent = parent == kNoNode ? next : meet(parent, next);
    };
    for (const ValueId value : index.computes[node]) {
      if (problem.values[value].isResult) leadsTo(end);
      for (const NodeId reader : problem.values[value].readers) leadsTo(reader);
    }
    if (parent == kNoNode) parent = end;
    tree.parent[node] = parent;
    tree.children[parent].push_back(node);
    depth[node] = depth[parent] + 1;
  }
  return tree;
}

bool isTree(const Problem& problem, std::span<const CandidateId> candidates) {
  const ValuesOfNodes index(problem);
  std::vector<uint64_t> given(problem.values.size()), needed(problem.values.size());
  for (ValueId id = 0; id < problem.values.size(); ++id) {
    if (problem.values[id].producer == kNoNode) given[id] = 1;
    if (problem.values[id].isResult) needed[id] = 1;
  }
  for (const CandidateId id : candidates) {
    const Candidate& candidate = problem.candidates[id];
    if (!hasOneEnd(problem, index, candidate)) return false;
    for (const Border& border : candidate.gives) given[border.value] |= uint64_t{1} << border.state;
    for (const Border& border : candidate.reads)
      needed[border.value] |= uint64_t{1} << border.state;
  }
  for (ValueId id = 0; id < problem.values.size(); ++id) {
    const Value& value = problem.values[id];
    for (StateId from = 0; from < value.numStates; ++from)
      for (StateId to = 0; to < value.numStates; ++to)
        if ((given[id] >> from & 1) != 0 && (needed[id] >> to & 1) != 0 &&
            toTicks(problem.seconds(value.conversion(from, to))) != 0)
          return false;
  }
  return true;
}

/// Calls with the ends of what is left below a cone.
template <typename Visit>
static void forEachBelow(const Tree& tree, const Candidate& cone, std::vector<CandidateId>& inside,
                         CandidateId mark, Visit visit) {
  for (const NodeId node : cone.nodes) inside[node] = mark;
  for (const NodeId node : cone.nodes)
    for (const NodeId child : tree.children[node])
      if (inside[child] != mark) visit(child);
}

Result<Solution> solveTree(const Problem& problem, std::span<const CandidateId> candidates) {
  const Tree tree = postDominators(problem, ValuesOfNodes(problem));
  TESSERA_TRY(const auto byNode, candidatesByNode(problem, candidates));
  std::vector<Least> least(problem.numNodes);
  std::vector<CandidateId> inside(problem.numNodes, ~CandidateId{0});
  for (NodeId node = 0; node < problem.numNodes; ++node)
    for (const CandidateId id : byNode[node]) {
      const Candidate& cone = problem.candidates[id];
      if (cone.nodes.back() != node) continue;
      Least offer{
          .ticks = toTicks(problem.seconds(cone.cost)), .numCandidates = 1, .candidate = id};
      forEachBelow(tree, cone, inside, id, [&](NodeId below) { offer.add(least[below]); });
      if (offer.isLess(least[node])) least[node] = offer;
    }
  Least all{.ticks = 0};
  std::vector<NodeId> ends = tree.children[problem.numNodes];
  for (const NodeId end : ends) all.add(least[end]);
  if (all.ticks >= kNeverTicks) return noChoice();
  Solution solution{
      .seconds = toSeconds(all.ticks), .lowerBound = toSeconds(all.ticks), .solver = "tree"};
  std::ranges::fill(inside, ~CandidateId{0});
  while (!ends.empty()) {
    const CandidateId id = least[ends.back()].candidate;
    ends.pop_back();
    solution.chosen.push_back(id);
    forEachBelow(tree, problem.candidates[id], inside, id,
                 [&](NodeId below) { ends.push_back(below); });
  }
  std::ranges::sort(solution.chosen, {},
                    [&](CandidateId id) { return problem.candidates[id].nodes.front(); });
  return solution;
}

}  // namespace tessera::placement::search
