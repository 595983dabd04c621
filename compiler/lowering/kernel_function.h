// The function every kernel is: its signature, its buffers, its calls of host services.
//
//   int32_t kernel(const tessera_host_services* services, void* const* buffers,
//                  const int64_t* sizes)
//     buffers  inputs, then outputs; compact row-major; the pointer of an output with a '?'
//              dimension is not read
//     sizes    values of all '?' dimensions of the inputs, in order of inputs and dimensions
//     result   0, or 1 when memory is short or a requirement does not hold (requirement.h)
// An output with '?' dimensions is obtained from services->alloc_output. Memory of an input and of
// an output must not overlap, except that an output may be exactly an input of equal byte size
// which the kernel reads elementwise only. Booleans are one byte, 0 or 1, in memory: element type
// i8 in all signatures here.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::lowering {

/// On a kernel function: i64, bytes it asks of services->workspace (absent: it does not ask).
inline constexpr llvm::StringLiteral kWorkspaceBytesAttr = "tessera.workspace_bytes";
/// On a kernel function in ABI form: unit.
inline constexpr llvm::StringLiteral kKernelAttr = "tessera.kernel";
/// On a module of kernels: i64, f32 lanes of a vector of the CPU that it is for.
inline constexpr llvm::StringLiteral kVectorLanesAttr = "tessera.vector_lanes";
/// On an llvm.call of a host service: unit; a null address or a number but 0 as result makes the
/// kernel return 1, and the body of a parallel loop return (convert-to-llvm adds the test).
inline constexpr llvm::StringLiteral kMayFailAttr = "tessera.may_fail";

/// Types of the buffers, all with identity layout and no i1.
struct KernelSignature {
  llvm::SmallVector<mlir::MemRefType> inputs;
  llvm::SmallVector<mlir::MemRefType> outputs;
};

/// A kernel in ABI form whose body is still open: insert before the terminator, a return of 0.
struct KernelFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> inputs;   ///< memrefs
  llvm::SmallVector<mlir::Value> outputs;  ///< memrefs; null where the type has '?' dimensions

  mlir::OpBuilder bodyBuilder() {
    return mlir::OpBuilder(function.getBody().front().getTerminator());
  }
};

/// Adds the public function `name` to `module`, with the memrefs of all buffers at its start.
KernelFunction createKernelFunction(mlir::ModuleOp module, llvm::StringRef name,
                                    const KernelSignature& signature);

/// Asks the host for the memory of output `index`, whose '?' dimensions are `dynamicSizes` (index
/// values).
mlir::Value buildAllocOutput(mlir::OpBuilder& b, mlir::Location loc, mlir::func::FuncOp kernel,
                             unsigned index, mlir::MemRefType type, mlir::ValueRange dynamicSizes);

/// services->workspace(bytes) as an !llvm.ptr.
mlir::Value buildWorkspace(mlir::OpBuilder& b, mlir::Location loc, mlir::func::FuncOp kernel,
                           int64_t bytes);

/// services->refuse(node, text, found, expected); `text` is an !llvm.ptr, the numbers index values.
void buildRefuse(mlir::OpBuilder& b, mlir::Location loc, mlir::func::FuncOp kernel, uint32_t node,
                 mlir::Value text, mlir::Value found, mlir::Value expected);

/// services->allocate(bytes) as an !llvm.ptr.
mlir::Value buildAllocate(mlir::OpBuilder& b, mlir::Location loc, mlir::func::FuncOp kernel,
                          mlir::Value bytes);

/// services->release(pointer).
void buildRelease(mlir::OpBuilder& b, mlir::Location loc, mlir::func::FuncOp kernel,
                  mlir::Value pointer);

/// services->parallel_for(count, body, context); `count` is i64, `body` an !llvm.ptr to void(ptr,
/// i64, i64).
void buildParallelFor(mlir::OpBuilder& b, mlir::Location loc, mlir::func::FuncOp kernel,
                      mlir::Value count, mlir::Value body, mlir::Value context);

/// A memref over the memory at `pointer` (!llvm.ptr) with identity layout.
mlir::Value buildMemRef(mlir::OpBuilder& b, mlir::Location loc, mlir::Value pointer,
                        mlir::MemRefType type, mlir::ValueRange dynamicSizes);

/// The memory of `base` (contiguous) as a memref of `type` (identity layout) with the given '?'
/// sizes.
mlir::Value buildReshapedView(mlir::OpBuilder& b, mlir::Location loc, mlir::Value base,
                              mlir::MemRefType type, mlir::ValueRange dynamicSizes);

}  // namespace tessera::lowering
