// The passes from a kernel to the LLVM dialect. pipeline.cpp says in which order.
#ifndef TESSERA_COMPILER_LOWERING_PASSES_TD
#define TESSERA_COMPILER_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

class KernelPass<string flag> : Pass<"tessera-lowering-" # flag, "::mlir::func::FuncOp">;
class KernelModulePass<string flag> : Pass<"tessera-lowering-" # flag, "::mlir::ModuleOp">;

// ---- on tensors

def GeneralizeLinalgPass : KernelPass<"generalize-linalg"> {
  let summary = "turn named linalg operations into linalg.generic";
  let description = "All but linalg.fill, which others recognise as an initial value.";
}

def WidenBoolPass : KernelPass<"widen-bool"> {
  let summary = "hold boolean tensors as bytes";
  let description = [{
    Tensors of i1 become tensors of i8 holding 0 or 1, in bodies and function signatures: a boolean takes one byte of
    memory everywhere (a vector<16xi1> would take two bytes in all). Scalars stay i1: reading an element tests it
    against 0, writing extends it.
  }];
}

def FuseElementwisePass : KernelModulePass<"fuse-elementwise"> {
  let summary = "fuse elementwise operations, but for divisions and roots that serve short lines";
  let description = [{
    Elementwise operations become one loop with the operation that reads their results. A division or root for each of
    many short lines stays a loop of its own, over vectors of lines.
  }];
}

def CollapseDimsPass : KernelPass<"collapse-dims"> {
  let summary = "merge loops that all operands walk contiguously";
  let description = [{
    Neighbouring loops of linalg.generic become one, so that inner loops are long ([C, H, W] plus a bias per channel
    becomes [C, H*W]). Groups and their channels stay apart where something of whole groups and something of each channel
    are made of one another.
  }];
}

def RelaxFloatMathPass : KernelPass<"relax-float-math"> {
  let summary = "allow fused multiply-add and reordered reductions";
  let description = [{
    Lets LLVM contract multiply-add everywhere, and reorder the sums, products, minima and maxima of reductions.
  }];
}

def TileParallelPass : KernelPass<"tile-parallel"> {
  let summary = "tile tensor operations into parallel loops and fuse producers";
  let description = [{
    Tiles each linalg operation that no later one absorbs into an scf.forall over its outer parallel dimensions and
    computes its producers inside, where that repeats no work. Operations with less than two chunks of work stay as they
    are. Tiles have several rows where rows are summed up and then written (vectorize-loops takes them in turns), and few
    elements where steps between short lines are kept for the tile.
  }];
  let options = [
    Option<"minElementsPerChunk", "min-elements-per-chunk", "int64_t", "8192",
           "work (loop iterations) worth one iteration of a parallel loop">,
  ];
}

// ---- to memory

def WrapKernelPass : KernelModulePass<"wrap-kernel"> {
  let summary = "give tensor functions the kernel ABI";
  let description = [{
    Every public func.func over ranked tensors (arguments and results) becomes a kernel in ABI form (kernel_function.h):
    inputs are read from the caller's buffers, results are destined for the caller's output buffers
    (bufferization.materialize_in_destination, so that bufferisation computes them there), results with '?' dimensions
    for memory of services->alloc_output, asked for as early as their shape is known. No i1 tensors in the signature.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def BufferizeKernelPass : KernelModulePass<"bufferize-kernel"> {
  let summary = "bufferise wrapped kernels";
  let description = [{
    Temporaries of results are computed in the caller's buffers where possible, the rest becomes memref.alloc. Adds
    deallocations only when an allocation is left that the workspace cannot hold.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ExpandCopiesPass : KernelPass<"expand-copies"> {
  let summary = "turn memref.copy into linalg.copy";
  let description = [{
    The library call for strided copies does not exist in kernels. Large copies are made in parallel. Copies of a buffer that
    one number fills become fills with it.
  }];
}

def VectorizeLoopsPass : KernelPass<"vectorize-loops"> {
  let summary = "turn structured operations on memory into loops over vectors";
  let description = [{
    Of each linalg operation one loop becomes vectors, with masks for the last of them: a parallel one along which results
    are neighbours, a reduction whose partial results are combined in the end, or a parallel one whose operands lie
    along another, which are read in squares and transposed. Where rows are summed up before they are written, the
    sums of one row are in the loop that writes the row before. Reductions keep what they sum up in registers, or in
    memory where they read far apart. Results larger than caches are written past them. Operations
    that are no faster that way stay as they are. The number of lanes is that of the module (`tessera.vector_lanes`) or the
    option's.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "elements of 32 bits in a vector, where the module does not say it">,
  ];
}

// Options that the plan of the workspace and what is left of it agree on.
class BodyStackOption : Option<"maxBodyStackBytes", "max-body-stack-bytes", "int64_t", "65536",
    "bytes of temporaries that the stack of a parallel loop's body takes">;

def PlanWorkspacePass : KernelPass<"plan-workspace"> {
  let summary = "place static temporaries in a workspace or on the stack";
  let description = [{
    Places memref.alloc of static size: in kernel functions at offsets of one workspace (liveness decides who shares
    memory) or on the stack when small, in outlined parallel bodies, whose threads share no workspace, on the stack up to
    a limit. Others stay (lower-allocations). Sets `tessera.workspace_bytes` on kernel functions that use a workspace.
    Runs before outlining, for the kernels, and again after it, for the bodies of their parallel loops.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"maxStackBytes", "max-stack-bytes", "int64_t", "4096",
           "bytes up to which all temporaries of a kernel live on the stack">,
    BodyStackOption<>,
  ];
}

def LowerAllocationsPass : KernelPass<"lower-allocations"> {
  let summary = "take temporaries from the host's memory";
  let description = [{
    Memory that the workspace and the stack will not hold comes from services->allocate, which keeps it from call to
    call. Runs on kernel functions before their parallel loops are outlined; what the plan (plan-workspace) leaves on the
    stack of the body of a parallel loop is left alone.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let options = [BodyStackOption<>];
}

// ---- to the LLVM dialect

def OutlineParallelPass : KernelModulePass<"outline-parallel"> {
  let summary = "turn parallel loops into calls of the host's parallel_for";
  let description = [{
    Every outermost scf.forall and scf.parallel (without results) of a kernel function becomes services->parallel_for
    over the linearised iteration space; its body becomes a private function (context, begin, end) and what it used from
    outside travels in a struct on the caller's stack. Parallel loops inside become sequential.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpandMathPass : KernelModulePass<"expand-math"> {
  let summary = "expand transcendental functions";
  let description = [{
    Functions of f32 become series (relative errors of 1e-6 or less, most of 3e-7: series.h), around which loops
    vectorise: exp, expm1, erf, tanh, log, log1p, sine, cosine, tangent, the hyperbolic ones and the inverse of both. Of
    vectors in which some |x| is beyond 1e5 or no number libm computes sin, cos and tan; what LLVM has an instruction
    for stays (sqrt, floor, abs, fma, ...); the rest calls libm, element by element.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertToLlvmPass : KernelModulePass<"convert-to-llvm"> {
  let summary = "convert kernels to the LLVM dialect";
  let description = [{
    Converts a module of kernel functions and outlined bodies (scf, memref, vector, arith, math, func, llvm ops) entirely
    to the LLVM dialect, and makes kernels and bodies return where a call marked kMayFailAttr fails. Masked stores of
    the first lanes of a vector become whole ones for CPUs without AVX-512.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::affine::AffineDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect"];
}

#endif
