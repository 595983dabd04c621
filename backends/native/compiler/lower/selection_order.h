// The order in which elements are selected.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// How elements of memory compare: the greatest or the least ones come first. NaN is above all
/// numbers, and both zeros are equal.
struct Order {
  mlir::Type element;  ///< Of memory.
  Signedness signedness;
  bool isLargest;

  /// Integers of the elements' width: of those that come first, lesser ones.
  Element keysOf(KernelBuilder& b, mlir::Value elements) const;
  /// The elements of two that come first, or the other ones; where `a` is NaN, `c`.
  mlir::Value first(KernelBuilder& b, mlir::Value a, mlir::Value c, bool isOther = false) const;
  /// The element of 32 bits right in front of `element`: what is behind it is behind all that are
  /// equal to `element`, too. Nothing is in front of infinities.
  mlir::Value behind(KernelBuilder& b, mlir::Value element) const;
  /// An element that at least `count` of those in `parts` reach: vectors of one type, a power of
  /// two of them, with `count` elements or more.
  mlir::Value boundOf(KernelBuilder& b, Values parts, int64_t count) const;
};

}  // namespace tessera::backend_native
