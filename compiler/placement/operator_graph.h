// The operators of a model as a search over placements sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/tsr.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::placement {

/// The operators of an entry function that nothing was placed in yet, numbered in the order of the
/// text; those in composites one by one, for a composite and its parts are on offer to different
/// targets. Constants, composites themselves and terminators have no number; control flow is one
/// operator with all that it holds. The function must not change while this is used.
class OperatorGraph {
 public:
  explicit OperatorGraph(mlir::func::FuncOp entry);

  mlir::func::FuncOp entry() const { return entry_; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  mlir::Operation* operation(uint32_t node) const { return nodes_[node]; }

  /// The nodes in `op`, a composite or an operator: from `first` up to but without `end`.
  struct Range {
    uint32_t first = 0;
    uint32_t end = 0;
  };
  Range nodesOf(mlir::Operation* op) const { return ranges_.lookup(op); }

  /// What a value is whatever composites it passes: a node's result, an argument of the function,
  /// a constant.
  mlir::Value origin(mlir::Value value) const;
  /// The node that computes an origin; size() when it is an argument or a constant.
  uint32_t producerOf(mlir::Value origin) const;

  /// The origins that a node reads, itself or inside, each once, in the order of its operands;
  /// constants are left out.
  const std::vector<mlir::Value>& reads(uint32_t node) const { return reads_[node]; }
  /// The nodes that read an origin, sorted.
  const std::vector<uint32_t>& readersOf(mlir::Value origin) const;
  /// Whether the function returns it.
  bool isReturned(mlir::Value origin) const { return returned_.contains(origin); }

 private:
  void number(mlir::Block& block);

  mlir::func::FuncOp entry_;
  std::vector<mlir::Operation*> nodes_;
  std::vector<std::vector<mlir::Value>> reads_;
  llvm::DenseMap<mlir::Operation*, Range> ranges_;
  llvm::DenseMap<mlir::Value, std::vector<uint32_t>> readers_;
  llvm::DenseSet<mlir::Value> returned_;
};

}  // namespace tessera::placement
