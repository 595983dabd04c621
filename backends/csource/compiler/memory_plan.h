// Where the values of a region are while it runs.
#pragma once

#include "backends/csource/compiler/nests.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_csource {

/// Whether the results are operand 0, or parts of it, without a copy: reshapes, and slices and
/// splits along the outermost dimension.
bool isView(mlir::Operation* op);

/// A place in memory.
struct Place {
  enum class Kind : uint8_t { kInput, kOutput, kWorkspace, kConstant };
  Kind kind = Kind::kWorkspace;
  unsigned index = 0;         ///< Of an input or output.
  mlir::Value constant = {};  ///< The result of the constant.
  int64_t offsetBytes = 0;    ///< In the workspace, an input, ...
};

/// Bytes that a region copies at its end: an output that is no nest's own result.
struct OutputCopy {
  Place source;
  unsigned output = 0;
  int64_t sizeBytes = 0;
};

class MemoryPlan {
 public:
  /// For a flat region whose nests run in this order.
  MemoryPlan(mlir::func::FuncOp region, llvm::ArrayRef<Nest> nests);

  Place placeOf(mlir::Value value) const;
  /// Whether part `index` of a concatenation has been computed in its place already.
  bool isInPlace(mlir::Operation* concat, unsigned index) const;
  int64_t workspaceBytes() const { return workspaceBytes_; }
  llvm::ArrayRef<OutputCopy> outputCopies() const { return copies_; }

 private:
  /// A part of another value's memory.
  struct Part {
    mlir::Value whole;
    int64_t offsetBytes = 0;
  };

  Part resolve(mlir::Value value) const;
  void addViews(mlir::Block& body);
  void addConcatParts(mlir::Operation* concat);
  void placeOutputs(mlir::func::FuncOp region);
  void placeInWorkspace(mlir::Operation* terminator, llvm::ArrayRef<Nest> nests);

  llvm::DenseMap<mlir::Value, Part> parts_;
  llvm::DenseMap<mlir::Value, Place> places_;  ///< Of values that are no parts.
  llvm::DenseSet<std::pair<mlir::Operation*, unsigned>> inPlace_;
  llvm::SmallVector<OutputCopy> copies_;
  int64_t workspaceBytes_ = 0;
};

}  // namespace tessera::backend_csource
