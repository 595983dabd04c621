// How loops walk over tensors: operands that are broadcast, dimensions that loops need not tell
// apart.
#pragma once

#include <optional>

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tessera::backend_csource {

using Ints = llvm::SmallVector<int64_t>;

/// Row-major strides of a shape, in elements.
Ints stridesOf(llvm::ArrayRef<int64_t> shape);
int64_t productOf(llvm::ArrayRef<int64_t> sizes);
/// Of a static tensor value.
mlir::RankedTensorType typeOf(mlir::Value value);
int64_t countOf(mlir::Value value);

/// The strides with which operand `index` of an elementwise operator is read, one for each
/// dimension of the result: 0 where it is broadcast.
Ints operandStrides(mlir::Operation* op, unsigned index);

/// Neighbouring dimensions [first, last) that one loop walks over, together `extent` elements.
struct LoopDim {
  int64_t first = 0, last = 0;
  int64_t extent = 1;
};
using LoopDims = llvm::SmallVector<LoopDim>;

/// The dimensions of `shape` cut in front of each of `cuts`.
LoopDims cutDims(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> cuts);

/// The fewest loops over `shape` in which every one of `operands`, strides as above, has one stride
/// for each loop. At least one loop.
LoopDims fewestDims(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Ints> operands);

/// The stride for each loop; nothing where a loop would need several.
std::optional<Ints> loopStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
                                llvm::ArrayRef<LoopDim> loops);

}  // namespace tessera::backend_csource
