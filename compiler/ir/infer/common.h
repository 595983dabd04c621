// What the inference functions of all families share: dimensions with names, checked results, axes,
// errors.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"

namespace tessera::ir {

/// One dimension: a size, or dynamic and then possibly with a symbol. Equal symbols mean equal
/// sizes.
struct Dim {
  int64_t size = mlir::ShapedType::kDynamic;
  mlir::StringAttr symbol = nullptr;  ///< Null when the size is static or has no name.

  bool isStatic() const { return !mlir::ShapedType::isDynamic(size); }
  bool is(int64_t value) const { return size == value && isStatic(); }
};
using Dims = llvm::SmallVector<Dim, 6>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

/// Sizes, pads, strides and factors above this are refused, so that sums and products of two of
/// them fit in 64 bits.
inline constexpr int64_t kMaxExtent = int64_t{1} << 30;
/// No tensor is larger.
inline constexpr int64_t kMaxTensorBytes = int64_t{1} << 62;

/// The dimensions of a tensor type with the names of its layout.
Dims dimsOf(mlir::RankedTensorType type);
/// The type of an operand, which must be a ranked tensor.
mlir::RankedTensorType operandType(mlir::Operation* op, unsigned index);
inline Dims operandDims(mlir::Operation* op, unsigned index) {
  return dimsOf(operandType(op, index));
}
inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// The tensor type with these dimensions; their names become its layout.
mlir::RankedTensorType tensorType(mlir::Type element, llvm::ArrayRef<Dim> dims);
/// Appends tensorType(element, dims); an error on `op` when a size is negative or the tensor too
/// large.
mlir::LogicalResult appendResult(mlir::Operation* op, mlir::Type element, llvm::ArrayRef<Dim> dims,
                                 Types& types);
/// False when the rank is above base::kMaxRank or the bytes of the static dimensions alone exceed
/// kMaxTensorBytes.
bool isRepresentable(mlir::RankedTensorType type);

/// The dimension that two equal dimensions have in common; nothing when their sizes differ.
std::optional<Dim> mergeDims(const Dim& a, const Dim& b);
/// The dimension of two broadcast ones; nothing when sizes differ and none is 1.
std::optional<Dim> broadcastDims(const Dim& a, const Dim& b);
/// Numpy broadcasting of whole shapes; nothing when they do not fit.
std::optional<Dims> broadcastShapes(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);
/// True when both are known to be equal.
bool areEqual(const Dim& a, const Dim& b);
/// Product of the sizes; -1 when one is dynamic or it does not fit.
int64_t staticProduct(llvm::ArrayRef<Dim> dims);
/// a * b for counts that are not negative; -1 when either is, at most INT64_MAX.
int64_t saturatingProduct(int64_t a, int64_t b);

/// "[2, n, ?]".
std::string toText(llvm::ArrayRef<Dim> dims);

/// Counts negative axes from the back; an error "`label` `what` is ..." when it is outside [-rank,
/// rank).
std::optional<int64_t> normalizeAxis(mlir::Operation* op, llvm::StringRef label, int64_t axis,
                                     int64_t rank, llvm::StringRef what = "axis");
/// As above for each of `axes`; also an error when two are the same.
std::optional<llvm::SmallVector<int64_t>> normalizeAxes(mlir::Operation* op, llvm::StringRef label,
                                                        llvm::ArrayRef<int64_t> axes, int64_t rank);

/// True when the operand has one element: rank 0, or static and all sizes 1.
bool isScalarLike(mlir::RankedTensorType type);
/// Fails with "`label` ..." unless the operand has the given rank.
mlir::LogicalResult expectRank(mlir::Operation* op, llvm::StringRef label, mlir::Value operand,
                               llvm::StringRef name, int64_t rank);
/// Fails with "`label` ..." unless all sizes match the expected ones.
mlir::LogicalResult expectDims(mlir::Operation* op, llvm::StringRef label, mlir::Value operand,
                               llvm::StringRef name, llvm::ArrayRef<Dim> expected);
/// Fails with "`label` ..." unless `value` is one of `allowed`.
mlir::LogicalResult expectOneOf(mlir::Operation* op, llvm::StringRef label, llvm::StringRef name,
                                llvm::StringRef value, llvm::ArrayRef<llvm::StringRef> allowed);
/// Fails with "`label` ..." unless the attribute `name` is absent or holds one of the enum's words.
template <typename Word>
mlir::LogicalResult expectWord(mlir::Operation* op, llvm::StringRef label, llvm::StringRef name,
                               mlir::StringAttr value) {
  if (!value) return mlir::success();
  return expectOneOf(op, label, name, value.getValue(), wordsOf<Word>());
}
/// Fails with "`label` ..." unless operands `first` and `other` have one element type.
mlir::LogicalResult expectSameElement(mlir::Operation* op, llvm::StringRef label, mlir::Value first,
                                      mlir::Value other);
/// The same of all of `operands`; those that are null are left out.
mlir::LogicalResult expectSameElement(mlir::Operation* op, llvm::StringRef label,
                                      llvm::ArrayRef<mlir::Value> operands);
/// The same of all operands of the operator.
mlir::LogicalResult expectSameElement(mlir::Operation* op, llvm::StringRef label);

/// The number of entries of a rank-1 shape-like operand; -1 when it is not known.
int64_t knownLength(mlir::Value value);

/// Element types are equal and sizes are equal or dynamic on one side.
bool isCompatible(mlir::RankedTensorType a, mlir::RankedTensorType b);

}  // namespace tessera::ir
