// What a kernel requires of the sizes and data of a call: tested before the memory is touched that
// relies on it. A kernel whose requirement does not hold reports it through services->refuse and
// returns 1.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::lowering {

/// Where and why a call is refused.
struct Refusal {
  /// One sentence without full stop; {0} and {1} stand for the two numbers of the requirement.
  llvm::StringRef text;
  /// Which of the region's ONNX nodes it is about; TESSERA_NO_NODE when none.
  uint32_t node;
};

/// Requires `condition` (i1) at this point of a kernel, on tensors or in ABI form: outside of
/// loops, before what relies on it. `found` and `expected` (index values) are the numbers of the
/// text.
void buildRequirement(mlir::OpBuilder& b, mlir::Location loc, mlir::ModuleOp module,
                      mlir::Value condition, mlir::Value found, mlir::Value expected,
                      const Refusal& refusal);

/// Whether an operation is a requirement.
bool isRequirement(mlir::Operation* op);

/// Makes all requirements of the kernels of `module`, in control flow (no loops left), tests that
/// leave the kernel.
void expandRequirements(mlir::ModuleOp module);

}  // namespace tessera::lowering
