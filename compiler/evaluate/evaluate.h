// Evaluating operations through the reference implementations: constant folding and the
// interpreter.
#pragma once

#include <span>
#include <vector>

#include "compiler/evaluate/tensor_value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "reference/op_call.h"
#include "tessera/status.h"

namespace tessera::evaluate {

/// Evaluates a tensor operator, constant, composite, relayout or copy: one result for each result
/// of `op`. Inputs and results are row-major whatever the layouts in the types. Errors name the
/// operation's ONNX node: no reference implementation, or shapes and element types that do not fit.
Result<std::vector<reference::Tensor>> evaluateOperation(
    mlir::Operation& op, std::span<const reference::TensorView> inputs);

/// The values that a block and the blocks around it have computed so far.
struct Environment {
  const Environment* outer = nullptr;  ///< Borrowed; null for an isolated region.
  llvm::DenseMap<mlir::Value, TensorValue> values;

  /// Null when it was not computed.
  const TensorValue* find(mlir::Value value) const;
};

/// Evaluates one operation of a block whose operands are in the environment.
using OperationEvaluator = llvm::function_ref<Result<std::vector<TensorValue>>(
    mlir::Operation& op, const Environment& environment)>;

/// Evaluates the operations of `block` one after the other and returns the operands of its
/// terminator. A value is dropped after its last use.
Result<std::vector<TensorValue>> evaluateBlock(mlir::Block& block,
                                               std::vector<TensorValue> arguments,
                                               const Environment* outer,
                                               OperationEvaluator evaluator);

/// The operands of `op` (not those of its regions). Errors: one was not computed.
Result<std::vector<TensorValue>> operandValues(mlir::Operation& op, const Environment& environment);

/// Names the ONNX node of `op` in the error unless it names one already.
Error atOperation(Error error, mlir::Operation& op);

}  // namespace tessera::evaluate
