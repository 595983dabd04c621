// The formula of local response normalisation.
#pragma once

#include "compiler/ir/tsr.h"
#include "compiler/lowering/element.h"

namespace tessera::backend_native {

/// x / (bias + alpha / size * squares)^beta, where `squares` is the sum of the squares in the
/// window. `isExact`: no inverse root is estimated.
lowering::Element normalizeResponse(ir::LrnOp lrn, const lowering::Element& x,
                                    const lowering::Element& squares, bool isExact);

/// Whether what is raised to a power is a normal number above 0, and the power finite, whatever the
/// squares.
bool isResponseBounded(ir::LrnOp lrn);

/// Channels in front of a window's own, and behind it.
struct ResponseWindow {
  int64_t before = 0, after = 0;
};
ResponseWindow responseWindow(ir::LrnOp lrn);

}  // namespace tessera::backend_native
