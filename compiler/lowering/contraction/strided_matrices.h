// Matrices of a batch that are read where they lie, and packed into panels of columns.
#pragma once

#include <optional>

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// A matrix for each entry of a batch: element (row, column) of entry `at` is
/// memory[offset + sum(at_i * batchStrides_i) + row * rowStride + column * columnStride]. All are
/// index values, constants where they are known; a stride is 0 where a dimension is broadcast.
struct StridedMatrices {
  mlir::Value memory;  ///< f32, flat.
  mlir::Value offset;
  llvm::SmallVector<mlir::Value> batchStrides = {};
  mlir::Value rowStride, columnStride;

  /// Where element (row, 0) of an entry lies.
  Index placeOf(IndexBuilder& b, mlir::ValueRange at, mlir::Value row) const;
  StridedMatrices transposed() const;
};

/// How many matrices there are, and what they have; index values, constants where they are known.
struct PackedSizes {
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value rows, columns;
  bool areRowsOutside = false;  ///< [rows][panels][lanes] instead of [panels][rows][lanes].
  int64_t panelMultiple = 1;    ///< Panels are filled up to a multiple of this, where the number
                                ///< of columns is not known.
};

/// A matrix for each entry of a batch as panels of as many columns as a vector has lanes,
/// [panels][rows][lanes], in an allocation of its own.
struct PackedPanels {
  mlir::Value memory;      ///< f32, flat.
  mlir::Value allocation;  ///< To be freed behind the last use.
  llvm::SmallVector<mlir::Value> batchStrides = {};
  mlir::Value panelStride, rowStride;
};

/// Packs matrices in which rows or columns lie element by element; threads share the panels out.
/// Entries that a stride of 0 makes equal are packed once. What fills up panels may be anything.
PackedPanels packPanels(IndexBuilder& b, const StridedMatrices& matrices, const PackedSizes& sizes,
                        int64_t lanes);

/// The lanes below `count`, an index value, as a vector of conditions.
mlir::Value lanesBelow(IndexBuilder& b, int64_t lanes, mlir::Value count);

}  // namespace tessera::lowering
