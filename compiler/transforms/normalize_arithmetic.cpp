#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/infer/common.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"
#include "compiler/transforms/strength_reduction.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_NORMALIZEARITHMETICPASS
#include "compiler/transforms/passes.h.inc"

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// What Clip takes for an absent bound.
static constexpr double kLargest = std::numeric_limits<float>::max();

namespace {

struct ConstantToTheRight : RewritePattern {
  explicit ConstantToTheRight(MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const override {
    if (!isa<ir::AddOp, ir::MulOp, ir::MinOp, ir::MaxOp, ir::AndOp, ir::OrOp, ir::XorOp,
             ir::BitwiseAndOp, ir::BitwiseOrOp, ir::BitwiseXorOp, ir::EqualOp>(op)) {
      return failure();
    }
    if (op->getNumOperands() != 2 || !isConstant(op->getOperand(0)) ||
        isConstant(op->getOperand(1))) {
      return failure();
    }
    rewriter.modifyOpInPlace(op, [&] { op->setOperands({op->getOperand(1), op->getOperand(0)}); });
    return success();
  }
};

struct SumToAdd : OpRewritePattern<ir::SumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::SumOp op, PatternRewriter& rewriter) const override {
    if (op.getData().size() < 2) return rewriter.notifyMatchFailure(op, "has one operand");
    Value sum = op.getData().front();
    for (const Value next : op.getData().drop_front().drop_back()) {
      const auto dims =
          ir::broadcastShapes(ir::dimsOf(tensorType(sum)), ir::dimsOf(tensorType(next)));
      sum = rewriter.create<ir::AddOp>(
          op.getLoc(), ir::tensorType(tensorType(sum).getElementType(), *dims), sum, next);
    }
    rewriter.replaceOpWithNewOp<ir::AddOp>(op, tensorType(op.getResult()), sum,
                                           op.getData().back());
    return success();
  }
};

/// The bounds that an operation clips its operand 0 to, never NaN, low <= high.
struct Bounds {
  double low = -kInfinity;
  double high = kInfinity;
};

}  // namespace

/// Nothing when the value is not constant, or NaN, which Clip, Min and Max each take differently.
static std::optional<double> boundOf(Value value) {
  const std::optional<double> bound = ir::constantScalar(value);
  return bound && std::isnan(*bound) ? std::nullopt : bound;
}

static std::optional<Bounds> boundsOf(Operation* op) {
  if (op == nullptr || !tensorType(op->getResult(0)).getElementType().isF32()) return std::nullopt;
  if (isa<ir::ReluOp>(op)) return Bounds{.low = 0};
  if (auto clip = dyn_cast<ir::ClipOp>(op)) {
    const auto low = clip.getMin() ? boundOf(clip.getMin()) : -kLargest;
    const auto high = clip.getMax() ? boundOf(clip.getMax()) : kLargest;
    if (!low || !high || *low > *high) return std::nullopt;
    return Bounds{.low = *low, .high = *high};
  }
  if (!isa<ir::MinOp, ir::MaxOp>(op) || op->getNumOperands() != 2 ||
      op->getOperand(0).getType() != op->getResult(0).getType()) {
    return std::nullopt;
  }
  const auto bound = boundOf(op->getOperand(1));
  if (!bound) return std::nullopt;
  return isa<ir::MinOp>(op) ? Bounds{.high = *bound} : Bounds{.low = *bound};
}

/// What is left of `outer` behind `inner`; nothing where that is a zero of one sign: of two Clip
/// keeps the operand's.
static std::optional<Bounds> joinedBounds(const Bounds& inner, const Bounds& outer) {
  const Bounds joined = {.low = std::clamp(inner.low, outer.low, outer.high),
                         .high = std::clamp(inner.high, outer.low, outer.high)};
  return joined.low == 0 && joined.high == 0 ? std::nullopt : std::optional<Bounds>(joined);
}

static bool isClipping(Operation* op) {
  return isa_and_present<ir::ReluOp, ir::ClipOp, ir::MinOp, ir::MaxOp>(op);
}

/// Whether the only user of `op` clips, too, so that both become one when its turn comes.
static bool isMergedIntoUser(Operation* op, const Bounds& bounds) {
  const Value result = op->getResult(0);
  if (!result.hasOneUse()) return false;
  Operation* user = *result.user_begin();
  if (!isClipping(user) || user->getOperand(0) != result) return false;
  const auto outer = boundsOf(user);
  return outer && joinedBounds(bounds, *outer);
}

static Value scalarConstant(PatternRewriter& rewriter, Location loc, double value) {
  const auto number = static_cast<float>(value);
  return createFloats(rewriter, loc, {}, std::span(&number, 1));
}

namespace {

/// Relu, Clip and Min or Max with a constant, alone or in a row, become one Relu or Clip. The last
/// of a row takes all others at once: one by one, each would repeat the locations of those before.
struct MergeClips : RewritePattern {
  explicit MergeClips(MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const override {
    if (!isClipping(op)) return failure();
    std::optional<Bounds> bounds = boundsOf(op);
    if (!bounds) return rewriter.notifyMatchFailure(op, "the bounds are not f32 constants");
    if (isMergedIntoUser(op, *bounds)) return rewriter.notifyMatchFailure(op, "its user takes it");
    llvm::SmallVector<Operation*> merged{op};
    Value input = op->getOperand(0);
    for (Operation* inner = input.getDefiningOp(); isClipping(inner);
         inner = input.getDefiningOp()) {
      const auto first = boundsOf(inner);
      if (!first) break;
      const auto joined = joinedBounds(*first, *bounds);
      if (!joined && merged.size() == 1)
        return rewriter.notifyMatchFailure(op, "nothing but a zero of one sign is left");
      if (!joined) break;
      bounds = joined;
      merged.push_back(inner);
      input = inner->getOperand(0);
    }
    std::ranges::reverse(merged);
    // What is below -0.0 becomes -0.0, which is not Relu's zero.
    const bool isRelu = bounds->low == 0 && !std::signbit(bounds->low) && bounds->high == kInfinity;
    const bool isFinal = isRelu ? isa<ir::ReluOp>(op) : isa<ir::ClipOp>(op);
    if (merged.size() == 1 && isFinal) return rewriter.notifyMatchFailure(op, "has its final form");
    const Location loc = fusedLocation(merged);
    const Type type = op->getResult(0).getType();
    if (isRelu) {
      rewriter.replaceOp(op, rewriter.create<ir::ReluOp>(loc, type, input));
      return success();
    }
    const auto bound = [&](double value, double absent) {
      return value == absent ? Value() : scalarConstant(rewriter, loc, value);
    };
    rewriter.replaceOp(op,
                       rewriter.create<ir::ClipOp>(loc, type, input, bound(bounds->low, -kLargest),
                                                   bound(bounds->high, kLargest)));
    return success();
  }
};

/// An Expand whose effect the broadcasting of its only kind of user has anyway.
struct DropExpandBeforeBroadcast : RewritePattern {
  explicit DropExpandBeforeBroadcast(MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const override {
    for (OpOperand& operand : op->getOpOperands()) {
      auto expand = operand.get().getDefiningOp<ir::ExpandOp>();
      if (!expand || !isBroadcast(operand)) continue;
      ir::Dims dims = ir::dimsOf(tensorType(expand.getInput()));
      bool fits = true;
      for (const OpOperand& other : op->getOpOperands()) {
        if (&other == &operand) continue;
        const auto joined = ir::broadcastShapes(dims, ir::dimsOf(tensorType(other.get())));
        fits &= joined.has_value();
        if (joined) dims = *joined;
      }
      const auto type = tensorType(op->getResult(0));
      if (!fits || !type.hasStaticShape() ||
          ir::tensorType(type.getElementType(), dims).getShape() != type.getShape()) {
        continue;
      }
      rewriter.modifyOpInPlace(op, [&] {
        operand.set(expand.getInput());
        op->setLoc(fusedLocation({expand, op}));
      });
      return success();
    }
    return failure();
  }
};

/// Constants lose leading dimensions of size 1, which broadcasting adds anyway: one form for
/// scalars, biases and scales.
struct DropUnitDimsOfConstants : RewritePattern {
  explicit DropUnitDimsOfConstants(MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const override {
    for (OpOperand& operand : op->getOpOperands()) {
      if (!isBroadcast(operand)) continue;
      const Value value = operand.get();
      const RankedTensorType type = tensorType(value);
      const bool setsRank = llvm::none_of(op->getOpOperands(), [&](OpOperand& other) {
        return &other != &operand && tensorType(other.get()).getRank() >= type.getRank();
      });
      const auto kept = type.getShape().drop_while([](int64_t size) { return size == 1; });
      if (!isConstant(value) || setsRank || type.getEncoding() ||
          kept.size() == type.getShape().size()) {
        continue;
      }
      const Value constant = ir::createConstant(rewriter, value.getLoc(),
                                                RankedTensorType::get(kept, type.getElementType()),
                                                *ir::constantBytes(value));
      rewriter.modifyOpInPlace(op, [&] { operand.set(constant); });
      return success();
    }
    return failure();
  }
};

struct NormalizeArithmetic : impl::NormalizeArithmeticPassBase<NormalizeArithmetic> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConstantToTheRight, DropExpandBeforeBroadcast, DropUnitDimsOfConstants, MergeClips,
                 SumToAdd>(&getContext());
    addStrengthReductions(patterns);
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
