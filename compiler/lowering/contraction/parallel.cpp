#include "compiler/lowering/contraction/parallel.h"

using namespace mlir;

namespace tessera::lowering {

scf::ForallOp openForall(IndexBuilder& b, ArrayRef<OpFoldResult> ends) {
  const SmallVector<OpFoldResult> zeros(ends.size(), b.getIndexAttr(0)),
      ones(ends.size(), b.getIndexAttr(1));
  auto forall = b.create<scf::ForallOp>(zeros, ends, ones, ValueRange(), std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  return forall;
}

}  // namespace tessera::lowering
