#include "compiler/ir/infer/common.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/channel_affine.h"
#include "compiler/transforms/join_constants.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_FOLDSCALESPASS
#include "compiler/transforms/passes.h.inc"

/// What a Mul, Div, Add or Sub with constant `operand` does to each channel.
static ChannelAffine affineOf(Operation* op, std::vector<float> operand) {
  ChannelAffine affine{.scale = std::vector<float>(operand.size(), 1.0f),
                       .shift = std::vector<float>(operand.size(), 0.0f)};
  for (size_t c = 0; c < operand.size(); ++c) {
    if (isa<ir::MulOp>(op)) affine.scale[c] = operand[c];
    if (isa<ir::DivOp>(op)) affine.scale[c] = 1.0f / operand[c];
    if (isa<ir::AddOp>(op)) affine.shift[c] = operand[c];
    if (isa<ir::SubOp>(op)) affine.shift[c] = -operand[c];
  }
  return affine;
}

static bool arePositive(Value constant) {
  const auto numbers = ir::constantFloats(constant);
  return numbers && llvm::all_of(*numbers, [](double number) { return number > 0; });
}

namespace {

template <typename Op>
struct FoldIntoProducer : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter& rewriter) const override {
    Operation* producer = op.getA().getDefiningOp();
    const std::optional<int64_t> dim = channelDim(producer);
    if (!dim) return rewriter.notifyMatchFailure(op, "follows no Conv or Gemm");
    auto operand = perChannel(op.getB(), tensorType(op.getA()), *dim);
    if (!operand) {
      return rewriter.notifyMatchFailure(op, "the operand is no f32 constant for each channel");
    }
    return foldIntoProducer(producer, op, affineOf(op, std::move(*operand)), rewriter);
  }
};

}  // namespace

/// `inner`'s constant operand when `value` is an `Op` of something with a constant and has no other
/// user.
template <typename Op>
static Op soleConstantOp(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op && op->hasOneUse() && isConstant(op.getB()) ? op : Op();
}

/// True when the constant has fewer elements than the result that it takes part in: joining it with
/// another one costs nothing at run time.
static bool isSmallerThan(Value constant, Value result) {
  return tensorType(constant).getNumElements() < 2 || !tensorType(result).hasStaticShape() ||
         tensorType(constant).getNumElements() < tensorType(result).getNumElements();
}

namespace {

/// (x op a) op b = x op (a op b) for Mul and Add.
template <typename Op>
struct JoinConstants : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter& rewriter) const override {
    auto inner = soleConstantOp<Op>(op.getA());
    if (!inner || !isConstant(op.getB()) || !isSmallerThan(op.getB(), op.getC())) {
      return rewriter.notifyMatchFailure(op, "no two constants to join");
    }
    auto joined = std::is_same_v<Op, ir::MulOp> ? productOf(inner.getB(), op.getB())
                                                : sumOf(inner.getB(), op.getB());
    if (!joined) return rewriter.notifyMatchFailure(op, "joining the constants would show");
    const Location loc = fusedLocation({inner, op});
    const Value constant = evaluate::createConstant(rewriter, loc, std::move(*joined));
    rewriter.replaceOp(op, rewriter.create<Op>(loc, op.getType(), inner.getA(), constant));
    return success();
  }
};

/// (x * a + b) * c = x * (a * c) + b * c for c > 0; a negative c would turn the sign of a zero.
struct ScaleAfterAffine : OpRewritePattern<ir::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::MulOp op, PatternRewriter& rewriter) const override {
    auto add = soleConstantOp<ir::AddOp>(op.getA());
    auto mul = add ? soleConstantOp<ir::MulOp>(add.getA()) : ir::MulOp();
    if (!mul || !isConstant(op.getB()) || !isSmallerThan(op.getB(), op.getC())) {
      return rewriter.notifyMatchFailure(op, "follows no Mul and Add by constants");
    }
    if (!arePositive(op.getB())) return rewriter.notifyMatchFailure(op, "a factor is not positive");
    auto scales = productOf(mul.getB(), op.getB());
    auto shifts = productOf(add.getB(), op.getB());
    if (!scales || !shifts) {
      return rewriter.notifyMatchFailure(op, "joining the constants would show");
    }
    const Location loc = fusedLocation({mul, add, op});
    const Value scale = evaluate::createConstant(rewriter, loc, std::move(*scales));
    const Value shift = evaluate::createConstant(rewriter, loc, std::move(*shifts));
    // b may have widened the result.
    const auto dims =
        ir::broadcastShapes(ir::dimsOf(tensorType(mul.getA())), ir::dimsOf(tensorType(scale)));
    const auto type = ir::tensorType(tensorType(scale).getElementType(), *dims);
    const Value scaled = rewriter.create<ir::MulOp>(loc, type, mul.getA(), scale);
    rewriter.replaceOp(op, rewriter.create<ir::AddOp>(loc, op.getType(), scaled, shift));
    return success();
  }
};

struct MatmulAddToGemm : OpRewritePattern<ir::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::AddOp op, PatternRewriter& rewriter) const override {
    auto matmul = op.getA().getDefiningOp<ir::MatmulOp>();
    if (!matmul || !matmul->hasOneUse() || !isConstant(op.getB())) {
      return rewriter.notifyMatchFailure(op, "adds no constant to a MatMul of its own");
    }
    const auto isMatrix = [](Value value) { return tensorType(value).getRank() == 2; };
    if (!isMatrix(matmul.getA()) || !isMatrix(matmul.getB()) || !isConstant(matmul.getB())) {
      return rewriter.notifyMatchFailure(op,
                                         "the MatMul is not one of a matrix and constant weights");
    }
    if (op.getC().getType() != matmul.getY().getType() ||
        !tensorType(op.getC()).getElementType().isF32()) {
      return rewriter.notifyMatchFailure(op, "the constant widens the result, or is not f32");
    }
    const auto one = rewriter.getF32FloatAttr(1.0f);
    const auto no = rewriter.getI64IntegerAttr(0);
    rewriter.replaceOp(
        op, rewriter.create<ir::GemmOp>(fusedLocation({matmul, op}), op.getType(), matmul.getA(),
                                        matmul.getB(), op.getB(), one, one, no, no));
    return success();
  }
};

/// reshape(x w) + b = reshape(x w + b) where the reshape keeps the last dimension, as in
/// TensorFlow's dense layers.
struct AddBeforeReshape : OpRewritePattern<ir::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::AddOp op, PatternRewriter& rewriter) const override {
    auto reshape = op.getA().getDefiningOp<ir::ReshapeOp>();
    auto matmul = reshape ? reshape.getData().getDefiningOp<ir::MatmulOp>() : ir::MatmulOp();
    if (!matmul || !reshape->hasOneUse() || !matmul->hasOneUse() || !isConstant(op.getB())) {
      return rewriter.notifyMatchFailure(op, "adds no constant to a reshaped MatMul of its own");
    }
    const RankedTensorType inner = tensorType(matmul.getY());
    const RankedTensorType outer = tensorType(reshape.getReshaped());
    const RankedTensorType bias = tensorType(op.getB());
    const bool keepsLast = inner.getRank() > 0 && outer.getRank() > 0 &&
                           inner.getShape().back() == outer.getShape().back();
    if (!keepsLast || bias.getRank() > 1 || op.getType() != outer) {
      return rewriter.notifyMatchFailure(op, "the constant varies along reshaped dimensions");
    }
    const Location loc = fusedLocation({matmul, op});
    const Value sum = rewriter.create<ir::AddOp>(loc, inner, matmul.getY(), op.getB());
    rewriter.replaceOp(
        op, rewriter.create<ir::ReshapeOp>(reshape.getLoc(), outer, sum, reshape.getShape(),
                                           reshape.getAllowzero()));
    return success();
  }
};

struct FoldScales : impl::FoldScalesPassBase<FoldScales> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AddBeforeReshape, FoldIntoProducer<ir::MulOp>, FoldIntoProducer<ir::DivOp>,
                 FoldIntoProducer<ir::AddOp>, FoldIntoProducer<ir::SubOp>, JoinConstants<ir::MulOp>,
                 JoinConstants<ir::AddOp>, ScaleAfterAffine, MatmulAddToGemm>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
