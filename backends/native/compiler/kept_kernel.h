// What is kept of a kernel for compilations to come, and how it stands for the kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

namespace tessera::backend_native {

/// An object, and what it does not say of itself.
struct KeptKernel {
  size_t workspaceBytes = 0;
  std::span<const std::byte> object;
};

/// Everything that the code of a kernel depends on; `module` holds it, at any level. Locations are
/// left out.
std::string keyOf(mlir::ModuleOp module);

/// What the code cache holds for a key, and back; nothing when it is cut short.
std::vector<std::byte> pack(const KeptKernel& kernel);
std::optional<KeptKernel> unpack(std::span<const std::byte> bytes);

/// Notes the key by which the code of this kernel is looked for and kept, whatever becomes of it in
/// phase `optimize`; the second one gives it back, empty when there is none.
void noteKey(mlir::ModuleOp kernels, const std::string& key);
std::string notedKey(mlir::ModuleOp kernels);

/// Replaces a kernel by its code: the module is empty then. The second one gives the code back as
/// long as the module lives; nothing when there is a kernel.
void replaceByCode(mlir::ModuleOp kernels, std::span<const std::byte> packed);
std::optional<KeptKernel> codeOf(mlir::ModuleOp kernels);

}  // namespace tessera::backend_native
