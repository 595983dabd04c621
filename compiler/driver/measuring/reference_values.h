// What every value of a model is in one run of the reference.
#pragma once

#include "compiler/driver/measuring/shared_memory.h"
#include "compiler/ir/tsr.h"
#include "compiler/placement/operator_graph.h"
#include "llvm/ADT/DenseMap.h"
#include "nlohmann/json.hpp"

namespace tessera::driver {

/// Values by origin, in shared memory, row-major.
class ReferenceValues {
 public:
  /// Runs the entry function of a module that nothing was placed in on random inputs, the same for
  /// the same seed; integers are 0 or 1. Errors: those of the interpreter.
  static Result<ReferenceValues> make(const placement::OperatorGraph& graph, SharedMemory& memory,
                                      uint64_t seed);

  /// {type, shape, offset, size} of each; errors (kTargetFailed) for values that are no tensors.
  Result<nlohmann::json> describe(llvm::ArrayRef<mlir::Value> origins) const;

 private:
  llvm::DenseMap<mlir::Value, nlohmann::json> values_;
};

}  // namespace tessera::driver
