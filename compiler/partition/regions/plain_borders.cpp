// An entry function that anybody can call, around regions that have layouts of their own.
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/layouts/conversions.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/outline.h"

namespace tessera::partition {

#define GEN_PASS_DEF_PLAINBORDERSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

namespace {

struct PlainBorders : impl::PlainBordersPassBase<PlainBorders> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    SymbolTable symbols(getOperation());
    Conversions conversions(getOperation(), symbols, *owners);
    func::FuncOp entry = ir::entryFunction(getOperation());
    if (failed(convertArguments(entry, conversions)) || failed(convertResults(entry, conversions)))
      return signalPassFailure();
    RegionNames names(symbols);
    for (Operation& op : llvm::make_early_inc_range(entry.getBody().front())) {
      const backend_api::Owner* owner = owners->of(&op);
      if (!owner) continue;
      func::CallOp call =
          outlineRegion(&op, names.next(kBorderRegionPrefix.drop_back()), *owner, *owners, symbols);
      call->setLoc(
          NameLoc::get(StringAttr::get(&getContext(), kBorderRegionPrefix), call.getLoc()));
    }
  }

  static LogicalResult convertArguments(func::FuncOp entry, Conversions& conversions) {
    SmallVector<Type> types;
    for (BlockArgument argument : entry.getArguments()) {
      const auto type = dyn_cast<RankedTensorType>(argument.getType());
      types.push_back(type ? ir::plainType(type) : argument.getType());
      if (types.back() == argument.getType()) continue;
      SmallVector<OpOperand*> uses;
      for (OpOperand& use : argument.getUses()) uses.push_back(&use);
      argument.setType(types.back());
      const Value converted = conversions.convert(argument, type, nullptr);
      if (!converted) return entry.emitError() << "nobody makes " << type << " of " << types.back();
      for (OpOperand* use : uses) use->set(converted);
    }
    entry.setFunctionType(FunctionType::get(entry.getContext(), types, entry.getResultTypes()));
    return success();
  }

  static LogicalResult convertResults(func::FuncOp entry, Conversions& conversions) {
    Operation* returned = entry.getBody().front().getTerminator();
    for (OpOperand& operand : returned->getOpOperands()) {
      const auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || ir::isPlain(type)) continue;
      const Value converted = conversions.convert(operand.get(), ir::plainType(type), nullptr);
      if (!converted)
        return entry.emitError() << "nobody makes " << ir::plainType(type) << " of " << type;
      operand.set(converted);
    }
    entry.setFunctionType(FunctionType::get(entry.getContext(), entry.getArgumentTypes(),
                                            returned->getOperandTypes()));
    return success();
  }
};

}  // namespace

bool isAtBorder(Location loc) {
  const auto name = dyn_cast<NameLoc>(loc);
  return name && name.getName() == kBorderRegionPrefix;
}

}  // namespace tessera::partition
