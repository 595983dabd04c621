// What every value of a model is in one run of the reference.
#pragma once

#include <string>

#include "compiler/driver/measuring/reference_cache.h"
#include "compiler/driver/measuring/shared_memory.h"
#include "compiler/ir/tsr.h"
#include "compiler/placement/operator_graph.h"
#include "llvm/ADT/DenseMap.h"
#include "tessera/element_type.h"

namespace tessera::driver {

/// A tensor in shared memory, row-major.
struct ReferenceValue {
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> shape;
  Extent extent;
};

/// Values by origin.
class ReferenceValues {
 public:
  /// Of the entry function of a module that nothing was placed in, on random inputs, the same for
  /// the same seed; integers are 0 or 1, or all 0 where it does not run on these. What `cache` has
  /// of a model of known sizes is not computed again, what is computed of one is kept there.
  /// Errors: those of the interpreter; the memory is full.
  static Result<ReferenceValues> make(const placement::OperatorGraph& graph, SharedMemory& memory,
                                      uint64_t seed, const ReferenceCache* cache = nullptr);

  /// Errors (kTargetFailed): it is no tensor, or was not computed.
  Result<ReferenceValue> find(mlir::Value origin) const;

 private:
  Status take(const ReferenceCache::Found& found, llvm::ArrayRef<mlir::Value> order,
              SharedMemory& memory);
  Status compute(const placement::OperatorGraph& graph, SharedMemory& memory, uint64_t seed);
  Status compute(const placement::OperatorGraph& graph, SharedMemory& memory, uint64_t seed,
                 unsigned maxInteger);
  void keep(llvm::ArrayRef<mlir::Value> order, const SharedMemory& memory, const std::string& name,
            const ReferenceCache& cache) const;

  llvm::DenseMap<mlir::Value, ReferenceValue> values_;
};

}  // namespace tessera::driver
