#include "compiler/lowering/passes/split_masked_stores.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tessera::lowering {

/// How many lanes of a constant mask count, if they are the first ones.
static std::optional<int64_t> lanesOfPrefix(Value mask) {
  DenseElementsAttr bits;
  if (!matchPattern(mask, m_Constant(&bits))) return std::nullopt;
  const auto lanes = bits.getValues<bool>();
  const auto end = std::find(lanes.begin(), lanes.end(), false);
  if (std::find(end, lanes.end(), true) != lanes.end()) return std::nullopt;
  return std::distance(lanes.begin(), end);
}

namespace {

struct SplitMaskedStore : OpRewritePattern<vector::MaskedStoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::MaskedStoreOp store,
                                PatternRewriter& rewriter) const override;
};

}  // namespace

LogicalResult SplitMaskedStore::matchAndRewrite(vector::MaskedStoreOp store,
                                                PatternRewriter& rewriter) const {
  const std::optional<int64_t> count = lanesOfPrefix(store.getMask());
  if (!count) return failure();
  const Location loc = store.getLoc();
  const Value first = store.getIndices().back();
  for (int64_t lane = 0, size = 0; lane < *count; lane += size) {
    size = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(*count - lane)));
    SmallVector<Value> indices(store.getIndices());
    indices.back() = rewriter.createOrFold<arith::AddIOp>(
        loc, first, rewriter.create<arith::ConstantIndexOp>(loc, lane));
    if (size == 1) {
      const Value element = rewriter.create<vector::ExtractOp>(loc, store.getValueToStore(), lane);
      rewriter.create<memref::StoreOp>(loc, element, store.getBase(), indices);
    } else {
      const Value piece = rewriter.create<vector::ExtractStridedSliceOp>(
          loc, store.getValueToStore(), ArrayRef{lane}, ArrayRef{size}, ArrayRef<int64_t>{1});
      rewriter.create<vector::StoreOp>(loc, piece, store.getBase(), indices);
    }
  }
  rewriter.eraseOp(store);
  return success();
}

void populateSplitMaskedStoresPatterns(RewritePatternSet& patterns) {
  patterns.add<SplitMaskedStore>(patterns.getContext());
}

}  // namespace tessera::lowering
