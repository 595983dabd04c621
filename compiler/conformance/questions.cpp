#include "compiler/conformance/questions.h"

namespace tessera::conformance {

Answers askAbout(const Kit& kit, mlir::func::FuncOp function) {
  Answers answers;
  std::vector<mlir::Operation*> ops;
  for (mlir::Operation& op : function.getBody().front().without_terminator()) {
    if (!llvm::isa<ir::ConstantOp>(op)) ops.push_back(&op);
  }
  const auto all = kit.owner.backend->query(ops, kit.owner.target);
  for (const auto& [op, answer] : llvm::zip(ops, all)) {
    answers.isTaken |= backend_api::isSupported(answer);
    const auto* declined = std::get_if<backend_api::Declined>(&answer);
    if (declined == nullptr) continue;
    if (declined->reason.empty()) answers.silent.push_back(op->getName().stripDialect().str());
    if (declined->isFailure) answers.failures.push_back(declined->reason);
  }
  return answers;
}

Placement placeCases(const Kit& kit, std::span<const mlir::func::FuncOp> functions) {
  auto placed = place(kit, functions, kit.options.target);
  if (placed) return std::move(*placed);
  return Finding{
      .check = "honesty", .index = 0, .what = "it cannot be placed: " + placed.error().toString()};
}

}  // namespace tessera::conformance
