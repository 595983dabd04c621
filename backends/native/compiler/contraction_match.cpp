#include "backends/native/compiler/contraction_match.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/emit_scalar.h"
#include "compiler/ir/constants.h"

namespace tessera::backend_native {

using namespace mlir;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool hasSameOrder(RankedTensorType type, RankedTensorType result) {
  const ir::LayoutAttr a = ir::layoutOf(type), b = ir::layoutOf(result);
  const bool aPlain = !a || a.isPlainOrder(), bPlain = !b || b.isPlainOrder();
  if (aPlain || bPlain) return aPlain == bPlain;
  return a.getOrder() == b.getOrder() && a.getBlockDims() == b.getBlockDims() &&
         a.getBlockSizes() == b.getBlockSizes();
}

static bool isSamePlace(RankedTensorType type, RankedTensorType result) {
  if (type.getRank() != result.getRank() || !hasSameOrder(type, result)) return false;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!ir::isEqualSize(type, d, result, d)) return false;
  }
  return true;
}

static bool isPerChannel(RankedTensorType type, RankedTensorType result, int64_t lanes) {
  const int64_t missing = result.getRank() - type.getRank(), channel = 1 - missing;
  if (channel < 0 || !type.hasStaticShape() || !isBlockedAlong(type, channel, lanes)) return false;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    const int64_t wanted = d == channel || d + missing == 0 ? result.getDimSize(d + missing) : 1;
    if (type.getDimSize(d) != wanted && type.getDimSize(d) != 1) return false;
  }
  return type.getDimSize(channel) == result.getDimSize(1);
}

/// True when the spatial dimensions are all those of the result, or all 1.
static bool coversPositions(RankedTensorType type, RankedTensorType result) {
  const int64_t missing = result.getRank() - type.getRank();
  bool areAll = missing <= 2, areOne = true;
  for (int64_t d = std::max<int64_t>(2 - missing, 0); d < type.getRank(); ++d) {
    areAll &= ir::isEqualSize(type, d, result, d + missing);
    areOne &= type.getDimSize(d) == 1;
  }
  return areAll || areOne;
}

TailAccess tailAccessOf(Value value, const ContractionRegion& region, int64_t lanes) {
  const RankedTensorType type = tensorType(value), result = region.resultType();
  if (value.getDefiningOp<ir::ConstantOp>())
    return ir::constantScalar(value) && type.getNumElements() == 1 ? TailAccess::kConstant
                                                                   : TailAccess::kUnknown;
  if (!type.getElementType().isF32() || type.getRank() > result.getRank())
    return TailAccess::kUnknown;
  if (type.hasStaticShape() && ir::isPlain(type) && type.getNumElements() == 1)
    return TailAccess::kScalar;
  if (isSamePlace(type, result)) return TailAccess::kSamePlace;
  if (!ir::isPlain(result))
    return isPerChannel(type, result, lanes) ? TailAccess::kPerChannel : TailAccess::kUnknown;
  if (!ir::isPlain(type)) return TailAccess::kUnknown;
  if (isa<ir::ConvOp>(region.anchor))
    return coversPositions(type, result) ? TailAccess::kMatrix : TailAccess::kUnknown;
  const int64_t last = type.getShape().back();
  const bool isColumn = !type.isDynamicDim(type.getRank() - 1) && last == result.getShape().back();
  if (isColumn && llvm::all_of(type.getShape().drop_back(), [](int64_t s) { return s == 1; }))
    return TailAccess::kPerColumn;
  return isColumn || last == 1 ? TailAccess::kMatrix : TailAccess::kUnknown;
}

/// An elementwise operator whose result has the shape of the contraction's, given that its operands
/// broadcast to that.
static bool isTailOp(Operation* op, RankedTensorType result) {
  if (!isScalarOp(op) || op->getNumResults() != 1) return false;
  const RankedTensorType type = tensorType(op->getResult(0));
  return type.getRank() == result.getRank() && (hasSameOrder(type, result) || ir::isPlain(type));
}

std::optional<ContractionRegion> matchContraction(func::FuncOp function, int64_t lanes) {
  ContractionRegion region;
  region.function = function;
  Block& body = function.getBody().front();
  if (function.getNumResults() != 1) return std::nullopt;
  region.result = body.getTerminator()->getOperand(0);
  if (!region.resultType().getElementType().isF32()) return std::nullopt;
  for (Operation& op : body.without_terminator()) {
    if (isa<ir::ConstantOp>(op)) continue;
    if (isa<ir::ConvOp, ir::GemmOp, ir::MatmulOp>(op)) {
      if (region.anchor) return std::nullopt;
      region.anchor = &op;
    } else if (region.anchor && isTailOp(&op, region.resultType())) {
      region.tail.push_back(&op);
    } else {
      return std::nullopt;
    }
  }
  if (!region.anchor) return std::nullopt;
  const Value product = region.anchor->getResult(0);
  if (tensorType(product).getRank() != region.resultType().getRank() ||
      !hasSameOrder(tensorType(product), region.resultType()))
    return std::nullopt;
  for (const Value operand : region.anchor->getOperands()) {
    if (!isa<BlockArgument>(operand)) return std::nullopt;
  }
  DenseSet<Value> computed = {product};
  for (Operation* op : region.tail) {
    for (const Value operand : op->getOperands()) {
      if (computed.contains(operand)) continue;
      const TailAccess access = tailAccessOf(operand, region, lanes);
      if (access == TailAccess::kUnknown) return std::nullopt;
      region.accesses[operand] = access;
    }
    computed.insert(op->getResult(0));
  }
  if (!computed.contains(region.result)) return std::nullopt;
  return region;
}

}  // namespace tessera::backend_native
