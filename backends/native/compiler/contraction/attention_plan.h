// Scaled dot-product attention: the operators that one kernel computes.
#pragma once

#include "backends/native/compiler/contraction/match.h"
#include "backends/native/compiler/contraction/strided_view.h"
#include "compiler/backend_api/pattern_table.h"

namespace tessera::backend_native {

/// The entry of the pattern table, and the composites that it makes.
inline constexpr llvm::StringLiteral kAttentionEntry = "attention";
inline constexpr llvm::StringLiteral kAttentionComposite = "native.attention";

/// softmax(tail(scale * Q K')) V over the keys. `q` is [batch..., queries, depth], `k` is K' as the
/// product reads it, [batch..., depth, keys], `v` [batch..., keys, columns]; all are views of what
/// the operators read. The batch is that of the first product, its dimensions taken apart where
/// reshapes behind it, or heads that are repeated, need that: the tail has its operands reshaped.
struct AttentionPlan {
  StridedView q, k, v;
  StridedView output;  ///< Of the result, [batch..., rows, columns].
  double scale = 1;
  /// The product Q K' as anchor, what becomes of it before the softmax as tail. `function` is null
  /// where the operators are in none yet.
  ContractionRegion scores;
  mlir::Operation* softmax = nullptr;
  mlir::Operation* product = nullptr;  ///< With V.

  mlir::RankedTensorType scoresType() const { return scores.tail.resultType(); }
};

/// Operators that may be attention: products and softmax, what scales and masks the scores, and
/// what makes views.
backend_api::PatternEntry attentionPattern();

/// How `result` is computed by operators of which `isInside` holds, or why no kernel does it at
/// once. `areArguments`: whether constants of more than one element are still to become arguments.
OrDeclined<AttentionPlan> planAttention(mlir::Value result,
                                        llvm::function_ref<bool(mlir::Operation*)> isInside,
                                        bool areArguments);

/// The same of a block that computes nothing else: the body of a region or of a composite.
OrDeclined<AttentionPlan> planAttention(mlir::Block& body);

}  // namespace tessera::backend_native
