// LLVM-dialect module -> ELF object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/lowering/object/llvm_target.h"
#include "mlir/IR/BuiltinOps.h"
#include "tessera/status.h"

namespace tessera::lowering {

struct EmitOptions {
  bool keepLlvmIr = false;  ///< Also return the optimised LLVM IR as text.
};

struct ObjectFile {
  std::vector<uint8_t> bytes;  ///< A relocatable ELF file.
  std::string llvmIr;          ///< Optimised IR, empty unless asked for.
};

/// Translates `module` (LLVM dialect only; its context must have had registerLoweringDialects) to
/// LLVM IR, optimises it (O3 with the loop vectoriser) and generates code for `target`. Same
/// input, same bytes. Thread-safe: every call has its own LLVMContext. A module that does not
/// translate or verify is kTargetFailed.
Result<ObjectFile> emitObject(mlir::ModuleOp module, const CpuTarget& target,
                              const EmitOptions& options = {});

}  // namespace tessera::lowering
