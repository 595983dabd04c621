#include "compiler/lowering/lanes.h"

#include <algorithm>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

Value lanesBelow(OpBuilder& b, Location loc, int64_t lanes, int64_t count) {
  SmallVector<bool> bits(lanes, false);
  std::fill_n(bits.begin(), std::clamp<int64_t>(count, 0, lanes), true);
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), ArrayRef<bool>(bits)));
}

// vector.create_mask of a constant is slower than a constant.
Value lanesBelow(OpBuilder& b, Location loc, int64_t lanes, Value count) {
  if (const auto known = getConstantIntValue(count)) return lanesBelow(b, loc, lanes, *known);
  return b.create<vector::CreateMaskOp>(loc, VectorType::get({lanes}, b.getI1Type()), count);
}

}  // namespace tessera::lowering
