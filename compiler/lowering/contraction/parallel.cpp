#include "compiler/lowering/contraction/parallel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tessera::lowering {

scf::ForallOp openForall(IndexBuilder& b, ArrayRef<OpFoldResult> ends) {
  const SmallVector<OpFoldResult> zeros(ends.size(), b.getIndexAttr(0)),
      ones(ends.size(), b.getIndexAttr(1));
  auto forall = b.create<scf::ForallOp>(zeros, ends, ones, ValueRange(), std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  return forall;
}

OpenBlocks cutOpen(Index extent, int64_t most, Index wanted, int64_t unit) {
  const Index fewest = ceilDiv(extent, most);
  const Index blocks = larger(larger(fewest, wanted), 1);
  const Index size = larger(ceilDiv(ceilDiv(extent, blocks), unit) * unit, unit);
  return {.size = size, .count = ceilDiv(extent, size)};
}

Value allocateFloats(IndexBuilder& b, int64_t count) {
  return b.create<memref::AllocOp>(MemRefType::get({count}, b.getF32Type()),
                                   b.getI64IntegerAttr(64));
}

Value allocateFloats(IndexBuilder& b, Value count) {
  if (const std::optional<int64_t> known = getConstantIntValue(count))
    return allocateFloats(b, *known);
  return b.create<memref::AllocOp>(MemRefType::get({ShapedType::kDynamic}, b.getF32Type()), count,
                                   b.getI64IntegerAttr(64));
}

}  // namespace tessera::lowering
