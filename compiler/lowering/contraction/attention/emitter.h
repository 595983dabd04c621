// Attention while it is emitted. Not for other folders.
#pragma once

#include <limits>

#include "compiler/lowering/contraction/attention/attention.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/element.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::lowering {

/// Keys of a block. Where there is `openKeys` their number is known at run time only, and their
/// panels are those of whole tiles.
struct KeyRange {
  mlir::Value firstPanel;
  int64_t panels = 0;     ///< Panels of the block.
  int64_t lastLanes = 0;  ///< Keys in the last of them.
  mlir::Value openPanels = {}, openKeys = {};
};

/// Rows of a block: those of entry `at` from `first` on.
struct RowRange {
  mlir::ValueRange at;
  mlir::Value batch, first;
  int64_t count = 0;
};

/// Its parts: tiles, blocks and rows in attention.cpp, scores.cpp, values.cpp.
class AttentionEmitter {
 public:
  AttentionEmitter(mlir::OpBuilder& b, mlir::Location loc, const AttentionShape& shape,
                   const AttentionOperands& operands, const CpuTarget& cpu, const Epilogue& scores,
                   const ContractionTuning& tuning)
      : b_(loc, b),
        s_(shape),
        o_(operands),
        cpu_(cpu),
        scores_(scores),
        tuning_(tuning),
        lanes_(cpu.vectorLanes),
        vector_(mlir::VectorType::get({lanes_}, b_.getF32Type())) {}

  void run();

 private:
  bool hasOpenKeys() const { return mlir::ShapedType::isDynamic(s_.keys); }
  bool hasOpenQueries() const { return mlir::ShapedType::isDynamic(s_.queries); }
  bool isWhole() const { return !hasOpenKeys() && blockPanels_ >= keyPanels_; }
  bool hasFewRows() const { return !hasOpenQueries() && s_.queries <= 2 * tile_.rows; }

  void chooseTiles();
  MatrixPanels panelsOf(const StridedMatrices& matrices, mlir::Value rows, mlir::Value columns,
                        bool isWorthPacking);
  void emitRowCases(mlir::ValueRange at, mlir::Value rowTile);
  void emitOpenRowCases(const RowRange& all, mlir::Value rowTile);
  void copyQueries(const RowRange& rows);
  void emitOpenBlocks(llvm::function_ref<void(const KeyRange&)> emit);
  void emitRows(const RowRange& rows);
  void emitBlocksOfKeys(const RowRange& rows);
  void emitScores(const RowRange& rows, const KeyRange& keys);
  mlir::Value productsOf(const RowRange& rows, mlir::Value row, Index key, int64_t numKeys);
  void emitFewScores(const RowRange& rows, const KeyRange& keys);
  void emitScoreTile(const RowRange& rows, const KeyRange& keys, mlir::Value panel, int64_t panels,
                     int64_t lastLanes);
  mlir::Value scoreOf(const RowRange& rows, mlir::Value product, mlir::Value row, mlir::Value key,
                      int64_t lanes, mlir::Value openLanes = {});
  void emitSoftmax(const RowRange& rows, const KeyRange& keys);
  void emitValues(const RowRange& rows, const KeyRange& keys);
  void emitQuotients(const RowRange& rows);
  llvm::SmallVector<mlir::Value> emitValueTile(const RowRange& rows, const KeyRange& keys,
                                               int64_t panel, int64_t panels,
                                               mlir::ValueRange start);
  void storeResults(const RowRange& rows, mlir::Value row, int64_t panel, mlir::Value result);

  mlir::Value quotientOf(mlir::Value row);
  mlir::Value panelsIn(const KeyRange& keys) {
    return keys.openPanels ? keys.openPanels : b_.index(keys.panels);
  }
  mlir::Value constant(double number) {
    return b_.create<mlir::arith::ConstantOp>(b_.getF32FloatAttr(static_cast<float>(number)));
  }
  mlir::Value spread(mlir::Value scalar) {
    return b_.create<mlir::vector::BroadcastOp>(vector_, scalar);
  }
  Element loadVector(mlir::Value memory, mlir::Value place) {
    return {b_, b_.create<mlir::vector::LoadOp>(vector_, memory, place)};
  }
  Element loadScalar(mlir::Value memory, mlir::Value place) {
    return {b_, b_.create<mlir::memref::LoadOp>(memory, place)};
  }
  void storeScalar(mlir::Value scalar, mlir::Value memory, mlir::Value place) {
    b_.create<mlir::memref::StoreOp>(scalar, memory, place);
  }
  mlir::Value combine(mlir::vector::CombiningKind kind, mlir::Value vector) {
    return b_.create<mlir::vector::ReductionOp>(kind, vector, mlir::arith::FastMathFlags::reassoc);
  }

  IndexBuilder b_;
  const AttentionShape& s_;
  const AttentionOperands& o_;
  const CpuTarget& cpu_;
  const Epilogue& scores_;
  const ContractionTuning& tuning_;
  int64_t lanes_;
  mlir::VectorType vector_;

  bool readsKeys_ = false;  ///< Rows of K where they lie.
  TileShape tile_;          ///< Of scores.
  EvenSplit rowSplit_;      ///< Of known queries.
  EvenSplit valueSplit_;    ///< Of the panels of the result.
  int64_t valuePanels_ = 0, valueTail_ = 0;
  int64_t keyPanels_ = 0, keyTail_ = 0;  ///< Of known keys.
  int64_t blockPanels_ = 0;              ///< Panels of keys in a block.
  int64_t rowSize_ = 0;                  ///< Elements from one row of scores to the next.

  int64_t querySize_ = 0;  ///< Elements from one copied row of Q to the next.

  MatrixPanels k_, v_;
  mlir::Value queries_;  ///< [rows][querySize_]: rows of Q, of an open number of them.
  mlir::Value scratch_;  ///< [rows][rowSize_]: scores, then their exponentials.
  mlir::Value sums_;  ///< [rows]: what the result is multiplied with or, of blocks, the sum so far.
  // Of blocks of keys:
  mlir::Value greatest_,
      shrink_;           ///< [rows]: the greatest score, what earlier sums are scaled with.
  mlir::Value results_;  ///< [rows][valuePanels_ * lanes_]
};

}  // namespace tessera::lowering
