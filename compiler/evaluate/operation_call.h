// An operation of the dialect in the form the reference implementations take.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/op_info.h"
#include "mlir/IR/Operation.h"
#include "reference/op_call.h"
#include "tessera/status.h"

namespace tessera::evaluate {

/// For each ONNX input (output) the index of the MLIR operand (result) that stands for it, -1 where
/// it is absent. A variadic one gives as many entries as it has members.
std::vector<int> operandSlots(mlir::Operation& op, const ir::OpInfo& info);
std::vector<int> resultSlots(mlir::Operation& op, const ir::OpInfo& info);

/// The attributes that are set on `op`, by ONNX name; tensors are left out.
Result<reference::Attributes> onnxAttributes(mlir::Operation& op, const ir::OpInfo& info);

/// What evaluates an operation: its row in the table of operators, null for structural operations.
const ir::OpInfo* opInfo(mlir::Operation& op);

}  // namespace tessera::evaluate
