// How often a value is rounded on its way through a region: what the tolerance of a kernel's test
// is derived from.
#pragma once

#include <span>

#include "mlir/IR/Operation.h"
#include "reference/tensor.h"

namespace tessera::backend_native {

/// Roundings on the way to one element of the operation's results: 0 for what moves, selects or
/// compares elements, 1 for arithmetic that IEEE rounds once, the number of terms for sums and
/// products, kFunctionRoundings for functions. Operands and results are those of one evaluation:
/// types may leave sizes open.
int64_t roundingsOf(mlir::Operation& op, std::span<const reference::TensorView> operands,
                    std::span<const reference::TensorView> results);

/// What an approximation of exp, erf, ... may be off, in units in the last place.
constexpr int64_t kFunctionRoundings = 8;

}  // namespace tessera::backend_native
