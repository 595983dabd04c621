// A patch of an image: what a block of positions reads, as a copy with borders whose strides are
// known. Not for other folders.
#pragma once

#include <array>

#include "compiler/lowering/contraction/open/open_conv.h"
#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// One spatial dimension as tiles see it: position u reads input elements
/// u * stride - padBegin + t * dilation, t of [0, taps), and gives results u * phases + p, p of
/// [0, phases), with kernel element kernelFirst + p + t * kernelStep where there is one. A
/// convolution has one phase, a transposed one as many as its stride.
struct PatchAxis {
  int64_t taps = 1, stride = 1, dilation = 1;
  int64_t kernel = 1, phases = 1, kernelFirst = 0, kernelStep = 1;
  mlir::Value in, padBegin, positions, out;

  int64_t kernelElement(int64_t phase, int64_t tap) const {
    return kernelFirst + phase + tap * kernelStep;
  }
  bool hasTap(int64_t phase, int64_t tap) const {
    const int64_t element = kernelElement(phase, tap);
    return 0 <= element && element < kernel;
  }
  /// What `count` neighbouring positions reach over.
  int64_t reach(int64_t count = 1) const { return windowReach(taps, dilation, stride, count); }
};

/// Columns of the input whose numbers, counted from `shift`, have one remainder by the stride lie
/// side by side: taps first + i * step, i of [0, count), read elements offset + i * offsetStep from
/// a position's own.
struct ColumnTaps {
  int64_t shift = 0;
  int64_t remainder = 0;
  int64_t first = 0, step = 1, count = 1;
  int64_t offset = 0, offsetStep = 1;
};

/// Sizes of a patch: [channels][planes][rows][remainders][pitch].
struct PatchLayout {
  int64_t lanes = 1;
  int64_t channels = 1;                   ///< Of a group.
  int64_t mostRows = 1, mostColumns = 1;  ///< Positions that it serves.
  int64_t planes = 1;                     ///< One for each tap.
  int64_t rows = 1;
  int64_t rowStep = 1, tapStep = 1;  ///< Rows of the patch between positions, and between taps.
  bool hasRowsOfTaps = false;        ///< Each position has rows of its own.
  bool hasColumnsOfTaps = false;     ///< Each tap has columns of its own.
  llvm::SmallVector<ColumnTaps> columns = {};
  int64_t reach = 0;  ///< Elements that a row has more than it serves positions.
  int64_t pitch = 1;

  int64_t rowStride() const { return static_cast<int64_t>(columns.size()) * pitch; }
  int64_t planeStride() const { return rows * rowStride(); }
  int64_t channelStride() const { return planes * planeStride(); }
  int64_t size() const { return channels * channelStride(); }
};

/// Columns that a patch has for each position along `axis` if it is the last one: each is copied,
/// and multiplied, by code of its own.
int64_t numColumnTaps(const PatchAxis& axis);

/// The layout for tiles of `tileColumns` positions side by side. `isFlat`: there is one row.
/// `hasLargeWeights`: those that the patch meets do not stay in the second-level cache.
PatchLayout layoutPatch(const std::array<PatchAxis, 3>& axes, int64_t channels, int64_t tileColumns,
                        bool isFlat, bool hasLargeWeights, int64_t lanes);

/// Where a patch lies: the first positions of it, and how many there are.
struct PatchPlace {
  mlir::Value source;  ///< Offset of the first channel in the flat input.
  mlir::Value plane, row, column;
  mlir::Value rows, columns;
};

/// Emits patch = the part of `input` there, with zeros outside of the image.
void emitPatch(IndexBuilder& b, const std::array<PatchAxis, 3>& axes, const PatchLayout& layout,
               const PatchPlace& place, mlir::Value input, mlir::Value patch);

}  // namespace tessera::lowering
