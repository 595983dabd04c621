// The passes of this backend. They find their regions, and the CPU of each, in the module: what has a
// `tessera.target` of kind "native" is theirs.
#ifndef TESSERA_BACKENDS_NATIVE_COMPILER_PASSES_TD
#define TESSERA_BACKENDS_NATIVE_COMPILER_PASSES_TD

include "mlir/Pass/PassBase.td"

def GatherShufflesPass : Pass<"tessera-native-gather-shuffles", "::mlir::func::FuncOp"> {
  let summary = "make composites that shuffle channels a Gather with constant indices";
}

def LowerRegionsPass : Pass<"tessera-native-lower-regions", "::mlir::ModuleOp"> {
  let summary = "make the kernels of native regions";
  let description = [{
    Phase `lower`: beside each region function a nested module with its kernel, at the level of linalg on tensors or of
    contractions on memrefs; `tessera.kernel_module` on the region names the module. Regions with equal kernels for one target
    share one. A region that has plain loops although there is a contraction in it says why: `tessera.remark`.
  }];
}

def OptimizeKernelPass : Pass<"tessera-native-optimize-kernel", "::mlir::ModuleOp"> {
  let summary = "lower a native kernel to the LLVM dialect";
  let description = [{
    Phase `optimize`, on one nested module: nested, so that MLIR runs it on many kernels at once. Modules that are no
    kernels of this backend are left alone. In a module that is `tessera.unobserved` a kernel whose code is kept by what it is here
    is replaced by that code (`tessera.kept_code`); others note the key to keep theirs by.
  }];
}

#endif
