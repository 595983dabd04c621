// Which loop of a nest becomes vectors, and how.
#pragma once

#include <optional>

#include "compiler/lowering/vectorize/access.h"

namespace tessera::lowering {

/// What a vector holds.
enum class VectorForm : uint8_t {
  kElements,    ///< Neighbouring results.
  kPartials,    ///< Partial sums (or products, maxima...) of one result.
  kTransposed,  ///< Neighbouring results, of operands whose neighbours lie along another loop.
};

/// Memory that is fetched beside each vector, where the loops stand.
struct Prefetch {
  Access place;
  bool isWrite;
};

struct VectorPlan {
  VectorForm form = VectorForm::kElements;
  unsigned loop = 0;   ///< Becomes vectors.
  int64_t lanes = 16;  ///< Elements of a vector.
  /// Of kTransposed: the loop along which squares of lanes x lanes elements are read.
  unsigned crossLoop = 0;
  /// Results that are computed side by side, so that steps of one need not wait for each other: so
  /// many vectors along `blockLoop`. Where that is a reduction: partial results of one vector. Of
  /// kPartials, where it is parallel: so many lines, whose partial results are combined at once. Of
  /// kTransposed: so many make a line of the cache.
  int64_t block = 1;
  unsigned blockLoop = 0;
  /// Of kElements: results are kept in memory from a few steps of the one reduction to the next, so
  /// that operands that lie far apart along it are read in long pieces.
  bool sumsInMemory = false;
  llvm::SmallVector<bool> isUnrolled =
      {};                   ///< For each loop: it is short, a reduction, and written out.
  bool isStreamed = false;  ///< Results are written past the caches where they lie on vectors.
  llvm::SmallVector<Prefetch> prefetches = {};
};

/// The combiner of each result of a reduction, in the order of outputs: an operator of the body
/// with the output's element as one operand, which nothing else in the body reads. Empty when some
/// result is no such sum.
llvm::SmallVector<mlir::Operation*> combinersOf(mlir::linalg::LinalgOp op);

/// The best plan for a nest on memory, for vectors of `lanes` elements of 32 bits; none where
/// plain loops are as good, or the body has what has no vector form.
std::optional<VectorPlan> planVectors(mlir::linalg::LinalgOp op, int64_t lanes);

}  // namespace tessera::lowering
