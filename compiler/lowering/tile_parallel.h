// Parallel loops over the outer dimensions of tensor operations, with producers fused into them.
#pragma once

#include <cstdint>
#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

struct TileParallelOptions {
  int64_t minElementsPerChunk =
      8192;  ///< Work (loop iterations) worth one iteration of a parallel loop.
};

/// Tiles each linalg operation that no later one absorbs into an scf.forall over its outer parallel
/// dimensions and computes its producers inside, where that repeats no work. Operations with less
/// than two chunks of work stay as they are. On functions.
std::unique_ptr<mlir::Pass> createTileParallelPass(const TileParallelOptions& options = {});

}  // namespace tessera::lowering
