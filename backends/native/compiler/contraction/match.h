// Regions that are one contraction with elementwise operators behind it, and in front, and perhaps
// a pool at the end: their parts.
#pragma once

#include "backends/native/compiler/contraction/tail_access.h"
#include "compiler/backend_api/backend.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_native {

/// A decision for something, or the reason against it.
template <typename T>
using OrDeclined = std::variant<T, backend_api::Declined>;

/// Elementwise operators of a region that work on one vector of `result` after the other.
struct ElementwiseChain {
  llvm::SmallVector<mlir::Operation*> operators;
  mlir::Value result;
  /// What they read and do not compute, in the order of first use.
  llvm::MapVector<mlir::Value, TailAccess> accesses = {};
  /// Of what is read or computed in another shape than its own, the elements in the same order: its
  /// type there. Reshapes among the operators do nothing then.
  llvm::MapVector<mlir::Value, mlir::RankedTensorType> reshaped = {};

  mlir::RankedTensorType typeOf(mlir::Value value) const {
    const mlir::RankedTensorType other = reshaped.lookup(value);
    return other ? other : llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::RankedTensorType resultType() const { return typeOf(result); }
};

struct ContractionRegion {
  mlir::func::FuncOp function;
  mlir::Operation* anchor = nullptr;  ///< hasEmitter; what it reads are arguments, and the head.
  ElementwiseChain head;              ///< To operand 0 of the anchor; without operators if none.
  ElementwiseChain tail;              ///< From the anchor's result to the region's, or the pool.
  mlir::Operation* pool = nullptr;    ///< Of the tail's results; null if they are the region's.

  bool hasHead() const { return !head.operators.empty(); }
  /// The argument from which the anchor's operand 0 is made, of its shape and layout; that operand
  /// where there is no head.
  mlir::Value image() const;
  /// What the region computes.
  mlir::Value result() const { return pool ? pool->getResult(0) : tail.result; }
};

/// True for the operators that the contraction emitters compute: conv, conv_transpose, gemm and
/// matmul.
bool isContraction(mlir::Operation* op);

/// True for those, and for what looks at each plane by itself, pools over windows and Resize, or
/// moves planes in blocks: one emitter computes a region of one of them and a tail.
bool hasEmitter(mlir::Operation* op);

/// A contraction, or another operator made of products (einsum, lstm...), anywhere
/// in the region; null when there is none.
mlir::Operation* findProduct(mlir::func::FuncOp region);
/// The same of what looks at each plane by itself.
mlir::Operation* findPlanewise(mlir::func::FuncOp region);

/// Finds how `chain` reads each value that it does not compute, or why it cannot. `anchor` is the
/// operator in front of it, or null. `areArguments`: whether constants of more than one element are
/// still to become arguments.
std::optional<backend_api::Declined> collectAccesses(ElementwiseChain& chain,
                                                     mlir::Operation* anchor, int64_t lanes,
                                                     bool areArguments = false);

/// Why an operator cannot be part of the chain whose results have type `result`; its operands are
/// looked at by collectAccesses.
std::optional<backend_api::Declined> refuseTailOp(mlir::Operation* op,
                                                  mlir::RankedTensorType result);

/// Whether an elementwise operator computes much, or needs many registers.
bool isLong(mlir::Operation* op);

/// Whether elementwise `op` may be computed behind `contraction`, in whose region `members` are:
/// what no emitter takes would leave all of the region to plain loops.
bool mayBeInTail(mlir::Operation* op, mlir::Operation* contraction,
                 const llvm::DenseSet<mlir::Operation*>& members, int64_t lanes);

/// Whether `op` may be computed in the head of a region whose anchor reads an image of the layout
/// and shape of its result. What is long is better made once, in loops of its own.
bool mayBeInHead(mlir::Operation* op, int64_t lanes);

/// The region's parts when it is one operator with an emitter, in f32, and a tail that works on its
/// accumulators. `lanes` is the size of channel blocks.
OrDeclined<ContractionRegion> matchContraction(mlir::func::FuncOp function, int64_t lanes);

}  // namespace tessera::backend_native
