// Regions to kernels to code: the stages of this backend.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"
#include "compiler/lowering/llvm_target.h"
#include "mlir/Pass/Pass.h"

namespace tessera::backend_native {

/// Kind of the targets this backend implements; also what its regions and kernel modules carry in
/// `tessera.target`.
inline constexpr llvm::StringLiteral kKindName = "native";
/// On a region function: symbol of the kernel module whose function `kernel_entry` it is lowered
/// to. Regions with equal kernels share one.
inline constexpr llvm::StringLiteral kKernelModuleAttr = "tessera.kernel";

/// The CPU that a target names.
Result<lowering::CpuTarget> cpuOf(const target::Target& target);

/// Phase `lower`, on the module: for each region function of `target` a nested module holding its
/// kernel, at the level of linalg on tensors or of contractions on memrefs.
std::unique_ptr<mlir::Pass> createLowerRegionsPass(const target::Target& target);

/// Phase `optimize`, on one nested module (others than kernels of `target` are left alone): to the
/// LLVM dialect.
std::unique_ptr<mlir::Pass> createOptimizeKernelPass(const target::Target& target);

/// Phase `emit`: object code of all kernels, linked into one shared object.
Result<backend_api::Emission> emitKernels(mlir::ModuleOp module,
                                          llvm::ArrayRef<mlir::func::FuncOp> regions,
                                          const target::Target& target,
                                          const backend_api::EmitContext& context);

}  // namespace tessera::backend_native
