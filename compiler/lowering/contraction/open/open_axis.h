// A spatial dimension of a window whose sizes are known at run time only.
#pragma once

#include "compiler/lowering/contraction/window_reach.h"
#include "mlir/IR/Value.h"

namespace tessera::lowering {

/// Sizes are index values. Of a transposed convolution the stride is the output's, and `cutBegin`
/// counts instead of `padBegin`.
struct OpenAxis {
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t cutBegin = 0;     ///< Of a transposed one: results that are left out at the beginning.
  bool isIdentity = false;  ///< Output element i is input element i.
  mlir::Value in = {}, out = {}, padBegin = {};
  mlir::Value padEnd = {};  ///< Not of a transposed one.

  /// What `count` neighbouring windows reach over.
  int64_t reach(int64_t count = 1) const { return windowReach(kernel, dilation, stride, count); }
};

}  // namespace tessera::lowering
