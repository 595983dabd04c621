#include "compiler/partition/inline_constants.h"

namespace tessera::partition {

using namespace mlir;

bool isInlineConstant(OpOperand& operand, const backend_api::RegionRules& rules) {
  auto constant = operand.get().getDefiningOp<ir::ConstantOp>();
  if (!constant) return false;
  // A conversion is excluded by the class that Conversions asks about, which has an argument.
  if (isa<ir::RelayoutOp, ir::CopyOp>(operand.getOwner())) return false;
  if (rules.isInlineConstant) return rules.isInlineConstant(operand);
  const auto type = cast<RankedTensorType>(constant.getType());
  return type.getElementType().isInteger() && !isa<ir::BlobAttr>(constant.getValue());
}

}  // namespace tessera::partition
