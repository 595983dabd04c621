// The loop nest of one operation while it is emitted. Not for other folders.
#pragma once

#include <optional>

#include "compiler/lowering/loops.h"
#include "compiler/lowering/vectorize/body.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::lowering {

using Values = llvm::SmallVector<mlir::Value>;
/// Operands that are read already, by number.
using Hoisted = llvm::DenseMap<size_t, mlir::Value>;

/// What is computed side by side: positions of the plan's loop and of its block loop, and what is
/// read of operands there before the plan's loop.
struct Instance {
  Position vector, block;
  const Hoisted& hoisted;
};

/// One member function for each form of vectors, and what they share: elements.cpp, partials.cpp,
/// squares.cpp, row_pair.cpp, nest.cpp.
class NestEmitter {
 public:
  /// Vectors of either row side by side (runBeside): as many as AVX2 has registers for.
  static constexpr int64_t kVectorsInTurn = 2;

  NestEmitter(mlir::linalg::LinalgOp op, const VectorPlan& plan, bool isStreamed)
      : b_(op.getLoc(), op),
        op_(op),
        plan_(plan),
        accesses_(accessesOf(op)),
        kinds_(op.getIteratorTypesArray()),
        firstOutput_(accesses_.size() - op.getNumDpsInits()),
        at_(kinds_.size()),
        body_(b_, op, plan_),
        isStreamed_(isStreamed) {}

  llvm::SmallVector<mlir::Operation*> run();
  /// The same for elements of a row, and in their loop the sums of another row.
  void runBeside(NestEmitter& sums);

 private:
  bool isReduction(unsigned loop) const {
    return kinds_[loop] == mlir::utils::IteratorType::reduction;
  }
  /// Whether vectors of neighbouring results lie side by side along another loop.
  bool isSideBySide() const {
    return plan_.form == VectorForm::kElements && plan_.blockLoop != plan_.loop;
  }
  std::optional<int64_t> known(unsigned loop) const {
    return mlir::getConstantIntValue(extents_[loop]);
  }
  llvm::ArrayRef<Access> outputs() const {
    return llvm::ArrayRef(accesses_).drop_front(firstOutput_);
  }

  void readExtents();
  void listLoops();
  llvm::SmallVector<mlir::Operation*> takeInitialValues();
  void hoist(std::optional<unsigned> opened);
  void openParallel(size_t next);
  void emitInner();
  void emitBlocks();
  llvm::SmallVector<Hoisted> hoistBlocks(int64_t numBlocks, Position block);
  bool mayComputeTwice();
  void emitStrips(int64_t numBlocks, Position block);
  void strips(unsigned loop, llvm::ArrayRef<int64_t> widths,
              llvm::function_ref<void(Position, int64_t width, const LaneMask&)> emit,
              bool mayOverlap = false);
  void emitSums();
  void addSteps(Position from, int64_t numSteps, bool isFirst);
  void prefetch();
  void emitInstances(llvm::ArrayRef<Instance> instances, const LaneMask& lanes);
  void emitChains();
  void emitPartials();
  void storeLine(const Values& ofLine);
  void emitLines(Index first);
  Values partialsOfLine();
  Values neutralChains(int64_t chains);
  Values combineChains(const Values& sums);
  Values startChains(int64_t chains);
  void finishChains(const Values& all);
  mlir::Value combineLanes(mlir::Operation* combiner, mlir::Value all);
  mlir::Value combineVectors(mlir::Operation* combiner, Values vectors);
  mlir::Value combine(mlir::Operation* combiner, mlir::Value a, mlir::Value b);
  Values neutralVectors();
  Values addVector(Position at, size_t chain, const Values& all, const LaneMask& lanes);
  Values partialStrips(const Values& start, int64_t chains);
  void besideLines(size_t next, NestEmitter& sums);
  Values besideLoops(size_t next, NestEmitter& sums, const Values& state, Index first);
  Values besideStrips(NestEmitter& sums, const Values& start, Index first);
  void emitSquares();
  bool rowsShareSet() const;
  void emitQuarters();
  void emitQuarter(Position cross, Position vector);
  void emitSquare(Position cross, const LaneMask& crossLanes, llvm::ArrayRef<Position> vectors,
                  const LaneMask& lanes);
  void emitRowOfSquare(int64_t row, Position vector, const llvm::DenseMap<size_t, Values>& columns,
                       const LaneMask& lanes);
  llvm::SmallVector<size_t> transposedNumbers() const;
  llvm::DenseMap<size_t, Values> transposedOperands(const LaneMask& crossLanes, Position vector,
                                                    const LaneMask& lanes);

  Values reduce(size_t next, const Values& state, llvm::function_ref<Values(const Values&)> leaf);
  Position evaluate(mlir::AffineExpr expr);
  Values indicesOf(const Access& access);
  mlir::Value collect(const Access& access, const LaneMask& lanes);
  mlir::Value argument(size_t number, const LaneMask& lanes);
  Values startOf(const LaneMask& lanes);
  void store(const Values& results, const LaneMask& lanes);
  void stand(const Instance& instance);

  IndexBuilder b_;
  mlir::linalg::LinalgOp op_;
  VectorPlan plan_;
  llvm::SmallVector<Access> accesses_;
  llvm::SmallVector<mlir::utils::IteratorType> kinds_;
  size_t firstOutput_;  ///< Number of the first operand that is written.
  Values extents_;
  llvm::SmallVector<Position> at_;
  VectorBody body_;
  bool isStreamed_;  ///< Whole vectors are written past the caches.
  llvm::SmallVector<unsigned> parallel_,
      reductions_;  ///< Loops, outermost first; not the vectors'.
  Hoisted hoisted_;
  llvm::DenseMap<size_t, mlir::Value> fills_;  ///< Initial values of outputs.
};

/// A step of `lane` from a position, no further than the last lane that counts.
Position stepFrom(IndexBuilder& b, const Position& first, int64_t lane, const LaneMask& lanes);

}  // namespace tessera::lowering
