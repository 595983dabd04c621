// Transcendental functions.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// math.exp, tanh, erf and log in f32 become polynomials (relative error about 1e-6 or less, the
/// loops around them vectorise); what LLVM has an instruction for stays (sqrt, floor, abs, fma,
/// ...); the rest calls libm, element by element. On modules.
std::unique_ptr<mlir::Pass> createExpandMathPass();

}  // namespace tessera::lowering
