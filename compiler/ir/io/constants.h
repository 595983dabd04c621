// Constants: making them, reading them.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/ir/tsr.h"

namespace tessera::ir {

/// Constants of at most this many bytes are printed inline.
inline constexpr size_t kInlineConstantBytes = 256;
/// A splat of more bytes than this, expanded, is no legal inline constant.
inline constexpr int64_t kMaxInlineConstantBytes = int64_t{1} << 31;

/// True for a dense value of the shape and element type of `type`, which is in plain order and not
/// too large.
bool isInlineConstant(mlir::Attribute value, mlir::RankedTensorType type);

/// The bytes of a constant of `type`, which is plain, as an inline value, however large.
mlir::DenseElementsAttr denseValue(mlir::RankedTensorType type, std::span<const std::byte> bytes);
/// The value attribute for `type` and its bytes (physical order of `type`, little-endian, bool one
/// byte each): inline when small, else by hash in the context's store. The store shares `blob`;
/// nothing is copied when large.
mlir::Attribute constantValue(mlir::RankedTensorType type, Blob blob);
ConstantOp createConstant(mlir::OpBuilder& builder, mlir::Location loc, mlir::RankedTensorType type,
                          Blob blob);
/// A tensor<Nxi64> constant.
ConstantOp createIntsConstant(mlir::OpBuilder& builder, mlir::Location loc,
                              llvm::ArrayRef<int64_t> values);

/// The bytes of a constant attribute of the given type; bool one byte each. Bytes of a splat are
/// expanded.
Blob constantBytes(mlir::Attribute value, mlir::RankedTensorType type, mlir::MLIRContext* context);
/// The bytes of the constant that defines `value`; nothing when it is no constant.
std::optional<Blob> constantBytes(mlir::Value value);
/// The elements of a constant i64/i32 tensor; nothing when `value` is null or no constant of such a
/// type.
std::optional<llvm::SmallVector<int64_t>> constantInts(mlir::Value value);
/// The elements of a constant f32/f64 tensor, likewise.
std::optional<llvm::SmallVector<double>> constantFloats(mlir::Value value);
/// The one element of a constant floating-point or integer tensor with one element (or all equal
/// ones).
std::optional<double> constantScalar(mlir::Value value);

/// Physical size of a value of this type in bytes, bool one byte; -1 when a size is dynamic, at
/// most INT64_MAX.
int64_t physicalSizeBytes(mlir::RankedTensorType type);

}  // namespace tessera::ir
