// Inputs that a kernel reads in another form than its caller has them: made of them by a kernel of
// its own, once where they are constants.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::lowering {

/// Adds to the module of kernel `name` what prepares its input number `index`: a kernel
/// `<name>_prepare_<index>` with the caller's buffer as input and `prepared` as output, and an i64,
/// `<name>_prepared_<index>`, that is the size of the latter in bytes. `emit` builds the kernel's
/// body from the buffers; it asks for no workspace.
void createPreparation(
    mlir::ModuleOp module, llvm::StringRef name, unsigned index, mlir::MemRefType source,
    mlir::MemRefType prepared,
    llvm::function_ref<void(mlir::OpBuilder& b, mlir::Value source, mlir::Value target)> emit);

}  // namespace tessera::lowering
