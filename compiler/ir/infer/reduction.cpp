// Reductions along axes, and operators that work along one axis and keep the shape.
#include "compiler/ir/infer/common.h"
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/spec/constant_axes.h"

namespace tessera::ir {

/// `dims` without the reduced dimensions, or with size 1 in their place.
static Dims reducedShape(const Dims& dims, llvm::ArrayRef<int64_t> axes, bool keepdims) {
  Dims result;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      result.push_back(dim);
    else if (keepdims)
      result.push_back({.size = 1});
  }
  return result;
}

/// The axes are known at run time only; how many there are tells the rank of the result.
static mlir::LogicalResult inferWithOpenAxes(mlir::Operation* op, mlir::Value axes, bool keepdims,
                                             Types& types) {
  const int64_t rank = operandType(op, 0).getRank(), count = knownLength(axes);
  if (count > rank)
    return op->emitOpError() << "(C1) " << count << " axes, expected at most " << rank;
  if (count < 0 && !keepdims)
    return op->emitOpError() << "(C2) the number of axes is not known and keepdims is 0, so the "
                                "rank of the result is not known";
  Dims result(keepdims ? rank : rank - count, Dim{});
  if (keepdims && count == rank) result = Dims(rank, Dim{.size = 1});
  return appendResult(op, operandType(op, 0).getElementType(), result, types);
}

mlir::LogicalResult inferReduce(mlir::Operation* op, mlir::Value axes, int64_t keepdims,
                                int64_t noopWithEmptyAxes, Types& types) {
  const Dims input = operandDims(op, 0);
  llvm::SmallVector<int64_t> reduced;
  if (axes) {
    if (mlir::failed(expectRank(op, "(C2)", axes, "axes", 1))) return mlir::failure();
    const std::optional<llvm::SmallVector<int64_t>> values = knownInts(axes);
    if (!values && knownLength(axes) != 0) return inferWithOpenAxes(op, axes, keepdims != 0, types);
    const auto normalized = normalizeAxes(op, "(C1)", values.value_or(llvm::SmallVector<int64_t>()),
                                          static_cast<int64_t>(input.size()));
    if (!normalized) return mlir::failure();
    reduced = *normalized;
  }
  reduced = spec::reducedDims(reduced, noopWithEmptyAxes != 0, static_cast<int64_t>(input.size()));
  return appendResult(op, operandType(op, 0).getElementType(),
                      reducedShape(input, reduced, keepdims != 0), types);
}

std::optional<llvm::SmallVector<int64_t>> constantReducedDims(mlir::Operation* op, mlir::Value axes,
                                                              int64_t noopWithEmptyAxes) {
  const std::optional<llvm::SmallVector<int64_t>> values =
      axes ? constantInts(axes) : llvm::SmallVector<int64_t>();
  if (!values) return std::nullopt;
  return spec::reducedDims(*values, noopWithEmptyAxes != 0, operandType(op, 0).getRank());
}

mlir::LogicalResult inferArgReduce(mlir::Operation* op, int64_t axis, int64_t keepdims,
                                   Types& types) {
  const Dims input = operandDims(op, 0);
  const std::optional<int64_t> place =
      normalizeAxis(op, "(C1)", axis, static_cast<int64_t>(input.size()));
  if (!place) return mlir::failure();
  if (input[*place].is(0))
    return op->emitOpError() << "(C1) axis " << *place << " of " << toText(input)
                             << " is empty, expected an element to point at";
  return appendResult(op, mlir::IntegerType::get(op->getContext(), 64),
                      reducedShape(input, *place, keepdims != 0), types);
}

mlir::LogicalResult inferAlongAxis(mlir::Operation* op, int64_t axis, Types& types) {
  if (!normalizeAxis(op, "(C1)", axis, operandType(op, 0).getRank())) return mlir::failure();
  return inferSameAsFirst(op, types);
}

}  // namespace tessera::ir
