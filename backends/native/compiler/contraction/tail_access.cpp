#include "backends/native/compiler/contraction/tail_access.h"

#include "backends/native/compiler/blocked.h"
#include "compiler/ir/types.h"

namespace tessera::backend_native {

using namespace mlir;

bool hasSameOrder(RankedTensorType type, RankedTensorType result) {
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

/// Whether dimension `d` is 1 or that of the result.
static bool isOneOrEqual(RankedTensorType type, RankedTensorType result, int64_t d) {
  return type.getDimSize(d) == 1 ||
         ir::isEqualSize(type, d, result, d + result.getRank() - type.getRank());
}

static bool isPerChannel(RankedTensorType type, RankedTensorType result, int64_t lanes) {
  const int64_t missing = result.getRank() - type.getRank(), channel = 1 - missing;
  if (channel < 0 || type.isDynamicDim(channel) || !isBlockedAlong(type, channel, lanes))
    return false;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    const bool mayVary = d == channel || d + missing == 0;
    if (mayVary ? !isOneOrEqual(type, result, d) : type.getDimSize(d) != 1) return false;
  }
  return type.getDimSize(channel) == result.getDimSize(1);
}

static bool isPerPosition(RankedTensorType type, RankedTensorType result) {
  const int64_t channel = 1 - (result.getRank() - type.getRank());
  if (!ir::isPlain(type) || (channel >= 0 && type.getDimSize(channel) != 1)) return false;
  return llvm::all_of(llvm::seq<int64_t>(0, type.getRank()),
                      [&](int64_t d) { return isOneOrEqual(type, result, d); });
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

TailAccess tailAccessOf(RankedTensorType type, RankedTensorType result, Operation* contraction,
                        int64_t lanes) {
  const Type element = type.getElementType();
  if ((!element.isF32() && !element.isInteger(1)) || type.getRank() > result.getRank())
    return TailAccess::kUnknown;
  if (type.hasStaticShape() && ir::isPlain(type) && type.getNumElements() == 1)
    return TailAccess::kScalar;
  if (isSamePlace(type, result)) return TailAccess::kSamePlace;
  if (!ir::isPlain(result)) {
    if (isPerChannel(type, result, lanes)) return TailAccess::kPerChannel;
    return isPerPosition(type, result) ? TailAccess::kPerPosition : TailAccess::kUnknown;
  }
  if (!ir::isPlain(type)) return TailAccess::kUnknown;
  if (isa<ir::ConvOp, ir::ConvTransposeOp, ir::AveragePoolOp, ir::MaxPoolOp, ir::ResizeOp>(
          contraction))
    return coversPositions(type, result) ? TailAccess::kMatrix : TailAccess::kUnknown;
  const int64_t last = type.getShape().back();
  const bool isColumn = !type.isDynamicDim(type.getRank() - 1) && last == result.getShape().back();
  if (isColumn && llvm::all_of(type.getShape().drop_back(), [](int64_t s) { return s == 1; }))
    return TailAccess::kPerColumn;
  const bool areColumnsOpen = result.isDynamicDim(result.getRank() - 1);
  return isColumn || last == 1 || areColumnsOpen ? TailAccess::kMatrix : TailAccess::kUnknown;
}

}  // namespace tessera::backend_native
