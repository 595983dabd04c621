// The batch-reduce GEMM micro-kernel: C[rows x panels*lanes] += sum over a reduction space of
// A[rows, r] * B[r, panels*lanes], with all accumulators in vector registers. Convolution, Gemm and
// MatMul differ only in the strides they hand in.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// Steps [begin, end) of a reduction loop that only some rows take part in.
struct StepRun {
  int64_t begin = 0, end = 0;
  llvm::SmallVector<bool> rows = {};  ///< Empty: all.
};

/// Lanes [begin, end) of a vector.
struct LaneRange {
  int64_t begin = 0, end = 0;
};

/// Bits of the number, -0, that a lane of B holds which takes no part (`BrgemmTile::hasMarks`).
inline constexpr uint32_t kMarkedLane = 0x80000000;

/// One loop of the reduction space; strides in elements.
struct ReductionLoop {
  int64_t extent = 1;
  int64_t aStride = 0;
  int64_t bStride = 0;
  /// index: what the three are multiplied by where they are known at run time only, or null. Of the
  /// only loop, and all of them or none.
  mlir::Value openExtent = {}, openAStride = {}, openBStride = {};
  /// Steps [begin, end) of [0, extent), known at run time; null: all of them. Not of the last loop.
  mlir::Value begin = {}, end = {};
  /// What rows take part in which steps, in order; empty: all in all.
  llvm::SmallVector<StepRun> runs = {};
  /// The lanes of B that are read, for each step and panel (step * panels + panel), the others are
  /// 0; empty: all in all. Of the last loop, whose steps are written out then (`unroll`).
  llvm::SmallVector<LaneRange> lanes = {};

  bool isOpen() const { return static_cast<bool>(openExtent); }
  bool isWhole() const { return !isOpen() && !begin && runs.empty() && lanes.empty(); }
};

/// Operands are flat memref<?xf32>, or addresses (address.h) of such memory: element (row, r) of A
/// is a[aOffset + rowOffsets[row] + sum(r_i * aStride_i)], the vector of B for panel p is
/// b[bOffset + p * panelStride + sum(r_i * bStride_i) ...+ lanes). Only addresses of lanes that are
/// read in steps that are taken lie inside.
struct BrgemmTile {
  mlir::Value a;
  mlir::Value aOffset = {};
  llvm::SmallVector<int64_t> rowOffsets = {};
  mlir::Value rowStride = {};  ///< index: what `rowOffsets` are multiplied by, or null.
  mlir::Value b;
  mlir::Value bOffset = {};
  int64_t panels = 1;
  int64_t panelStride = 0;
  int64_t lanes = 16;
  int64_t lastPanelLanes = 0;  ///< Lanes of the last panel that are read; 0: all.
  /// Lanes of B that hold kMarkedLane leave their accumulators alone, whatever is in A: products of
  /// infinities with zeros would be NaN. Costs nothing but a test for NaN where there are none.
  bool hasMarks = false;
  /// Outermost first; the last is unrolled.
  llvm::SmallVector<ReductionLoop> loops = {};
  /// Steps of the last loop per iteration of the emitted loop.
  int64_t unroll = 4;
  /// Independent partial sums per accumulator, for tiles too small to hide the latency of the
  /// multiply-add.
  int64_t partialSums = 1;
  /// Null, or called in the outermost loop, which has two steps or more, in front of each step with
  /// its number: to make what the steps behind it read. Not beside marks.
  std::function<void(IndexBuilder& b, mlir::Value step)> beforeStep = {};
};

/// Emits the micro-kernel. `accumulators` (row-major: row * panels + panel) are the initial values;
/// the result is the same list, reduced.
llvm::SmallVector<mlir::Value> emitBrgemm(mlir::OpBuilder& b, mlir::Location loc,
                                          const BrgemmTile& tile, mlir::ValueRange accumulators);

}  // namespace tessera::lowering
