// Values that are another value's memory, read in other steps: what transposes, reshapes, slices
// and splits make of it.
#pragma once

#include <optional>

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

  /// The stride where it is known now.
  std::optional<int64_t> stride() const {
    return factor == 0 || openDims.empty() ? std::optional(factor) : std::nullopt;
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

}  // namespace tessera::backend_native
