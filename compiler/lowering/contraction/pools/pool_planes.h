// The planes of the windows of a pool over volumes, combined before rows and columns are. Not for
// other folders.
#pragma once

#include <functional>

#include "compiler/lowering/contraction/window_rows.h"

namespace tessera::lowering {

/// Combined planes: [depths of results][rows][width], in which rows are whole vectors, with a
/// vector of anything in front and behind.
struct PoolPlanes {
  int64_t depths = 1;  ///< Results at a time: neighbours that share planes.
  int64_t rows = 1, width = 1;
  bool areRowsCombined = false;  ///< A row for each row of results, else for each of the input.
  bool stayInRegisters = false;  ///< Combined rows are taken one by one, and not in memory.
  int64_t lead = 0;              ///< Elements in front of the first row.

  int64_t size() const { return depths * rows * width + 2 * lead; }
};

/// For windows of all of `rows` rows of results; `isFromMemory`: the input is in no cache.
PoolPlanes poolPlanes(const ConvShape& shape, int64_t rows, bool isFromMemory, int64_t lanes);

/// Whether planes have to be combined: else each result is of one plane of the input.
bool hasWindowInDepth(const ConvShape& shape);

/// A row of the planes of one depth.
struct CombinedRow {
  int64_t depth;     ///< Of those at a time.
  Index number;      ///< Of the rows of results.
  bool mayLackRows;  ///< Some of its window may lie outside of the input.
  llvm::ArrayRef<mlir::Value> vectors;
};

/// Emits `target` (flat, as `planes` says): row i of depth e are rows firstRow + i of the planes in
/// the windows of results depth + e of volume `volume` of `input`, flat, [volumes, D, H, W], or the
/// windows of rows from that one on. Elements behind a row, and rows outside of the input, change
/// no combination. `results`, flat, or null: where results of the same rows will be written.
/// Where they stay in registers, `take` builds what becomes of a row instead.
struct PlanesToCombine {
  mlir::Value input, target, results;
  Index volume, depth, firstRow;
  std::function<void(const CombinedRow& row)> take;
};
void emitCombinedPlanes(IndexBuilder& b, const ConvShape& shape, const Pool& pool,
                        const PoolPlanes& planes, const PlanesToCombine& what, int64_t lanes);

}  // namespace tessera::lowering
