// Contraction under an order that is kept topological. Merging moves only what stands between the
// merged clusters: what is reachable from them goes behind, all else before. Source of the idea:
// Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2006).
#include "compiler/partition/regions/condensed_graph.h"

#include <algorithm>
#include <numeric>

#include "compiler/partition/host_blocks.h"
#include "compiler/support/check.h"

namespace tessera::partition {

using namespace mlir;

CondensedGraph::CondensedGraph(ArrayRef<Operation*> operations)
    : operations_(operations.begin(), operations.end()) {
  const size_t count = operations_.size();
  for (auto [node, op] : llvm::enumerate(operations_)) index_[op] = static_cast<int>(node);
  producers_.resize(count);
  users_.resize(count);
  for (auto [node, op] : llvm::enumerate(operations_)) {
    std::vector<int>& producers = producers_[node];
    forEachOutsideOperand(op, [&](OpOperand& operand) {
      Operation* producer = operand.get().getDefiningOp();
      const int from = producer ? nodeOf(producer) : -1;
      if (from < 0 || llvm::is_contained(producers, from)) return;
      TESSERA_CHECK(from < static_cast<int>(node), "producers stand before users");
      producers.push_back(from);
      users_[from].push_back(static_cast<int>(node));
    });
  }
  cluster_.resize(count);
  std::iota(cluster_.begin(), cluster_.end(), 0);
  sequence_ = position_ = cluster_;
  members_.resize(count);
  for (size_t node = 0; node < count; ++node) members_[node] = {static_cast<int>(node)};
  exits_ = members_;
  mark_.assign(count, 0);
  asked_.assign(count, 0);
}

int CondensedGraph::nodeOf(Operation* op) const {
  const auto it = index_.find(op);
  return it == index_.end() ? -1 : it->second;
}

/// Marks what is reachable from `clusters` and stands before the last of them.
void CondensedGraph::markReachable(ArrayRef<Cluster> clusters) {
  ++stamp_;
  returns_ = false;
  int last = 0;
  for (const Cluster cluster : clusters) {
    last = std::max(last, position_[cluster]);
    asked_[cluster] = stamp_;
  }
  std::vector<Cluster> stack;
  const auto visitUsers = [&](Cluster from, bool isStart) {
    for (const int node : exits_[from]) {
      for (const int user : users_[node]) {
        const Cluster to = cluster_[user];
        if (to == from || position_[to] > last || isMarked(to)) continue;
        if (asked_[to] == stamp_) {
          returns_ |= !isStart;
          continue;
        }
        mark_[to] = stamp_;
        stack.push_back(to);
      }
    }
  };
  for (const Cluster cluster : clusters) visitUsers(cluster, /*isStart=*/true);
  while (!stack.empty() && !returns_) {
    const Cluster cluster = stack.back();
    stack.pop_back();
    visitUsers(cluster, /*isStart=*/false);
  }
}

bool CondensedGraph::canMerge(ArrayRef<Cluster> clusters) {
  markReachable(clusters);
  return !returns_;
}

CondensedGraph::Cluster CondensedGraph::merge(ArrayRef<Cluster> clusters) {
  TESSERA_CHECK(!clusters.empty() && canMerge(clusters), "merging makes no cycle");
  Cluster merged = clusters.front();
  int first = position_[merged], last = first;
  for (const Cluster cluster : clusters) {
    first = std::min(first, position_[cluster]);
    last = std::max(last, position_[cluster]);
    if (members_[cluster].size() > members_[merged].size()) merged = cluster;
  }
  for (const Cluster cluster : clusters) {
    sequence_[position_[cluster]] = -1;
    if (cluster == merged) continue;
    for (const int node : members_[cluster]) cluster_[node] = merged;
    llvm::append_range(members_[merged], members_[cluster]);
    llvm::append_range(exits_[merged], exits_[cluster]);
    members_[cluster].clear();
    exits_[cluster].clear();
  }
  std::erase_if(exits_[merged], [&](int node) {
    return llvm::all_of(users_[node], [&](int user) { return cluster_[user] == merged; });
  });
  std::vector<Cluster> before, behind;
  for (int at = first; at <= last; ++at) {
    if (sequence_[at] >= 0) (isMarked(sequence_[at]) ? behind : before).push_back(sequence_[at]);
  }
  before.push_back(merged);
  before.insert(before.end(), behind.begin(), behind.end());
  // Free places stay in front: nothing outside of [first, last] moves.
  int at = last + 1 - static_cast<int>(before.size());
  std::fill(sequence_.begin() + first, sequence_.begin() + at, -1);
  for (const Cluster cluster : before) {
    sequence_[at] = cluster;
    position_[cluster] = at++;
  }
  return merged;
}

std::vector<CondensedGraph::Cluster> CondensedGraph::order() const {
  std::vector<Cluster> clusters;
  llvm::copy_if(sequence_, std::back_inserter(clusters), [](Cluster c) { return c >= 0; });
  return clusters;
}

}  // namespace tessera::partition
