// Regions that are one contraction with an elementwise tail: their parts.
#pragma once

#include "backends/native/compiler/kernel_builder.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_native {

/// How the tail reads a value that is not computed in it.
enum class TailAccess {
  kUnknown,
  kConstant,    ///< One element, known now.
  kScalar,      ///< One element of a buffer.
  kSamePlace,   ///< Shape and layout of the result.
  kPerChannel,  ///< Channels of a convolution, for each image or for all, in the result's layout.
  kPerColumn,   ///< Row-major, the last dimension that of the result, all others 1.
  kMatrix,      ///< Row-major, broadcasts to the result; sizes may be known at run time only.
};

struct ContractionRegion {
  mlir::func::FuncOp function;
  mlir::Operation* anchor = nullptr;  ///< conv, gemm or matmul; its operands are arguments.
  llvm::SmallVector<mlir::Operation*> tail;
  mlir::Value result;
  llvm::MapVector<mlir::Value, TailAccess> accesses;  ///< In the order of first use.

  mlir::RankedTensorType resultType() const {
    return llvm::cast<mlir::RankedTensorType>(result.getType());
  }
};

/// The region's parts when it is a contraction in f32 and a tail that works on its accumulators.
/// `lanes` is the size of channel blocks.
std::optional<ContractionRegion> matchContraction(mlir::func::FuncOp function, int64_t lanes);

/// How a value that broadcasts to the region's result can be read.
TailAccess tailAccessOf(mlir::Value value, const ContractionRegion& region, int64_t lanes);

}  // namespace tessera::backend_native
