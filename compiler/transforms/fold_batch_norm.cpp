// y = (x - mean) / sqrt(var + epsilon) * scale + b, channel by channel, is x * factor + summand.
#include <cmath>

#include "compiler/ir/tsr.h"
#include "compiler/transforms/channel_affine.h"
#include "compiler/transforms/join_constants.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "compiler/transforms/passes.h.inc"

/// Nothing when a parameter is no f32 constant or a factor or summand is not finite: x minus the
/// mean, divided by zero, is an infinity whose sign a product no longer has.
static std::optional<ChannelAffine> affineOf(ir::BatchNormOp op) {
  const auto scale = constantFloats(op.getScale());
  const auto shift = constantFloats(op.getB());
  const auto mean = constantFloats(op.getInputMean());
  const auto variance = constantFloats(op.getInputVar());
  if (!scale || !shift || !mean || !variance) return std::nullopt;
  const double epsilon = op.getEpsilon().convertToFloat();
  ChannelAffine affine;
  for (size_t c = 0; c < scale->values().size(); ++c) {
    const double factor = scale->values()[c] / std::sqrt(variance->values()[c] + epsilon);
    affine.scale.push_back(static_cast<float>(factor));
    affine.shift.push_back(static_cast<float>(shift->values()[c] - mean->values()[c] * factor));
  }
  if (!areFinite(affine.scale) || !areFinite(affine.shift)) return std::nullopt;
  return affine;
}

namespace {

struct FoldBatchNormIntoProducer : OpRewritePattern<ir::BatchNormOp> {
  FoldBatchNormIntoProducer(MLIRContext* context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ir::BatchNormOp op, PatternRewriter& rewriter) const override {
    Operation* producer = op.getX().getDefiningOp();
    if (!channelDim(producer)) return rewriter.notifyMatchFailure(op, "follows no Conv or Gemm");
    const std::optional<ChannelAffine> affine = affineOf(op);
    if (!affine)
      return rewriter.notifyMatchFailure(op, "the parameters give no finite f32 constants");
    return foldIntoProducer(producer, op, *affine, rewriter);
  }
};

struct BatchNormToMulAdd : OpRewritePattern<ir::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::BatchNormOp op, PatternRewriter& rewriter) const override {
    // A multiplication would broadcast one channel to those of the parameters.
    if (tensorType(op.getX()).isDynamicDim(1))
      return rewriter.notifyMatchFailure(op, "the number of channels is not known");
    const std::optional<ChannelAffine> affine = affineOf(op);
    if (!affine)
      return rewriter.notifyMatchFailure(op, "the parameters give no finite f32 constants");
    llvm::SmallVector<int64_t> shape(tensorType(op.getX()).getRank() - 1, 1);
    shape[0] = static_cast<int64_t>(affine->scale.size());
    const Value scale = createFloats(rewriter, op.getLoc(), shape, affine->scale);
    const Value shift = createFloats(rewriter, op.getLoc(), shape, affine->shift);
    const Value scaled = rewriter.create<ir::MulOp>(op.getLoc(), op.getType(), op.getX(), scale);
    rewriter.replaceOpWithNewOp<ir::AddOp>(op, op.getType(), scaled, shift);
    return success();
  }
};

struct FoldBatchNorm : impl::FoldBatchNormPassBase<FoldBatchNorm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldBatchNormIntoProducer, BatchNormToMulAdd>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
