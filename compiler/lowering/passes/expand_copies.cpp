#include "compiler/lowering/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_EXPANDCOPIESPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct ExpandCopies : impl::ExpandCopiesPassBase<ExpandCopies> {
  void runOnOperation() override;
};

}  // namespace

// Elements worth a share of a parallel copy.
static constexpr int64_t kCopyChunk = 8192;

// The first dimension worth sharing out and how many of its indices make a chunk, an even number of
// which cover it; none for a small copy.
static std::optional<std::pair<int64_t, int64_t>> chooseCopyDimension(MemRefType type) {
  if (!type.hasStaticShape() || type.getNumElements() < 2 * kCopyChunk) return std::nullopt;
  const int64_t numChunks = type.getNumElements() / (2 * kCopyChunk) * 2;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    if (extent > 1)
      return std::pair<int64_t, int64_t>(dim, llvm::divideCeilSigned(extent, numChunks));
  }
  return std::nullopt;
}

// source -> target, in parallel when it is large and not inside a parallel loop already.
static void emitCopy(OpBuilder& b, memref::CopyOp copy) {
  Location loc = copy.getLoc();
  auto type = cast<MemRefType>(copy.getSource().getType());
  auto share = chooseCopyDimension(type);
  const bool isNested =
      copy->getParentOfType<scf::ForallOp>() || copy->getParentOfType<scf::ParallelOp>();
  if (!share || isNested) {
    b.create<linalg::CopyOp>(loc, copy.getSource(), copy.getTarget());
    return;
  }
  auto [dim, chunk] = *share;
  const int64_t extent = type.getDimSize(dim);
  const OpFoldResult zero = b.getIndexAttr(0), end = b.getIndexAttr(extent),
                     step = b.getIndexAttr(chunk);
  auto forall = b.create<scf::ForallOp>(loc, ArrayRef(zero), ArrayRef(end), ArrayRef(step),
                                        ValueRange(), std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  const Value begin = forall.getInductionVars()[0];
  offsets[dim] = begin;
  sizes[dim] = b.getIndexAttr(chunk);
  if (extent % chunk != 0) {
    const Value left =
        b.create<arith::SubIOp>(loc, b.create<arith::ConstantIndexOp>(loc, extent), begin);
    sizes[dim] = b.create<arith::MinSIOp>(loc, left, b.create<arith::ConstantIndexOp>(loc, chunk))
                     .getResult();
  }
  auto part = [&](Value whole) {
    return b.create<memref::SubViewOp>(loc, whole, offsets, sizes, strides).getResult();
  };
  const Value from = part(copy.getSource()), to = part(copy.getTarget());
  b.create<linalg::CopyOp>(loc, from, to);
}

// Copies of a buffer that is filled and otherwise only copied are fills themselves: several results
// of one loop nest start with the same number.
static void copyNumbers(linalg::FillOp fill) {
  const Value buffer = fill.getOutputs()[0];
  auto allocation = buffer.getDefiningOp<memref::AllocOp>();
  if (!allocation || allocation->getBlock() != fill->getBlock()) return;
  SmallVector<memref::CopyOp> copies;
  for (Operation* user : buffer.getUsers()) {
    if (user == fill.getOperation()) continue;
    auto copy = dyn_cast<memref::CopyOp>(user);
    if (!copy || copy.getTarget() == buffer || !fill->isBeforeInBlock(copy) ||
        copy->getBlock() != fill->getBlock())
      return;
    copies.push_back(copy);
  }
  if (copies.empty()) return;
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    b.create<linalg::FillOp>(copy.getLoc(), fill.getInputs(), copy.getTarget());
    copy.erase();
  }
  fill.erase();
  allocation.erase();
}

void ExpandCopies::runOnOperation() {
  SmallVector<linalg::FillOp> fills;
  getOperation().walk([&](linalg::FillOp fill) { fills.push_back(fill); });
  llvm::for_each(fills, copyNumbers);
  SmallVector<memref::CopyOp> copies;
  getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    if (copy.getSource() != copy.getTarget()) emitCopy(b, copy);
    copy.erase();
  }
}

}  // namespace tessera::lowering
