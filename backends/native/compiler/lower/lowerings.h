// How each tensor operator becomes loops, and what of it is not supported. One function pair for
// each family.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// Builds what results are from the operands (b.get) and declares them (b.set). Fails after an
/// error on the operator.
using Lower = mlir::LogicalResult (*)(KernelBuilder& b, mlir::Operation* op);
/// Why the operator cannot be lowered; nothing when it can.
using Refuse = std::optional<std::string> (*)(mlir::Operation* op);

struct Lowering {
  Lower lower;
  Refuse refuse;  ///< Element types are checked before it is asked.
};

/// Null for operators that this backend does not know.
const Lowering* findLowering(mlir::Operation* op);

/// Mnemonics of the operators that have one, sorted.
std::vector<std::string> loweredOperators();

/// Why this backend declines the operator: unknown, an element type, or what its family refuses.
std::optional<std::string> whyDeclined(mlir::Operation* op);

/// Why a kernel with these inputs and outputs could not be loaded (format/kernel_abi.h); nothing
/// when it could.
std::optional<std::string> exceedsKernelAbi(mlir::TypeRange inputs, size_t numOutputs);

mlir::LogicalResult lowerOperation(KernelBuilder& b, mlir::Operation* op);

mlir::LogicalResult lowerElementwise(KernelBuilder& b, mlir::Operation* op);
/// Refuses nothing.
std::optional<std::string> takesAll(mlir::Operation* op);

// The functions of the table; several operators share some.
// NOLINTBEGIN(readability-redundant-declaration)
#define TESSERA_LOWERING(mnemonic, lower, refuse)                   \
  mlir::LogicalResult lower(KernelBuilder& b, mlir::Operation* op); \
  std::optional<std::string> refuse(mlir::Operation* op);
#include "backends/native/compiler/lower/lowerings.def"
#undef TESSERA_LOWERING
// NOLINTEND(readability-redundant-declaration)

}  // namespace tessera::backend_native
