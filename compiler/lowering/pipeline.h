// The passes from a kernel to the LLVM dialect.
#pragma once

#include "mlir/Pass/PassManager.h"

namespace tessera::lowering {

/// For modules of public `func.func @kernel(tensor...) -> (tensor...)` at the level of linalg,
/// tensor, scf, arith, math: fusion, parallel tiling, kernel ABI, bufferisation, then
/// buildMemRefKernelPipeline. Element types f32, f64, i8 (signed or unsigned by its operators),
/// i32, i64, i1 (a byte of memory); static or '?' dimensions of any rank and size, 0 included.
void buildTensorKernelPipeline(mlir::OpPassManager& pm);

/// For modules of kernels in ABI form (kernel_function.h) on memrefs, such as those of the
/// contraction emitters: workspace, outlining of parallel loops, math, LLVM dialect. The result
/// goes to emitObject.
void buildMemRefKernelPipeline(mlir::OpPassManager& pm);

/// Makes the passes of these pipelines, MLIR's own included, known by name. May be called again.
void registerPassesOfPipelines();
/// Makes the pipelines themselves known, as `tessera-lowering-tensor-kernel` and
/// `tessera-lowering-memref-kernel`. Once for a process.
void registerPipelines();

}  // namespace tessera::lowering
