// The body of a loop nest on vectors.
#pragma once

#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/vectorize/plan.h"

namespace tessera::lowering {

/// Where a loop stands: an index value, or 0 for null, and a number more.
struct Position {
  mlir::Value base = {};
  int64_t offset = 0;
};

/// The lanes of a vector that count; all of them for null.
struct LaneMask {
  mlir::Value mask = {};  ///< vector<lanes x i1>
  mlir::Value last = {};  ///< index: the number of the last lane that counts.
};

/// Evaluates a nest's body at a place. What does not change along the plan's loop stays scalar.
class VectorBody {
 public:
  VectorBody(IndexBuilder& b, mlir::linalg::LinalgOp op, const VectorPlan& plan)
      : b_(b), op_(op), plan_(plan), variations_(variationsAlong(op, plan.loop, plan.lanes)) {}

  /// What the body yields, as vectors, where its arguments are `arguments` (a scalar stands for a
  /// vector of it) and loops stand at `at`; the plan's loop, of lane 0.
  llvm::SmallVector<mlir::Value> emit(mlir::ValueRange arguments, llvm::ArrayRef<Position> at,
                                      const LaneMask& lanes);

  /// Computes here what is the same for all of the plan's loop, as far as it asks for loops that
  /// `at` has a place for and what it reads is not memory that the nest writes.
  void hoist(llvm::ArrayRef<Position> at);
  /// Behind the place where that was computed.
  void leave() { hoisted_.clear(); }

 private:
  bool isHoistable(mlir::Operation& op, llvm::ArrayRef<Position> at);
  mlir::Value scalarOf(mlir::Value value);
  mlir::Value vectorOf(mlir::Value value, const LaneMask& lanes);
  mlir::Value constantVector(mlir::Type element, llvm::function_ref<int64_t(int64_t)> entry);
  mlir::Value laneNumbers(mlir::Type element, const LaneMask& lanes);
  mlir::Value linearVector(mlir::Value first, int64_t factor, const LaneMask& lanes);
  mlir::Value repeatedVector(mlir::Value first, const Variation& variation, const LaneMask& lanes);
  void emitScalar(mlir::Operation& op, llvm::ArrayRef<Position> at);
  void emitVector(mlir::Operation& op, const LaneMask& lanes);
  mlir::Value emitRepeatedLoad(mlir::Value buffer, mlir::ValueRange indices,
                               const Variation& variation, const LaneMask& lanes);
  mlir::Value emitLoad(mlir::memref::LoadOp load, const LaneMask& lanes);

  IndexBuilder& b_;
  mlir::linalg::LinalgOp op_;
  const VectorPlan& plan_;
  Variations variations_;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars_, vectors_;  ///< Of the body's values.
  llvm::DenseMap<mlir::Value, mlir::Value> hoisted_;            ///< Scalars that are there already.
};

/// An index value for a position.
mlir::Value valueOf(IndexBuilder& b, const Position& position);

/// The lanes below `count`.
LaneMask firstLanes(IndexBuilder& b, mlir::Value count, int64_t lanes);

/// A vector of neighbours in memory; lanes that do not count are 0.
mlir::Value loadVector(IndexBuilder& b, mlir::Value buffer, mlir::ValueRange indices, int64_t lanes,
                       const LaneMask& mask);
/// Its counterpart; a whole vector may be written past the caches.
void storeVector(IndexBuilder& b, mlir::Value vector, mlir::Value buffer, mlir::ValueRange indices,
                 const LaneMask& mask, bool isStreamed = false);

}  // namespace tessera::lowering
