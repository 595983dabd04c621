// A reshape that splits dimension 1 (the channels), a transpose of its two parts and a reshape that
// joins them again choose channels one by one: a Gather with constant indices, which an owner may
// run in any physical order of its own (ShuffleNet, Zhang et al. 2017, section 3.1).
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_GATHERSHUFFLESPASS
#include "compiler/transforms/passes.h.inc"

/// Whether `perm` exchanges dimensions 1 and 2 and nothing else.
static bool exchangesParts(std::optional<ArrayRef<int64_t>> perm) {
  if (!perm || perm->size() < 3) return false;
  SmallVector<int64_t> wanted = llvm::to_vector(llvm::seq<int64_t>(0, perm->size()));
  std::swap(wanted[1], wanted[2]);
  return *perm == ArrayRef(wanted);
}

/// Whether `split` is `whole` with dimension 1 in two parts; what is behind that may be split and
/// joined, too.
static bool splitsChannels(RankedTensorType whole, RankedTensorType split) {
  if (whole.getRank() < 3 || split.getRank() < 3) return false;
  const ArrayRef<int64_t> parts = split.getShape().slice(1, 2);
  if (whole.isDynamicDim(1) || ShapedType::isDynamicShape(parts)) return false;
  const ArrayRef<int64_t> behind = whole.getShape().drop_front(2),
                          behindParts = split.getShape().drop_front(3);
  return ir::isEqualSize(whole, 0, split, 0) && !ShapedType::isDynamicShape(behind) &&
         !ShapedType::isDynamicShape(behindParts) && parts[0] * parts[1] == whole.getDimSize(1) &&
         ShapedType::getNumElements(behind) == ShapedType::getNumElements(behindParts);
}

/// The indices of the shuffle that ends in `join`; none where it is something else.
static std::optional<SmallVector<int64_t>> shuffleOf(ir::ReshapeOp join) {
  auto transpose = join.getData().getDefiningOp<ir::TransposeOp>();
  if (!transpose || !exchangesParts(transpose.getPerm())) return std::nullopt;
  auto split = transpose.getData().getDefiningOp<ir::ReshapeOp>();
  if (!split || tensorType(split.getData()) != tensorType(join.getReshaped())) return std::nullopt;
  const RankedTensorType parts = tensorType(split.getReshaped());
  if (!splitsChannels(tensorType(split.getData()), parts)) return std::nullopt;
  SmallVector<int64_t> indices;
  for (int64_t within = 0; within < parts.getDimSize(2); ++within)
    for (int64_t group = 0; group < parts.getDimSize(1); ++group)
      indices.push_back(group * parts.getDimSize(2) + within);
  return indices;
}

namespace {

struct GatherShuffle : OpRewritePattern<ir::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::ReshapeOp join, PatternRewriter& rewriter) const override {
    const auto indices = shuffleOf(join);
    if (!indices) return rewriter.notifyMatchFailure(join, "does not end a shuffle of channels");
    auto transpose = join.getData().getDefiningOp<ir::TransposeOp>();
    auto split = transpose.getData().getDefiningOp<ir::ReshapeOp>();
    const Location loc = fusedLocation({split, transpose, join});
    const Value chosen = ir::createIntsConstant(rewriter, loc, *indices);
    rewriter.replaceOpWithNewOp<ir::GatherOp>(join, join.getType(), split.getData(), chosen,
                                              rewriter.getI64IntegerAttr(1));
    return success();
  }
};

struct GatherShuffles : impl::GatherShufflesPassBase<GatherShuffles> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<GatherShuffle>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
