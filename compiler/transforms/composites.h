// Turning matched operations into composites.
#pragma once

#include "compiler/transforms/match.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::transforms {

/// What a composite is called and needs; see passes.td for the names in use.
struct CompositeForm {
  llvm::StringRef name;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::NamedAttribute> parameters;
};

/// Calls `recognize` for every operation named `rootName` that is not inside a composite. It returns the
/// matched operations and the form they have; nothing when there is no match. The operations move into a
/// composite unless a value between them has users outside, or they need a value that is neither an input
/// nor constant.
struct Recognized {
  Match match;
  CompositeForm form;
};
void recognizeComposites(
    mlir::ModuleOp module, llvm::StringRef rootName,
    llvm::function_ref<std::optional<Recognized>(mlir::Operation& root)> recognize);

/// Axes of a reduction, ascending, when they are the last dimensions of `input`: the first of them.
std::optional<int64_t> trailingAxis(mlir::Value input, mlir::Value axes);

/// A pattern for tsr.reduce_mean with keepdims over the constant axes captured as `axes`.
Pattern meanOverAxes(Pattern input, llvm::StringRef axes);

/// sqrt(value) and 1 / value in every spelling that simplify leaves.
Pattern squareRoot(Pattern value);
Pattern square(Pattern value);

}  // namespace tessera::transforms
