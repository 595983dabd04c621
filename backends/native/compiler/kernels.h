// Regions to kernels to code: what the stages of this backend share. The passes are in passes.h.
#pragma once

#include "compiler/backend_api/backend.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::backend_native {

/// Kind of the targets this backend implements; also what its regions and kernel modules carry in
/// `tessera.target`.
inline constexpr llvm::StringLiteral kKindName = "native";
/// Of this half: another one may make other code of the same kernel.
inline constexpr const char* kVersion = "1";
/// On a region function: symbol of the kernel module that it is lowered to. Regions with equal
/// kernels share one.
inline constexpr llvm::StringLiteral kKernelModuleAttr = "tessera.kernel_module";
/// On a kernel's module: the type of the regions that it was made for.
inline constexpr llvm::StringLiteral kRegionTypeAttr = "tessera.region_type";

/// Whether what has this owner belongs to this backend.
inline bool isNative(ir::TargetAttr owner) { return owner && owner.getKind() == kKindName; }

/// What code is generated for.
struct CodeTarget : lowering::CpuTarget {
  /// Sums are those of their definition, in some order: no algorithm that needs fewer products or
  /// moves numbers first, and no root that is estimated.
  bool isExact = false;
  /// Nothing is kept in memory for speed that is larger than what it is made of.
  bool isLean = false;
};

/// The CPU and the options of a target.
Result<CodeTarget> codeTargetOf(const target::Target& target);

/// Phase `emit`: object code of all kernels, linked into one shared object.
Result<backend_api::Emission> emitKernels(mlir::ModuleOp module,
                                          llvm::ArrayRef<mlir::func::FuncOp> regions,
                                          const target::Target& target,
                                          const backend_api::EmitContext& context);

}  // namespace tessera::backend_native
