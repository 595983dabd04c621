// The recurrent parts of gates in a step: products of the states of all entries with the panels of
// a block of units.
#pragma once

#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

/// Of `numGates` neighbouring panels and of rows of states. Both memrefs are flat.
struct GateProduct {
  mlir::Value states;
  Index firstState;       ///< Offset of the first entry's row.
  int64_t rowStride = 0;  ///< From entry to entry.
  mlir::Value panels;
  Index firstPanel;  ///< Offset of the first gate's panel, [hidden][c].
  int64_t hidden = 1, numGates = 1;
};

/// Entries that sums are kept of at a time where the batch is known at run time only.
inline constexpr int64_t kEntriesOfOpenBatch = 48;

/// Whether registers hold the sums of so many entries and gates until what follows from them.
bool fitsRegisters(const CpuTarget& cpu, int64_t entries, int64_t gates);

/// The sums of all gates and of the first entries, row by row, in registers.
llvm::SmallVector<mlir::Value> emitGateSums(IndexBuilder& b, const GateProduct& product,
                                            int64_t entries, const CpuTarget& cpu);

/// sums[entries][numGates][c] = those of the first entries: a few gates for all entries while their
/// weights are in the first-level cache.
void keepGateSums(IndexBuilder& b, const GateProduct& product, int64_t entries, mlir::Value sums,
                  const CpuTarget& cpu);
/// The same of entries whose number, up to kEntriesOfOpenBatch, is an index value; in tiles of
/// about `rows` of them.
void keepOpenGateSums(IndexBuilder& b, const GateProduct& product, mlir::Value entries,
                      mlir::Value rows, mlir::Value sums, const CpuTarget& cpu);
/// Rows that make equal tiles of so many entries.
mlir::Value tileRowsOfOpenBatch(IndexBuilder& b, mlir::Value entries, int64_t gates,
                                int64_t rowStride, const CpuTarget& cpu);

}  // namespace tessera::lowering
