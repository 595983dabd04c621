// A dimension in pieces, one for each task of a loop that is written by hand.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// `extent` elements in pieces of `size`, of which the last may have fewer.
struct Pieces {
  Index extent;
  int64_t size;

  Index count() const { return ceilDiv(extent, size); }
  Index first(KernelBuilder& b, mlir::Value piece) const { return b.term(piece) * size; }
  /// Elements of a piece.
  Index sizeOf(KernelBuilder& b, mlir::Value piece) const;
};

}  // namespace tessera::backend_native
