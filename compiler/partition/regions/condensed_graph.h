// The operations of a block as a graph that is contracted step by step.
#pragma once

#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Operation.h"

namespace tessera::partition {

/// Clusters of operations and the order in which they can be executed. Merging keeps the graph of
/// clusters free of cycles. Operations are known by their index in the order given.
class CondensedGraph {
 public:
  using Cluster = int;

  /// One cluster for each operation. `operations` of one block, producers before users; operations
  /// inside of them count as part of them.
  explicit CondensedGraph(llvm::ArrayRef<mlir::Operation*> operations);

  size_t size() const { return operations_.size(); }
  mlir::Operation* operation(int node) const { return operations_[node]; }
  /// -1 for operations that are none of the graph's.
  int nodeOf(mlir::Operation* op) const;
  /// The nodes that `node` reads, in the order of its operands, each once.
  llvm::ArrayRef<int> producers(int node) const { return producers_[node]; }

  Cluster clusterOf(int node) const { return cluster_[node]; }
  /// In no particular order.
  llvm::ArrayRef<int> members(Cluster cluster) const { return members_[cluster]; }

  /// Whether no path leads from one of `clusters` through another cluster back to one of them.
  /// Cost: the clusters that stand between them.
  bool canMerge(llvm::ArrayRef<Cluster> clusters);
  /// Makes them one. They are different, at least one, and canMerge held.
  Cluster merge(llvm::ArrayRef<Cluster> clusters);

  /// All clusters, producers before users. Clusters keep their places as far as merging allows: a
  /// merged one stands where its last part stood unless what lies between needs it sooner.
  std::vector<Cluster> order() const;

 private:
  void markReachable(llvm::ArrayRef<Cluster> clusters);
  bool isMarked(Cluster cluster) const { return mark_[cluster] == stamp_; }

  std::vector<mlir::Operation*> operations_;
  llvm::DenseMap<mlir::Operation*, int> index_;
  std::vector<std::vector<int>> producers_, users_;
  std::vector<Cluster> cluster_;
  std::vector<std::vector<int>> members_;
  std::vector<std::vector<int>> exits_;  ///< Members that others use.
  std::vector<Cluster> sequence_;        ///< By position; -1 where a cluster went into another.
  std::vector<int> position_;
  std::vector<int> mark_;   ///< Equal to stamp_: reachable from the clusters asked about last.
  std::vector<int> asked_;  ///< Equal to stamp_: one of those.
  int stamp_ = 0;
  bool returns_ = false;  ///< Whether they are reachable from themselves.
};

}  // namespace tessera::partition
