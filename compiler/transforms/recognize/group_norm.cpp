// Before opset 18 exporters write GroupNormalization as a normalisation of [N, groups, rest]
// between two reshapes, and a scale and bias for each channel behind it.
#include "compiler/ir/composites.h"
#include "compiler/transforms/channel_affine.h"
#include "compiler/transforms/join_constants.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_RECOGNIZEGROUPNORMPASS
#include "compiler/transforms/passes.h.inc"

/// A normalisation of each of dimension 1 of `x`, [N, groups, rest...].
struct LineNorm {
  Value x;
  FloatAttr epsilon;
  std::vector<float> scale, bias;  ///< For each group.
};

static std::optional<LineNorm> fromInstanceNorm(ir::InstanceNormOp norm) {
  const RankedTensorType type = tensorType(norm.getY());
  const auto vector = RankedTensorType::get({1, type.getDimSize(1)}, type.getElementType());
  auto scale = perChannel(norm.getScale(), vector, 1), bias = perChannel(norm.getB(), vector, 1);
  if (!scale || !bias) return std::nullopt;
  return LineNorm{.x = norm.getInput(),
                  .epsilon = norm.getEpsilonAttr(),
                  .scale = std::move(*scale),
                  .bias = std::move(*bias)};
}

static std::optional<LineNorm> fromLayerNorm(ir::CompositeOp norm) {
  if (norm.getName() != ir::composite::kLayerNorm || !norm.getParameters()) return std::nullopt;
  const DictionaryAttr parameters = *norm.getParameters();
  const auto axis = parameters.getAs<IntegerAttr>("axis");
  const auto epsilon = parameters.getAs<FloatAttr>("epsilon");
  const OperandRange inputs = norm.getInputs();
  const bool isBare = isConstantOf(inputs[1], 1) && isConstantOf(inputs[2], 0);
  if (!axis || axis.getInt() != 2 || !epsilon || !isBare) return std::nullopt;
  const auto groups = static_cast<size_t>(tensorType(inputs[0]).getDimSize(1));
  return LineNorm{.x = inputs[0],
                  .epsilon = epsilon,
                  .scale = std::vector<float>(groups, 1),
                  .bias = std::vector<float>(groups, 0)};
}

static std::optional<LineNorm> lineNormOf(Value value) {
  Operation* op = value.getDefiningOp();
  const RankedTensorType type = tensorType(value);
  const bool areLines = type.getRank() >= 3 && type.getDimSize(1) > 0;  // And known.
  if (!op || !op->hasOneUse() || !areLines) return std::nullopt;
  if (auto norm = dyn_cast<ir::InstanceNormOp>(op)) return fromInstanceNorm(norm);
  if (auto norm = dyn_cast<ir::CompositeOp>(op)) return fromLayerNorm(norm);
  return std::nullopt;
}

/// Each element `count` times in a row.
static std::vector<float> repeated(ArrayRef<float> values, int64_t count) {
  std::vector<float> all;
  for (const float value : values) all.insert(all.end(), count, value);
  return all;
}

namespace {

struct JoinReshapes : OpRewritePattern<ir::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::ReshapeOp op, PatternRewriter& rewriter) const override {
    const std::optional<LineNorm> norm = lineNormOf(op.getData());
    auto split = norm ? norm->x.getDefiningOp<ir::ReshapeOp>() : ir::ReshapeOp();
    if (!split) return rewriter.notifyMatchFailure(op, "ends no normalisation of a reshape");
    const Value x = split.getData();
    const RankedTensorType type = tensorType(x), groups = tensorType(norm->x);
    const bool isChannel = type.getRank() >= 3 && !type.isDynamicDim(1) &&
                           type.getDimSize(1) % groups.getDimSize(1) == 0;
    if (!isChannel || !type.getElementType().isF32() || !ir::isEqualSize(type, 0, groups, 0))
      return rewriter.notifyMatchFailure(op, "groups are none of channels");
    if (!canReplace(op.getReshaped(), x))
      return rewriter.notifyMatchFailure(op, "the result has another shape than the input");
    const int64_t channels = type.getDimSize(1), perGroup = channels / groups.getDimSize(1);
    const Location loc = fusedLocation({split, op.getData().getDefiningOp(), op});
    const Value scale = createFloats(rewriter, loc, {channels}, repeated(norm->scale, perGroup)),
                bias = createFloats(rewriter, loc, {channels}, repeated(norm->bias, perGroup));
    rewriter.replaceOp(
        op, rewriter.create<ir::GroupNormOp>(loc, x.getType(), x, scale, bias, norm->epsilon,
                                             rewriter.getI64IntegerAttr(groups.getDimSize(1)),
                                             rewriter.getI64IntegerAttr(1)));
    return success();
  }
};

/// group_norm(x) * a or + a of a constant for each channel, which becomes part of scale and bias.
template <typename Op>
struct FoldIntoGroupNorm : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter& rewriter) const override {
    auto norm = op.getA().template getDefiningOp<ir::GroupNormOp>();
    if (!norm || !norm->hasOneUse() || norm.getY().getType() != op.getC().getType())
      return rewriter.notifyMatchFailure(op, "follows no GroupNormalization of its own");
    const RankedTensorType type = tensorType(norm.getY());
    const auto ofVector = [&](Value value) {
      return perChannel(value,
                        RankedTensorType::get({1, type.getDimSize(1)}, type.getElementType()), 1);
    };
    const auto operand = perChannel(op.getB(), type, 1);
    auto scale = ofVector(norm.getScale()), bias = ofVector(norm.getBias());
    if (!operand || !scale || !bias)
      return rewriter.notifyMatchFailure(op, "the operand is no f32 constant for each channel");
    for (size_t c = 0; c < operand->size(); ++c) {
      if constexpr (std::is_same_v<Op, ir::MulOp>) {
        (*scale)[c] *= (*operand)[c];
        (*bias)[c] *= (*operand)[c];
      } else {
        (*bias)[c] += (*operand)[c];
      }
    }
    if (!areFinite(*scale) || !areFinite(*bias))
      return rewriter.notifyMatchFailure(op, "a folded parameter would not be finite");
    const Location loc = fusedLocation({norm, op});
    const auto channels = static_cast<int64_t>(operand->size());
    auto folded = cast<ir::GroupNormOp>(rewriter.clone(*norm));
    folded->setLoc(loc);
    folded.getScaleMutable().assign(createFloats(rewriter, loc, {channels}, *scale));
    folded.getBiasMutable().assign(createFloats(rewriter, loc, {channels}, *bias));
    rewriter.replaceOp(op, folded);
    return success();
  }
};

struct RecognizeGroupNorm : impl::RecognizeGroupNormPassBase<RecognizeGroupNorm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<JoinReshapes, FoldIntoGroupNorm<ir::MulOp>, FoldIntoGroupNorm<ir::AddOp>>(
        &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
