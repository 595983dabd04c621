// Regions that are one contraction with an elementwise tail: their parts.
#pragma once

#include "backends/native/compiler/contraction/tail_access.h"
#include "compiler/backend_api/backend.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_native {

/// A decision for something, or the reason against it.
template <typename T>
using OrDeclined = std::variant<T, backend_api::Declined>;

struct ContractionRegion {
  mlir::func::FuncOp function;
  mlir::Operation* anchor = nullptr;  ///< hasEmitter; what it reads are arguments.
  llvm::SmallVector<mlir::Operation*> tail;
  mlir::Value result;
  llvm::MapVector<mlir::Value, TailAccess> accesses;  ///< In the order of first use.

  mlir::RankedTensorType resultType() const {
    return llvm::cast<mlir::RankedTensorType>(result.getType());
  }
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

/// Finds how the tail of a region reads each value that it does not compute, or why it cannot.
/// `areArguments`: whether constants of more than one element are still to become arguments.
std::optional<backend_api::Declined> collectAccesses(ContractionRegion& region, int64_t lanes,
                                                     bool areArguments = false);

/// Why an operator cannot be part of the tail whose results have type `result`; its operands are
/// looked at by collectAccesses.
std::optional<backend_api::Declined> refuseTailOp(mlir::Operation* op,
                                                  mlir::RankedTensorType result);

/// The region's parts when it is one operator with an emitter, in f32, and a tail that works on its
/// accumulators. `lanes` is the size of channel blocks.
OrDeclined<ContractionRegion> matchContraction(mlir::func::FuncOp function, int64_t lanes);

}  // namespace tessera::backend_native
