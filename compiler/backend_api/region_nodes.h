// The ONNX nodes of a region, by number.
#pragma once

#include <cstdint>
#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_api {

/// Numbers the ONNX nodes of a region function as the artifact's Region::nodeNames lists them for a
/// call: in the order of the operators, each name once. Ask for the operators in their order.
class RegionNodes {
 public:
  /// The number of the first node that `op` comes from; UINT32_MAX when it comes from none.
  uint32_t indexOf(mlir::Operation* op);

 private:
  llvm::SmallVector<std::string> names_;
};

/// The numbers of all operators of a region function. Calls of two regions may share one function
/// only when they are equal.
llvm::SmallVector<uint32_t> nodeNumbers(mlir::func::FuncOp region);

}  // namespace tessera::backend_api
