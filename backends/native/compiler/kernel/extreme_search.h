// Positions of extremes along a dimension. One pass over memory: a vector holds the best element so
// far of each lane, another one its position. NaN beats every number: as comparisons that ask for
// it are a longer chain, a line or piece is searched without, and a second time where it has some.
//
// Along the last dimension lanes are parts of one line, and the best of them is found at its end.
// Along others they are lines side by side, of which a task has a piece of a few KB: its best
// elements and their positions lie in the first-level cache, and take part in a few steps each
// time, so that rows of memory that are far apart are read in long pieces.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// Position of the first (or last) element along `axis` that no other beats, where NaN beats every
/// number.
struct ExtremeSought {
  int64_t axis;
  bool wantMax, selectLast;
  mlir::Type element;

  Signedness signedness() const { return signednessOf(element); }
  /// What no element is less extreme than.
  mlir::Value start(KernelBuilder& b) const;
  /// Whether an element behind the best one so far takes its place. What does not ask for NaN takes
  /// it for no number that is less or greater.
  Condition beats(KernelBuilder& b, mlir::Value candidate, mlir::Value best, bool asksNan) const;
};

/// Positions as i64, [outer, inner], of what is sought along the steps of `x`, seen as
/// [outer, steps, inner] of those `sizes`.
mlir::Value positionsOfExtremes(KernelBuilder& b, const ExtremeSought& sought, mlir::Value x,
                                mlir::ValueRange sizes);

}  // namespace tessera::backend_native
