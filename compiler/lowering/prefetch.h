// Lines that are fetched into the caches before they are used.
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::lowering {

enum class PrefetchUse : uint8_t {
  kRead,       ///< Into all levels of the caches.
  kReadLater,  ///< Into all but the first, where it would drive out what is in use.
  kWrite,      ///< Into all levels, to be written.
};

/// Fetches the line of `memory` at `indices`; what lies beside the memory is not touched.
void prefetch(mlir::OpBuilder& b, mlir::Location loc, mlir::Value memory, mlir::ValueRange indices,
              PrefetchUse use = PrefetchUse::kRead);

}  // namespace tessera::lowering
