// Values that are another value's memory, read in other steps: what transposes, reshapes, slices
// and splits make of it.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/tsr.h"

namespace tessera::backend_native {

/// One dimension: its size, and the elements of the source from one of its entries to the next.
struct ViewDim {
  int64_t size = 1;  ///< mlir::ShapedType::kDynamic where it is open.
  int64_t factor = 0;
  /// Dimensions of the source, each as its open size times in the stride, too.
  llvm::SmallVector<int64_t> openDims = {};
  /// The dimension of the source whose size an open one has.
  int64_t openSize = -1;
  /// What a dimension consists of, the outermost first, where no one stride leads through it (a
  /// head that is repeated, then the next one). It has none itself.
  std::vector<ViewDim> parts = {};

  /// The stride where it is known now.
  std::optional<int64_t> stride() const {
    const bool isKnown = parts.empty() && (factor == 0 || openDims.empty());
    return isKnown ? std::optional(factor) : std::nullopt;
  }
};

struct StridedView {
  mlir::Value source;
  int64_t offset = 0;
  llvm::SmallVector<ViewDim> dims;
};

/// All of a value, which is row-major.
StridedView viewOf(mlir::Value value);

/// What result `number` of `op` is of the same source, given what operand 0 is; nothing when that
/// is no matter of steps.
std::optional<StridedView> viewThrough(mlir::Operation* op, unsigned number,
                                       const StridedView& operand);

/// `dims` with 1s in front, `rank` in all.
llvm::SmallVector<ViewDim> padded(llvm::ArrayRef<ViewDim> dims, size_t rank);

/// `dims`, which broadcast to the first dimensions of `from`, as those of `to`, a reshape of it in
/// which the last `numKept` dimensions stay; nothing where sizes have no common parts.
std::optional<llvm::SmallVector<ViewDim>> reshaped(llvm::ArrayRef<ViewDim> dims,
                                                   mlir::RankedTensorType from,
                                                   mlir::RankedTensorType to, int64_t numKept = 0);

/// Takes batch dimensions, all but the last two, apart until none has parts; the batches, compared
/// from their last dimension on, broadcast to one and do so afterwards. False where sizes have no
/// common parts.
bool splitBatches(llvm::ArrayRef<StridedView*> views);

}  // namespace tessera::backend_native
