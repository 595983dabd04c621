// Matrices of a batch that are read where they lie, and packed into panels of columns.
#pragma once

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

/// A matrix for each entry of a batch as panels of as many columns as a vector has lanes: packed,
/// or where they lie.
struct MatrixPanels {
  mlir::Value memory;           ///< f32, flat.
  mlir::Value allocation = {};  ///< To be freed behind the last use; null where they lie.
  mlir::Value offset;
  llvm::SmallVector<mlir::Value> batchStrides = {};
  mlir::Value panelStride, rowStride;

  /// Where row 0 of a panel of an entry begins.
  Index placeOf(IndexBuilder& b, mlir::ValueRange at, mlir::Value panel) const;
};

/// Packs matrices in which rows or columns lie element by element; threads share the panels out.
/// Entries that a stride of 0 makes equal are packed once. What fills up panels may be anything.
MatrixPanels packPanels(IndexBuilder& b, const StridedMatrices& matrices, const PackedSizes& sizes,
                        int64_t lanes);

/// Where a panel is packed to: its rows lie `rowStep` elements apart.
struct PanelPlace {
  mlir::Value memory;  ///< f32, flat.
  mlir::Value offset, rowStep;
};

/// Packs one of as many columns as a vector has lanes: `sizes.columns`, 1 or more, are there from
/// element `from` on. Rows are filled up to a multiple of the lanes where columns lie element by
/// element.
void packPanel(IndexBuilder& b, const StridedMatrices& matrices, const PackedSizes& sizes,
               int64_t lanes, Index from, const PanelPlace& place);

/// `size` (index) f32 elements of a flat memref from a place on.
struct MatrixRow {
  mlir::Value memory;
  Index place;
  mlir::Value size;
};

/// A vector of `lanes` elements, of which element i is the sum of the products of the elements of
/// `row` with as many of `others` from places[i] on; 0 behind the last place.
mlir::Value sumAlongRows(IndexBuilder& b, const MatrixRow& row, mlir::Value others,
                         llvm::ArrayRef<Index> places, int64_t lanes);

}  // namespace tessera::lowering
