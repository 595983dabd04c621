// Shape and type inference shared by families of operators. Each function appends one type for each
// result, or emits an error on `op` that names the broken constraint, e.g. "(C2) ...", and fails.
#pragma once

#include <cstdint>
#include <optional>

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LogicalResult.h"

namespace tessera::ir {

/// Trait of operators whose operands all broadcast to one shape as numpy does; see tsr_base.td.
template <typename ConcreteOp>
class NumpyBroadcast : public mlir::OpTrait::TraitBase<ConcreteOp, NumpyBroadcast> {};

/// The result types of a TsrOpInterface operation that may not have been verified: checks the
/// operands first, since `inferTypes` relies on ranked tensors with representable sizes. The door
/// for whoever makes operations from outside input. Required attributes must be present.
mlir::LogicalResult inferResultTypes(mlir::Operation* op, llvm::SmallVectorImpl<mlir::Type>& types);

mlir::LogicalResult inferSameAsFirst(mlir::Operation* op, llvm::SmallVectorImpl<mlir::Type>& types);
mlir::LogicalResult inferBroadcast(mlir::Operation* op, bool boolResult,
                                   llvm::SmallVectorImpl<mlir::Type>& types);
mlir::LogicalResult inferReduce(mlir::Operation* op, mlir::Value axes, int64_t keepdims,
                                int64_t noopWithEmptyAxes,
                                llvm::SmallVectorImpl<mlir::Type>& types);
/// The dimensions of operand 0 that a reduction over constant `axes` (null: absent) takes,
/// ascending; nothing when they are not constant.
std::optional<llvm::SmallVector<int64_t>> constantReducedDims(mlir::Operation* op, mlir::Value axes,
                                                              int64_t noopWithEmptyAxes);
mlir::LogicalResult inferArgReduce(mlir::Operation* op, int64_t axis, int64_t keepdims,
                                   llvm::SmallVectorImpl<mlir::Type>& types);
/// The type of operand 0; (C1) axis is in [-rank, rank).
mlir::LogicalResult inferAlongAxis(mlir::Operation* op, int64_t axis,
                                   llvm::SmallVectorImpl<mlir::Type>& types);
mlir::LogicalResult inferGlobalPool(mlir::Operation* op, llvm::SmallVectorImpl<mlir::Type>& types);

/// Elements of operand `index` (of result 0), -1 when a size is dynamic.
int64_t operandElements(mlir::Operation* op, unsigned index);
int64_t resultElements(mlir::Operation* op);
/// Elements of result 0 times `flops`; -1 when a size is dynamic.
int64_t flopsPerResultElement(mlir::Operation* op, int64_t flops);
/// Bytes of all tensor operands and results; -1 when a size is dynamic.
int64_t operandAndResultBytes(mlir::Operation* op);

/// Compares declared result types with the inferred ones: equal element type and rank, sizes equal
/// or dynamic on one side. Layouts and memory spaces are not compared.
mlir::LogicalResult verifyResultTypes(mlir::Operation* op);

}  // namespace tessera::ir
