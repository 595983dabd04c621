// Importer types and values as MLIR's.
#pragma once

#include <optional>

#include "frontends/onnx/import/graph/graph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera::onnx {

/// A ranked tensor where element type and rank are known; null otherwise.
/// With `keepSymbols` the names of its dynamic dimensions are in its encoding,
/// `#tsr.layout<dims = ...>`.
mlir::RankedTensorType rankedType(mlir::MLIRContext* context, const ValueType& type,
                                  bool keepSymbols);

/// The type a value of unknown type has: what is known of it as unranked tensor, else `none`.
mlir::Type unknownType(mlir::MLIRContext* context, const ValueType& type);

/// Back again; nothing for types that are no tensors.
std::optional<ValueType> toValueType(mlir::Type type);

/// The least type that holds both: sizes that differ become dynamic, ranks that differ give an
/// unranked tensor, element types that differ give `none`.
mlir::Type mergeTypes(mlir::Type a, mlir::Type b);

/// The type of a constant tensor. Errors: element types the dialect has no tensors of.
Result<mlir::RankedTensorType> constantType(mlir::MLIRContext* context, const TensorData& tensor);

}  // namespace tessera::onnx
