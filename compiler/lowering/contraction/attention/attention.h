// softmax(f(Q K')) V as one kernel.
#pragma once

#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/contraction/strided_matrices.h"
#include "compiler/lowering/contraction/tuning.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

/// Sizes of Q [batch..., queries, depth], K [batch..., keys, depth], V [batch..., keys, columns]
/// and the result [batch..., queries, columns]; the numbers of queries and keys may be
/// mlir::ShapedType::kDynamic.
struct AttentionShape {
  int64_t queries = 1, keys = 1, depth = 1, columns = 1;
};

/// The matrices, each with as many batch strides as there are batch sizes. Row strides of q and
/// the result are constants, columns of q too, and those of the result lie element by element. Of k
/// and v, the row or the column stride is 1.
struct AttentionOperands {
  StridedMatrices q, k, v, output;
  llvm::SmallVector<mlir::Value> batchSizes;  ///< index
  mlir::Value queries, keys;                  ///< index: the sizes of the shape.
};

/// Emits output = softmax(f(q * k')) * v at `b`, the softmax over keys, parallel over batch and
/// rows: `scores` is f, on vectors of products. Its rows are numbered over the batch, its columns
/// are keys, and offsets are those in [batch..., queries, keys]. A row whose scores are all -inf,
/// or one of whose is NaN or inf, is NaN. Of the tuning tiles count, and `reduce` for the keys of a
/// block.
void emitAttention(mlir::OpBuilder& b, mlir::Location loc, const AttentionShape& shape,
                   const AttentionOperands& operands, const CpuTarget& cpu, const Epilogue& scores,
                   const ContractionTuning& tuning = {});

}  // namespace tessera::lowering
