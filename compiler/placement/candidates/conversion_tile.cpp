#include "compiler/placement/candidates/conversion_tile.h"

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/pins.h"
#include "compiler/placement/plan_attribute.h"

namespace tessera::placement {

using namespace mlir;

OwningOpRef<ModuleOp> makeConversion(ModuleOp source, Type from, Type to) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  (*module)->setAttrs(source->getAttrDictionary());
  (*module)->removeAttr(kPlanAttribute);
  (*module)->removeAttr(ir::kWithFallbackAttribute);
  (*module)->removeAttr(partition::kPinsAttribute);
  (*module)->removeAttr(SymbolTable::getSymbolAttrName());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  const Type plain = ir::plainType(cast<RankedTensorType>(from));
  auto entry = builder.create<func::FuncOp>(source.getLoc(), ir::kEntryFunction,
                                            builder.getFunctionType(plain, to));
  entry.setArgAttr(0, ir::kValueNameAttribute, builder.getStringAttr("input0"));
  entry.setResultAttr(0, ir::kValueNameAttribute, builder.getStringAttr("output0"));
  if (from != plain) entry.setArgAttr(0, partition::kBorderTypeAttribute, TypeAttr::get(from));
  builder.setInsertionPointToEnd(entry.addEntryBlock());
  builder.create<func::ReturnOp>(source.getLoc(), ValueRange(entry.getArgument(0)));
  return module;
}

}  // namespace tessera::placement
