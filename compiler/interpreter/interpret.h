// Evaluates any module, one operation at a time, through the reference implementations.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/evaluate/tensor_value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/tensor.h"
#include "tessera/status.h"

namespace tessera::interpreter {

/// Called after each operation with its results, also inside regions and called functions.
using Observer =
    llvm::function_ref<void(mlir::Operation& op, std::span<const evaluate::TensorValue> results)>;

/// Asked about each call before its function is run: the results, or nothing when that is left to
/// the interpreter. `arguments` are row-major; so are the results.
using Caller = llvm::function_ref<std::optional<Result<std::vector<evaluate::TensorValue>>>(
    mlir::func::CallOp call, std::span<const evaluate::TensorValue> arguments)>;

/// Runs function `function` of `module` on row-major inputs, one for each argument, and returns one
/// tensor for each result. The module may be partitioned: calls run the functions they name.
/// Constants are read in place; a value is freed after its last use.
/// Errors name the ONNX node: an input that does not fit its declared type, an operator without
/// reference implementation, shapes that do not fit.
Result<std::vector<reference::Tensor>> interpret(mlir::ModuleOp module, std::string_view function,
                                                 std::span<const reference::TensorView> inputs,
                                                 Observer observer = nullptr,
                                                 Caller caller = nullptr);

}  // namespace tessera::interpreter
