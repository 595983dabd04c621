// From opset 23, which the dialect is, down to the one that is asked for.
//
// What the table of rules (downgrade.cpp) does not list is the same in every opset from 13 on, or
// is caught by checkForm (node_draft.h), which knows what each opset has.
#pragma once

#include "frontends/onnx/export/node_draft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::onnx {

/// Writes operators that `opset` lacks, or has for other element types only, with others, bodies of
/// control flow included. Errors: what cannot be written so.
Status expandFor(mlir::func::FuncOp function, int opset);

/// Gives a node attributes and inputs as `opset` has them. Errors: what it cannot say.
Status spellFor(NodeDraft& draft, int opset);

}  // namespace tessera::onnx
