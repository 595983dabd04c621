// A module as a part of a message: bytecode, and the constants that the other end lacks.
#pragma once

#include <set>

#include "compiler/ir/tsr.h"
#include "compiler/worker/channel.h"
#include "mlir/IR/OwningOpRef.h"
#include "tessera/status.h"

namespace tessera::isolation {

/// What is sent of a module: `header` under "module", and payloads, which follow `numBefore` others
/// of the message.
struct PackedModule {
  nlohmann::json header = {};
  std::vector<worker::Bytes> payloads = {};
  std::set<std::string> hashes = {};  ///< Of all constants that the module names.
  std::string bytecode = {};          ///< What the first payload points to.
  std::vector<std::shared_ptr<const void>> constants = {};  ///< Keeps the others alive.

  /// Leaves constants in `known` out. Errors (kTargetFailed): it cannot be written.
  static Result<std::unique_ptr<PackedModule>> make(mlir::ModuleOp module,
                                                    const std::set<std::string>& known,
                                                    size_t numBefore = 0);
};

/// The module of a message, verified; its constants join those of `context`. Errors
/// (kTargetFailed): there is none, it is no module.
Result<mlir::OwningOpRef<mlir::ModuleOp>> moduleOf(mlir::MLIRContext& context,
                                                   const worker::Message& message);

}  // namespace tessera::isolation
