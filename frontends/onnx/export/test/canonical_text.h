// What two modules have in common that say the same.
#pragma once

#include <string>

#include "compiler/ir/tsr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::onnx::test {

/// The constants of a block at its start, in the order of their first use; those without use gone.
inline void sortConstants(mlir::Block& block) {
  llvm::SmallVector<ir::ConstantOp> constants;
  llvm::DenseSet<mlir::Operation*> seen;
  for (mlir::Operation& op : block) {
    op.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* user) {
      for (const mlir::Value operand : user->getOperands()) {
        auto constant = operand.getDefiningOp<ir::ConstantOp>();
        if (constant && constant->getBlock() == &block && seen.insert(constant).second)
          constants.push_back(constant);
      }
    });
  }
  for (const ir::ConstantOp constant : llvm::reverse(constants))
    constant->moveBefore(&block, block.begin());
  for (auto constant : llvm::make_early_inc_range(block.getOps<ir::ConstantOp>()))
    if (constant->use_empty()) constant.erase();
}

/// The module's text without locations and without what the way through ONNX may change: identities
/// (an output that is an input, a constant or another output needs one) are gone, constants stand
/// at the start of their block in the order of their first use.
inline std::string canonicalText(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  copy->setSymNameAttr({});
  copy->walk([](ir::IdentityOp op) {
    op.getOutput().replaceAllUsesWith(op.getInput());
    op.erase();
  });
  copy->walk([](mlir::Operation* op) {
    for (mlir::Region& region : op->getRegions())
      for (mlir::Block& block : region) sortConstants(block);
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

}  // namespace tessera::onnx::test
