// Rows of results of a pool on row-major planes. Not for other folders.
#pragma once

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/window_rows.h"
#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tessera::lowering {

/// Whether the rows of a window are written out.
bool areRowsWrittenOut(const ConvShape& shape);

/// Results of a tile: as many vectors as leave what they accumulate in registers.
int64_t poolTileSize(const ConvShape& shape, const CpuTarget& cpu);

/// A plane of windows: row r begins at element origin + r * width of the input.
struct PoolPlane {
  Index origin;
  mlir::Value isThere;  ///< Null: always; else the plane changes nothing where it does not hold.
};

/// Emits pools on row-major planes; pools/pool_rows.cpp says how.
class PoolRows {
 public:
  /// `shape` is how the planes lie that are read, `counted` the pool, whose rows may be shorter.
  PoolRows(const IndexBuilder& b, const ConvShape& shape, const ConvShape& counted,
           const Pool& pool, const CpuTarget& cpu, const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        counted_(counted),
        height_(spatialAxesOf(counted)[1]),
        pool_(pool),
        lanes_(cpu.vectorLanes),
        tileSize_(poolTileSize(shape, cpu)),
        epilogue_(epilogue),
        vector_(mlir::VectorType::get({lanes_}, b_.getF32Type())),
        areRowsVectors_(shape.inWidth % lanes_ == 0),
        areColumnsFirst_(areRowsVectors_ && areRowsWrittenOut(shape) && shape.strideWidth == 1 &&
                         lanes_ * static_cast<int64_t>(sizeof(float)) < kLineBytes),
        lead_(areRowsVectors_ ? llvm::alignTo(shape.padLeft, lanes_) - shape.padLeft : 0) {}

  mlir::Value input, output;  // flat
  int64_t blockSize = 1;      // Rows.

  bool isStreamed = false;    // Whole vectors are written past the caches.
  bool isFromMemory = false;  // `input` is in no cache.
  /// Rows outside of the input are there and change nothing, if rows are not combined before; a
  /// vector before and behind all rows may be read.
  bool isFilled = false;

  /// What the blocks are of that are emitted from then on: plane `depth` of the result's channel,
  /// made from `planes` of `input`, of which there is one where rows are not written out.
  void setPlane(mlir::Value channel, mlir::Value depth, llvm::ArrayRef<PoolPlane> planes);

  /// Rows [block * blockSize, ...) of the result.
  void emitBlock(mlir::Value block);

  /// Row `row` of the result, of windows whose rows `vectors` combine, as they lie in the input;
  /// `mayLackRows`: the mean may be over fewer rows.
  void emitCombinedRow(Index row, llvm::ArrayRef<mlir::Value> vectors, bool mayLackRows);

 private:
  /// Results [column, column + count) of a row.
  struct Tile {
    Index column;
    int64_t count;
    /// `column` where some taps of its vectors may lie outside the row.
    std::optional<int64_t> edgeColumn;
  };

  int64_t numVectors(int64_t results) const { return llvm::divideCeilSigned(results, lanes_); }
  int64_t numVectorsOf(int64_t results) const;
  bool mayBeOutside(int64_t number) const;
  bool mayLackRows(int64_t number) const;
  void emitTiles();
  bool isInside(int64_t begin, int64_t end) const;
  mlir::Value constant(llvm::ArrayRef<float> values) {
    return b_.create<mlir::arith::ConstantOp>(mlir::DenseElementsAttr::get(vector_, values));
  }
  mlir::Value start() { return startOf(b_, pool_, lanes_); }
  void prefetch(const Tile& tile);
  void emitTile(const Tile& tile);
  llvm::SmallVector<mlir::Value> readRow(const Tile& tile, Index inputRow, Index origin,
                                         int64_t numRead);
  mlir::Value readPastEnds(Index at, int64_t column);
  llvm::SmallVector<mlir::Value> readColumns(const Tile& tile, Index inputRow, Index origin,
                                             int64_t numRead);
  llvm::SmallVector<mlir::Value> readRowOfBlock(const Tile& tile, int64_t number,
                                                const PoolPlane& plane, int64_t numRead);
  llvm::SmallVector<mlir::Value> combineRows(llvm::ArrayRef<llvm::ArrayRef<mlir::Value>> rows);
  llvm::SmallVector<WindowPair> pairRows(llvm::ArrayRef<mlir::Value> first,
                                         llvm::ArrayRef<mlir::Value> second);
  llvm::SmallVector<mlir::Value> combineRows(llvm::ArrayRef<WindowPair> pairs,
                                             llvm::ArrayRef<mlir::Value> third);
  llvm::SmallVector<mlir::Value> loopOverRows(const Tile& tile, int64_t numRead);
  void emitWrittenOut(const Tile& tile, int64_t numRead);
  void emitResults(const Tile& tile, llvm::ArrayRef<mlir::Value> combined, int64_t number);
  mlir::Value readVector(Index at, int64_t first, const Tile& tile);
  mlir::Value oneBy(Index count);
  mlir::Value shareOfRows(int64_t number);
  mlir::Value average(mlir::Value sum, int64_t first, const Tile& tile, int64_t number);
  void storeVector(mlir::Value result, int64_t first, const Tile& tile, int64_t number);

  IndexBuilder b_;
  const ConvShape &shape_, &counted_;
  ConvAxis height_;
  const Pool& pool_;
  int64_t lanes_, tileSize_;
  const Epilogue& epilogue_;
  mlir::VectorType vector_;
  bool areRowsVectors_;
  bool areColumnsFirst_;  ///< Columns of a window are combined as a row is read.
  int64_t lead_;          ///< Elements that are read in front of the first tap of a tile.
  Index channel_;
  llvm::SmallVector<PoolPlane> planes_;
  Index before_;             ///< Results of the channel in planes before this one.
  mlir::Value planesShare_;  ///< 1 by the number of planes that the mean is over; null for one.
  Index row_;                ///< The first one that results are for.
  int64_t numRows_;          ///< From row_ on, written out; 0: a loop over the rows of the window.
  bool isOpen_;              ///< Rows of windows may lie outside of the input.
};

}  // namespace tessera::lowering
