// One pass in execution order: each owner says in which layouts it runs an operator, given in which
// its operands come.
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"

namespace tessera::partition {

using namespace mlir;

namespace {

struct AssignLayouts : PassWrapper<AssignLayouts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayouts)

  explicit AssignLayouts(backend_api::Owners owners) : owners(std::move(owners)) {}
  StringRef getArgument() const override { return "tessera-partition-assign-layouts"; }
  StringRef getDescription() const override {
    return "give every value the layout its owner prefers";
  }

  void runOnOperation() override {
    func::FuncOp entry = entryFunction(getOperation());
    if (!entry) return;
    for (Operation& op : llvm::make_early_inc_range(entry.getBody().front())) {
      if (const backend_api::Owner* owner =
              backend_api::findOwner(owners, backend_api::ownerOf(&op)))
        applyChoice(&op, *owner);
      else
        requirePlain(&op);
    }
  }

  void applyChoice(Operation* op, const backend_api::Owner& owner) {
    if (isa<ir::RelayoutOp>(op)) return;
    SmallVector<RankedTensorType> available;
    for (const Type type : op->getOperandTypes()) available.push_back(cast<RankedTensorType>(type));
    const backend_api::LayoutChoice choice =
        owner.backend->chooseLayouts(op, available, owner.target);
    for (OpOperand& operand : op->getOpOperands())
      convert(operand, choice.operands[operand.getOperandNumber()], owner);
    for (OpResult result : op->getResults())
      result.setType(choice.results[result.getResultNumber()]);
  }

  /// Host views, returns and foreign operators see row-major values. The conversion belongs to the
  /// value's producer.
  void requirePlain(Operation* op) {
    for (OpOperand& operand : op->getOpOperands()) {
      const auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || ir::isPlain(type)) continue;
      const auto* owner =
          backend_api::findOwner(owners, backend_api::ownerOf(operand.get().getDefiningOp()));
      convert(operand, ir::withBlocks(type, {}, {}), *owner);
    }
  }

  void convert(OpOperand& operand, RankedTensorType wanted, const backend_api::Owner& owner) {
    const Value value = operand.get();
    if (value.getType() == wanted) return;
    Value& converted = conversions[{value, wanted}];
    if (!converted) {
      // Right behind the producer, where every later user can share it.
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      auto relayout = builder.create<ir::RelayoutOp>(value.getLoc(), wanted, value);
      relayout->setAttr(backend_api::kTargetAttribute,
                        backend_api::toAttribute(&getContext(), owner.target));
      converted = relayout;
    }
    operand.set(converted);
  }

  backend_api::Owners owners;
  DenseMap<std::pair<Value, Type>, Value> conversions;
};

}  // namespace

std::unique_ptr<Pass> createAssignLayoutsPass(backend_api::Owners owners) {
  return std::make_unique<AssignLayouts>(std::move(owners));
}

}  // namespace tessera::partition
