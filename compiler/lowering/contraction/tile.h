// One tile of a contraction: bias, micro-kernel, epilogue, stores; and how extents are cut into
// tiles.
#pragma once

#include "compiler/lowering/contraction/brgemm.h"
#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/contraction/tuning.h"
#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

/// Where the accumulators of a BrgemmTile go. All memrefs are flat.
struct OutputTile {
  mlir::Value output;
  mlir::Value offset = {};                     ///< Element offset of row 0, panel 0.
  llvm::SmallVector<int64_t> rowOffsets = {};  ///< From `offset`, one per row, in equal steps.
  mlir::Value rowStride = {};  ///< index: what `rowOffsets` are multiplied by, or null.
  int64_t panelStride = 0;
  mlir::Value bias = {};           ///< One element per channel, or null.
  mlir::Value channelOffset = {};  ///< First channel of panel 0.
  int64_t lastPanelLanes = 0;      ///< Lanes of the last panel inside the tensor.
  /// index: the same where it is known at run time only: so many lanes from panel 0 on; or null.
  mlir::Value openLanes = {};
  /// index: panels, `interleaved` of them each, are rows of an image, so many elements apart, of
  /// which `openRows` are there with `openLanes` lanes each; or null: they lie side by side.
  mlir::Value imageRowStride = {}, openRows = {};
  /// Sums of lanes behind so many channels are 0, whatever is in A: its infinities times the zeros
  /// of B would be NaN. 0: B has no such lanes.
  int64_t channels = 0;
  mlir::Value batch = {};  ///< For the epilogue.
  mlir::Value row = {};    ///< For the epilogue, of row 0; may be null.
  /// So many rows of the tile, one behind the other, are one row of the output, an element of each
  /// in turn; it has `panels` vectors then, not more than the tile has for it.
  int64_t interleaved = 1;
  int64_t panels = 0;
};

/// output tile = epilogue(the sum of A * B of all `parts` + bias); parts have the same rows and
/// panels and reduce over different steps.
void emitTile(mlir::OpBuilder& at, mlir::Location loc, llvm::ArrayRef<BrgemmTile> parts,
              const OutputTile& output, const Epilogue& epilogue);

/// Sums of a tile over parts of its reduction: its accumulators, row by row, at `offset` of a flat
/// memref.
struct PartialSums {
  mlir::Value memref;
  mlir::Value offset = {};
};

/// sums = A * B, or sums + A * B where `isFirst` (a condition of the run) does not hold.
void emitPartialTile(mlir::OpBuilder& at, mlir::Location loc, const BrgemmTile& tile,
                     const PartialSums& sums, mlir::Value isFirst = {});

/// Whether a part of a reduction is the first one, and the last one: conditions of the run.
struct PartPlace {
  mlir::Value isFirst, isLast;
};

/// Of the last part: output tile = epilogue(sums + A * B + bias); of others sums = sums + A * B.
/// Where a part is the first one there are no sums yet.
void emitTileOfPart(mlir::OpBuilder& at, mlir::Location loc, const BrgemmTile& tile,
                    const OutputTile& output, const Epilogue& epilogue, const PartialSums& sums,
                    const PartPlace& part);

/// A reduction in `count` parts of `size` steps, of which the last has `last`.
struct ReductionParts {
  int64_t size = 0, count = 1, last = 0;
};

/// The same for part number `part` of the steps of the tile's outermost loop.
void emitPart(IndexBuilder& b, BrgemmTile tile, const ReductionParts& parts, mlir::Value part,
              const PartialSums& sums, mlir::Value isFirst = {});

/// Tiles, of `count`, that go through each part one after the other: their sums, so many elements
/// each, stay in the first-level cache beside the rest.
int64_t tilesTogether(int64_t sums, int64_t count);

/// output tile = epilogue(sums + bias), of `parts` sums that lie one tile of `stride` elements
/// apart and are added in their order.
void emitSummedTile(mlir::OpBuilder& at, mlir::Location loc, const BrgemmTile& tile,
                    const OutputTile& output, const Epilogue& epilogue, const PartialSums& sums,
                    int64_t parts = 1, int64_t stride = 0);

/// An extent cut into `numLarge` tiles of `large` followed by `numSmall` tiles of `large - 1`.
struct EvenSplit {
  int64_t large = 1;
  int64_t numLarge = 0;
  int64_t numSmall = 0;

  int64_t count() const { return numLarge + numSmall; }
};

/// The split of `extent` >= 1 into the fewest tiles of at most `maxSize`, as equal as can be.
EvenSplit splitEvenly(int64_t extent, int64_t maxSize);

/// Rows and panels of a register tile.
struct TileShape {
  int64_t rows = 1;
  int64_t panels = 1;
};

/// The register tiles worth trying on a CPU, best first for large extents: as many accumulators as
/// leave room for the operands. Only one when `tuning` says so.
llvm::SmallVector<TileShape> candidateTiles(const CpuTarget& cpu, const ContractionTuning& tuning);

/// Row strides of A, in bytes, that are multiples of this put all rows of a tile into the same few
/// lines of the first-level cache.
inline constexpr int64_t kConflictingStrideBytes = 4096;

/// Of `rows` such rows as many as that cache has ways for.
int64_t rowsInCache(int64_t rows, int64_t rowStrideBytes);

/// Estimated cycles of one reduction step of a tile on a core with two multiply-add units.
double cyclesPerStep(TileShape tile);

/// The tile for a matrix of `rows` rows (0: unknown, many) that lie `rowStrideBytes` apart and
/// `panels` column panels.
TileShape chooseTile(const CpuTarget& cpu, int64_t rows, int64_t rowStrideBytes, int64_t panels,
                     const ContractionTuning& tuning);

/// Emits a case for each run of tiles that are alike: `emit(i)` where run number i is the first one
/// whose end, of `ends`, is behind tile number `tile`.
void emitRunCases(IndexBuilder& b, mlir::Value tile, llvm::ArrayRef<int64_t> ends,
                  llvm::function_ref<void(size_t run)> emit);

/// Runs `large` for tile indices below `numLarge`, else `small` (null when there are none); `start`
/// is the tile's first element.
void emitSplitCases(IndexBuilder& b, const EvenSplit& split, mlir::Value tileIndex,
                    llvm::function_ref<void(mlir::Value start, int64_t size)> emit);

}  // namespace tessera::lowering
