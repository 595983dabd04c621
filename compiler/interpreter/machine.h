// The interpreter's state, shared by the files that run one kind of operation each.
#pragma once

#include <vector>

#include "compiler/evaluate/evaluate.h"
#include "compiler/interpreter/interpret.h"
#include "compiler/ir/tsr.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::interpreter {

using evaluate::Environment;
using evaluate::TensorValue;
using Values = std::vector<TensorValue>;

/// One run of a module.
struct Machine {
  mlir::SymbolTable& symbols;
  Observer observer;
  Caller caller;
  int callDepth = 0;

  Result<Values> runFunction(mlir::func::FuncOp function, Values arguments);
  Result<Values> runBlock(mlir::Block& block, Values arguments, const Environment* outer);
  Result<Values> runOperation(mlir::Operation& op, const Environment& environment);
  Result<Values> dispatch(mlir::Operation& op, const Environment& environment);
};

Result<Values> runCall(Machine& machine, mlir::func::CallOp op, const Environment& environment);
Result<Values> runIf(Machine& machine, ir::IfOp op, const Environment& environment);
Result<Values> runLoop(Machine& machine, ir::LoopOp op, const Environment& environment);
Result<Values> runScan(Machine& machine, ir::ScanOp op, const Environment& environment);

}  // namespace tessera::interpreter
