// Saved modules: text or bytecode, large constants in a safetensors file beside it.
#pragma once

#include <set>
#include <string>

#include "compiler/ir/tsr.h"
#include "mlir/IR/OwningOpRef.h"
#include "tessera/status.h"

namespace tessera::ir {

enum class ModuleFormat : uint8_t { kText, kBytecode };

/// Writes the module with locations; when it names blobs, also `path` with the extension
/// .safetensors.
Status saveModule(mlir::ModuleOp module, const std::string& path, ModuleFormat format);

/// Reads what saveModule wrote, text or bytecode, and verifies it. Errors (kInvalidInput) name the
/// file; the first diagnostic of the parser or verifier is the message.
Result<mlir::OwningOpRef<mlir::ModuleOp>> loadModule(mlir::MLIRContext& context,
                                                     const std::string& path);

/// Hashes of the blobs that the module names.
std::set<std::string> blobHashes(mlir::ModuleOp module);

}  // namespace tessera::ir
