#include "compiler/ir/spec/constant_axes.h"

#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"

namespace tessera::ir::spec {

llvm::SmallVector<int64_t> normalizedAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallVector<int64_t> result;
  for (const int64_t axis : axes) result.push_back(normalizedAxis(axis, rank));
  return result;
}

std::optional<llvm::SmallVector<int64_t>> constantAxes(mlir::Value axes, int64_t rank) {
  const std::optional<llvm::SmallVector<int64_t>> values = constantInts(axes);
  return values ? std::optional(normalizedAxes(*values, rank)) : std::nullopt;
}

llvm::SmallVector<int64_t> allAxes(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

llvm::SmallVector<int64_t> reducedDims(llvm::ArrayRef<int64_t> axes, bool noopWithEmptyAxes,
                                       int64_t rank) {
  if (axes.empty() && !noopWithEmptyAxes) return allAxes(rank);
  llvm::SmallVector<int64_t> dims = normalizedAxes(axes, rank);
  llvm::sort(dims);
  return dims;
}

}  // namespace tessera::ir::spec
