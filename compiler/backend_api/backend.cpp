#include "compiler/backend_api/backend.h"

#include "compiler/ir/types.h"

namespace tessera::backend_api {

std::vector<Support> Backend::query(llvm::ArrayRef<mlir::Operation*> ops,
                                    const target::Target& target) const {
  std::vector<Support> answers;
  for (mlir::Operation* op : ops) answers.push_back(supports(op, target));
  return answers;
}

std::vector<LayoutChoice> Backend::chooseLayouts(mlir::Operation* op,
                                                 llvm::ArrayRef<mlir::RankedTensorType> available,
                                                 const target::Target& /*target*/) const {
  auto region = llvm::dyn_cast<mlir::func::FuncOp>(op);
  LayoutChoice choice;
  for (const mlir::RankedTensorType type : available)
    choice.operands.push_back(ir::plainType(type));
  const mlir::TypeRange results =
      region ? mlir::TypeRange(region.getResultTypes()) : mlir::TypeRange(op->getResultTypes());
  for (const mlir::Type type : results)
    choice.results.push_back(ir::plainType(llvm::cast<mlir::RankedTensorType>(type)));
  return {choice};
}

static mlir::Attribute valueAttribute(mlir::Builder& builder, const target::AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return builder.getStringAttr(*text);
  if (const auto* flag = std::get_if<bool>(&value)) return builder.getBoolAttr(*flag);
  if (const auto* number = std::get_if<int64_t>(&value)) return builder.getI64IntegerAttr(*number);
  return builder.getF64FloatAttr(std::get<double>(value));
}

ir::TargetAttr toAttribute(mlir::MLIRContext* context, const target::Target& target) {
  mlir::Builder builder(context);
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  for (const auto& [name, value] : target.attributes)
    attributes.push_back(builder.getNamedAttr(name, valueAttribute(builder, value)));
  return ir::TargetAttr::get(context, target.kind, target.device,
                             attributes.empty() ? nullptr : builder.getDictionaryAttr(attributes));
}

target::Target fromAttribute(ir::TargetAttr attribute) {
  target::Target target{.kind = attribute.getKind().str(),
                        .device = static_cast<int>(attribute.getDevice())};
  if (!attribute.getAttributes()) return target;
  for (const mlir::NamedAttribute entry : attribute.getAttributes()) {
    target::AttributeValue& value = target.attributes[entry.getName().str()];
    if (const auto text = llvm::dyn_cast<mlir::StringAttr>(entry.getValue()))
      value = text.str();
    else if (const auto flag = llvm::dyn_cast<mlir::BoolAttr>(entry.getValue()))
      value = flag.getValue();
    else if (const auto number = llvm::dyn_cast<mlir::IntegerAttr>(entry.getValue()))
      value = number.getInt();
    else if (const auto real = llvm::dyn_cast<mlir::FloatAttr>(entry.getValue()))
      value = real.getValueAsDouble();
  }
  return target;
}

bool belongsTo(mlir::Operation& op, ir::TargetAttr target) {
  if (auto code = llvm::dyn_cast<ir::CodeOp>(op)) return code.getTarget() == target;
  return llvm::isa<mlir::func::FuncOp, mlir::ModuleOp>(op) && ownerOf(&op) == target;
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
