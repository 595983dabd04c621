#include "compiler/backend_api/backend.h"

#include "compiler/ir/types.h"

namespace tessera::backend_api {

LayoutChoice Backend::chooseLayouts(mlir::Operation* op,
                                    llvm::ArrayRef<mlir::RankedTensorType> available,
                                    const target::Target& target) const {
  LayoutChoice choice;
  for (const mlir::RankedTensorType type : available)
    choice.operands.push_back(ir::withBlocks(type, {}, {}));
  for (const mlir::Type type : op->getResultTypes())
    choice.results.push_back(ir::withBlocks(llvm::cast<mlir::RankedTensorType>(type), {}, {}));
  return choice;
}

ir::TargetAttr toAttribute(mlir::MLIRContext* context, const target::Target& target) {
  mlir::Builder builder(context);
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  for (const auto& [name, value] : target.attributes)
    attributes.push_back(builder.getNamedAttr(name, builder.getStringAttr(value)));
  if (target.device != 0)
    attributes.push_back(builder.getNamedAttr("device", builder.getI64IntegerAttr(target.device)));
  return ir::TargetAttr::get(context, target.kind,
                             attributes.empty() ? nullptr : builder.getDictionaryAttr(attributes));
}

target::Target fromAttribute(ir::TargetAttr attribute) {
  target::Target target{.kind = attribute.getKind().str(), .device = 0, .attributes = {}};
  if (!attribute.getAttributes()) return target;
  for (const mlir::NamedAttribute entry : attribute.getAttributes()) {
    if (const auto text = llvm::dyn_cast<mlir::StringAttr>(entry.getValue()))
      target.attributes[entry.getName().str()] = text.str();
    else if (const auto number = llvm::dyn_cast<mlir::IntegerAttr>(entry.getValue()))
      target.device = static_cast<int>(number.getInt());
  }
  return target;
}

const Owner* findOwner(const Owners& owners, ir::TargetAttr attribute) {
  if (!attribute) return nullptr;
  const target::Target target = fromAttribute(attribute);
  for (const Owner& owner : owners) {
    if (owner.target == target) return &owner;
  }
  return nullptr;
}

ir::TargetAttr ownerOf(mlir::Operation* op) {
  return op->getAttrOfType<ir::TargetAttr>(kTargetAttribute);
}

}  // namespace tessera::backend_api
