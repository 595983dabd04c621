// A region as straight-line code: composites replaced by the operators in them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_csource {

/// A copy of a region function without composites. ONNX nodes have the numbers that the runtime
/// knows them by (backend_api::nodeNumbers).
class FlatRegion {
 public:
  explicit FlatRegion(mlir::func::FuncOp region);

  mlir::Block& body() { return function_->getBody().front(); }
  mlir::func::FuncOp function() { return *function_; }
  unsigned numArguments() const { return function_.get().getNumArguments(); }
  /// Of the ONNX node that an operation comes from; TESSERA_NO_NODE where none is known.
  uint32_t nodeNumber(mlir::Operation* op) const;

 private:
  mlir::OwningOpRef<mlir::func::FuncOp> function_;
  llvm::DenseMap<mlir::Operation*, uint32_t> numbers_;
};

}  // namespace tessera::backend_csource
