// Matrix products: Gemm and MatMul.
#pragma once

#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/contraction/tuning.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

/// C[batch..., m, n] = A[aBatch..., m, k] * B[bBatch..., k, n]; with transA (transB) the last two
/// dimensions of A (B) lie swapped. n and k are static; batch sizes, and m unless transA, may be
/// mlir::ShapedType::kDynamic (read from the operands).
struct MatmulShape {
  llvm::SmallVector<int64_t> aBatch = {}, bBatch = {};  ///< Equal ranks; a 1 is broadcast.
  int64_t m = 1, n = 1, k = 1;
  bool transA = false, transB = false;
  /// The matrices of B lie in panels, [n/c][k][c], missing columns 0; their batch is static.
  bool isBPacked = false;
};

/// f32 memrefs with identity layout: a and b as above (or packed), bias [n] or null, output
/// [batch..., m, n].
struct MatmulOperands {
  mlir::Value a, b, bias, output;
};

/// Emits output = epilogue(A * B + bias) at `b`, parallel over batch, rows and columns. A plain B
/// is packed first where that pays.
void emitMatmul(mlir::OpBuilder& b, mlir::Location loc, const MatmulShape& shape,
                const MatmulOperands& operands, const CpuTarget& cpu,
                const Epilogue& epilogue = nullptr, const ContractionTuning& tuning = {});

}  // namespace tessera::lowering
