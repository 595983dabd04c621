// What a function should give, and how far from it a backend may be.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/tsr.h"
#include "reference/tensor.h"
#include "tessera/status.h"

namespace tessera::conformance {

/// What the reference implementations make of some inputs. Two orders of rounding n times differ by
/// n units of the values rounded on the way: the result itself (relative) or, where terms cancel,
/// the greatest of them (absolute). Unit and n come from the element types and from the number of
/// terms of sums and products. What moves, selects or compares elements is exact.
struct Expected {
  std::vector<reference::Tensor> outputs;
  double relativeTolerance = 0, absoluteTolerance = 0;
};

/// `function` is static and may call others of its module, if it is in one. Errors: an operator has
/// no reference implementation, or that refuses sizes or data.
Result<Expected> evaluateFunction(mlir::func::FuncOp function,
                                  std::span<const reference::TensorView> inputs);

/// How often a value is rounded on its way to one element of the operator's results, whose types
/// are static: the operations that the dialect counts for one element, those of all steps of a
/// recurrent layer, and a few for functions such as exp; none where it counts none.
int64_t roundingsOf(mlir::Operation& op);

}  // namespace tessera::conformance
