// Matrix products whose sizes are known at run time only.
#pragma once

#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/contraction/strided_matrices.h"
#include "compiler/lowering/object/llvm_target.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::lowering {

/// C[batch..., m, n] = A[batch..., m, k] * B[batch..., k, n]; all are index values. Rows or columns
/// of either operand lie element by element, that is, have a stride that is the constant 1.
struct OpenProduct {
  StridedMatrices a, b;
  llvm::SmallVector<mlir::Value> batch = {};
  mlir::Value m, n, k;

  bool hasRowsOfB() const { return mlir::getConstantIntValue(b.columnStride) == 1; }
  bool hasRowsOfA() const { return mlir::getConstantIntValue(a.columnStride) == 1; }
  /// The number of the entry `at`, of all of the batch.
  Index entryNumber(IndexBuilder& builder, mlir::ValueRange at) const;
};

/// Emits output = epilogue(A * B) at `b`, parallel over batch, blocks of rows and tiles of columns;
/// `output` is row-major.
void emitOpenProduct(mlir::OpBuilder& b, mlir::Location loc, const OpenProduct& product,
                     mlir::Value output, const CpuTarget& cpu, const Epilogue& epilogue = nullptr);

}  // namespace tessera::lowering
