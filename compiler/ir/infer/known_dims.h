// A partial evaluator of shape arithmetic: what is known of the elements of an integer tensor
// without running it.
#pragma once

#include <optional>

#include "compiler/ir/infer/common.h"

namespace tessera::ir {

/// The elements of an integer (or bool) tensor of rank 0 or 1, each a number, a named dimension, or
/// not known (a dynamic Dim without name). Looks through constants, Shape, Size, Gather, Slice,
/// Concat, Unsqueeze, Squeeze, Reshape, Identity, Cast between integers, Add, Sub, Mul, Div, Mod,
/// Min, Max, Equal, Where, Expand, ConstantOfShape, Range and ReduceProd. Nothing when not even the
/// number of elements is known. Numbers may be negative: they are values, not sizes. Cost: bounded,
/// whatever the graph.
std::optional<Dims> knownDims(mlir::Value value);

/// The elements when all of them are known numbers; nothing for more than a few thousand.
std::optional<llvm::SmallVector<int64_t>> knownInts(mlir::Value value);

/// Elements of which each may be unknown.
struct Numbers {
  llvm::SmallVector<std::optional<int64_t>> values;

  /// Nothing beyond the known elements as well.
  std::optional<int64_t> at(size_t index) const {
    return index < values.size() ? values[index] : std::nullopt;
  }
};
Numbers knownNumbers(mlir::Value value);

/// The elements of an operand that gives the sizes of a result; an error "(C1) ..." on `op` when it
/// has not rank 1 or not even its length is known, since the result then has no known rank.
std::optional<Dims> shapeOperand(mlir::Operation* op, mlir::Value shape, llvm::StringRef name);

}  // namespace tessera::ir
