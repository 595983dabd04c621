// Turning matched operations into composites.
#pragma once

#include "compiler/pattern/pattern.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::transforms {

using pattern::Match;
using pattern::Pattern;

/// The first way to match, bodies of composites left alone: what was recognised stays.
std::optional<Match> matchPlain(const Pattern& pattern, mlir::Value value);

/// What a composite is called and needs; see passes.td for the names in use.
struct CompositeForm {
  llvm::StringRef name;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::NamedAttribute> parameters;
};

/// Calls `recognize` for every operation named `rootName` that is not inside a composite. It
/// returns the matched operations and the form they have; nothing when there is no match. The
/// operations move into a composite unless a value between them has users outside, or they need a
/// value that is neither an input nor constant.
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

/// sqrt(value) and value^2, also spelled as powers.
Pattern squareRoot(const Pattern& value);
Pattern square(const Pattern& value);

/// A scale or bias of a normalisation over the dimensions of `x` from `axis` on: `found` if it has
/// their sizes, a new constant before `root` whose elements are `neutral` when it is null; null
/// otherwise.
mlir::Value normParameter(mlir::Operation& root, mlir::Value x, int64_t axis, mlir::Value found,
                          float neutral);
/// True when all that is done with the result of `root` is to multiply it by a constant: the
/// product is the root of the whole.
bool isScaledLater(mlir::Operation& root);
/// axis and epsilon of a normalisation.
llvm::SmallVector<mlir::NamedAttribute> normParameters(mlir::MLIRContext* context, int64_t axis,
                                                       mlir::Value epsilon);

}  // namespace tessera::transforms
