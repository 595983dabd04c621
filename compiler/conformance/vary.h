// Other legal cases made from one.
#pragma once

#include <functional>

#include "compiler/conformance/case.h"

namespace tessera::conformance {

/// A legal function that differs from `seed` in element type, sizes (1, 0, odd, large), attributes
/// (strides, dilations, groups, axes from the back, modes), what is constant, what is open, or what
/// follows behind it; null when this draw gave none.
Function vary(mlir::func::FuncOp seed, Random& random);

/// Makes `change` on a copy and keeps it when the outcome is legal; whether it did.
bool tryChange(Function& function, const std::function<bool(mlir::func::FuncOp)>& change);

/// Gives every dimension of the arguments that has size `from` the size `to`, or those of one
/// argument alone (`only`; -1: all).
bool resize(mlir::func::FuncOp function, int64_t from, int64_t to, int only = -1);

// One kind of change each; false where it does not apply. They leave the function to be retyped.
bool changeSize(mlir::func::FuncOp function, Random& random);
bool changeAttribute(mlir::func::FuncOp function, Random& random);
bool makeConstant(mlir::func::FuncOp function, Random& random);
bool openSizes(mlir::func::FuncOp function, Random& random);
bool addFollower(mlir::func::FuncOp function, Random& random);

/// The function with another element type in place of one of its own; null when that is not legal.
Function changeType(mlir::func::FuncOp function, Random& random);

}  // namespace tessera::conformance
