#include "compiler/codegen/copies.h"

namespace tessera::codegen {

ir::CopyOp copyOf(mlir::func::FuncOp region) {
  if (!region || region.isExternal() || region.getNumArguments() != 1) return {};
  mlir::Block& body = region.getBody().front();
  auto copy = llvm::dyn_cast<ir::CopyOp>(body.front());
  if (!copy || copy.getInput() != region.getArgument(0)) return {};
  mlir::Operation* terminator = body.getTerminator();
  const bool isAll = copy->getNextNode() == terminator && terminator->getNumOperands() == 1 &&
                     terminator->getOperand(0) == copy.getResult();
  return isAll ? copy : ir::CopyOp();
}

}  // namespace tessera::codegen
