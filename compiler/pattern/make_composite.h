// Turning what a pattern matched into a composite.
#pragma once

#include <optional>

#include "compiler/ir/tsr.h"
#include "compiler/pattern/match.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::pattern {

/// Operations of one block that may become one: no value between them is used outside. Since all
/// that leaves them is what their root gives, no path leads out of them and back.
struct Cover {
  llvm::SmallVector<mlir::Operation*> ops;   ///< In the order of the block, the root last.
  llvm::SetVector<mlir::Operation*> opened;  ///< Composites that were seen through, inner ones too.

  mlir::Operation* root() const { return ops.back(); }
};

/// What `match` of `root`'s result covers. Nothing when these operations are in several blocks, a
/// value between them is used outside or does not lead to the root, or a composite is covered in
/// part.
std::optional<Cover> coverOf(const Match& match, mlir::Operation* root);

/// The values that the cover reads from outside, each once, in the order of first use; constants
/// that `staysInside`, asked with the operand that reads them, left out.
llvm::SmallVector<mlir::Value> inputsOf(const Cover& cover,
                                        llvm::function_ref<bool(mlir::OpOperand&)> staysInside);

/// Replaces the cover by a composite that reads `inputs`. Constants among the rest of what it reads
/// are copied inside; null, and nothing changes, when there is anything else. Composites that were
/// seen through are dissolved in the body. The operations are erased.
ir::CompositeOp makeComposite(const Cover& cover, llvm::StringRef name,
                              llvm::ArrayRef<mlir::Value> inputs,
                              llvm::ArrayRef<mlir::NamedAttribute> parameters);

}  // namespace tessera::pattern
