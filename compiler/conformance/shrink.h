// The smallest case that still fails.
#pragma once

#include <functional>

#include "compiler/conformance/case.h"

namespace tessera::conformance {

/// A function made from `failing` by leaving out operators and results, by smaller sizes and by
/// attributes at their defaults, for which `fails` still holds; asked at most `numTries` times.
/// Greedy: a step that fails is kept.
Function shrink(mlir::func::FuncOp failing, size_t numTries,
                const std::function<bool(mlir::func::FuncOp)>& fails);

}  // namespace tessera::conformance
