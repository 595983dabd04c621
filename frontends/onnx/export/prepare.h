// A copy of a function that ONNX's terms fit.
#pragma once

#include "frontends/onnx/export/export.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera::onnx {

/// On an operation of the copy: its notes, a dictionary of strings.
inline constexpr llvm::StringLiteral kNotesAttribute = "tessera.onnx_notes";

/// A module that holds a copy of `function`, whose constants are in the same context's store: calls
/// inlined, composites replaced by the operator that ONNX has for them in `options.opset` or by
/// their bodies, all types row-major in host memory, conversions of these gone, notes taken.
/// Errors: a border that is not plain, a call of itself, of a function that is not there, or of one
/// without a body of tensor operators.
Result<mlir::OwningOpRef<mlir::ModuleOp>> prepare(mlir::func::FuncOp function,
                                                  const ExportOptions& options);

}  // namespace tessera::onnx
