#include <limits>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/window.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_FOLDPADSPASS
#include "compiler/transforms/passes.h.inc"

using Pads = llvm::SmallVector<int64_t>;

/// The pads of spatial dimensions, begins then ends; nothing when the Pad does something else too.
static std::optional<Pads> spatialPads(ir::PadOp op) {
  const auto pads = ir::constantInts(op.getPads());
  if (!pads || op.getMode() != ir::PadMode::Constant) return std::nullopt;
  const int64_t rank = tensorType(op.getData()).getRank();
  const std::optional<Pads> axes =
      op.getAxes() ? ir::spec::constantAxes(op.getAxes(), rank) : ir::spec::allAxes(rank);
  if (!axes) return std::nullopt;
  Pads spatial(2 * (rank - 2), 0);
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    const int64_t begin = (*pads)[i];
    const int64_t end = (*pads)[axes->size() + i];
    if (begin < 0 || end < 0 || (axis < 2 && (begin != 0 || end != 0))) return std::nullopt;
    if (axis < 2) continue;
    spatial[axis - 2] = begin;
    spatial[rank - 2 + axis - 2] = end;
  }
  return spatial;
}

/// The pads that `op` adds itself; nothing when they depend on the input's size.
static std::optional<Pads> ownPads(ir::WindowOpInterface op) {
  ir::spec::WindowAttributes window = ir::spec::windowAttributes(op);
  if (window.padsToSame()) return std::nullopt;
  Pads pads = std::move(window.padsBegin);
  pads.append(window.padsEnd);
  return pads;
}

static bool isZero(ir::PadOp op) {
  return !op.getConstantValue() || isConstantOf(op.getConstantValue(), 0);
}

/// True for the pad value of MaxPool itself; any other one can be the maximum of infinite elements.
static bool isBelowAll(ir::PadOp op) {
  return isConstantOf(op.getConstantValue(), -std::numeric_limits<double>::infinity());
}

static LogicalResult accepts(ir::ConvOp op, ir::PadOp pad, const Pads&, const Pads&,
                             PatternRewriter& rewriter) {
  if (!isZero(pad)) return rewriter.notifyMatchFailure(op, "the pad value is not zero");
  return success();
}

/// Padded zeros count as elements of the window, so the pooling must count its own pads too.
static LogicalResult accepts(ir::AveragePoolOp op, ir::PadOp pad, const Pads& own, const Pads&,
                             PatternRewriter& rewriter) {
  if (!isZero(pad)) return rewriter.notifyMatchFailure(op, "the pad value is not zero");
  if (op.getCeilMode() != 0) return rewriter.notifyMatchFailure(op, "ceil_mode is set");
  const bool countsAll =
      op.getCountIncludePad() == 1 || llvm::all_of(own, [](int64_t pad) { return pad == 0; });
  if (!countsAll) return rewriter.notifyMatchFailure(op, "its own pads are not counted");
  return success();
}

static LogicalResult accepts(ir::MaxPoolOp op, ir::PadOp pad, const Pads&, const Pads& sum,
                             PatternRewriter& rewriter) {
  if (!isBelowAll(pad)) return rewriter.notifyMatchFailure(op, "the pad value can be the maximum");
  if (op.getCeilMode() != 0 || op.getIndices()) {
    return rewriter.notifyMatchFailure(op, "ceil_mode or indices are wanted");
  }
  const auto kernel = op.getKernelShape();
  for (auto [i, size] : llvm::enumerate(sum)) {
    if (size >= kernel[i % kernel.size()]) {
      return rewriter.notifyMatchFailure(op, "a window would hold nothing but padding");
    }
  }
  return success();
}

static void countPads(ir::AveragePoolOp op) { op.setCountIncludePad(1); }
static void countPads(ir::ConvOp) {}
static void countPads(ir::MaxPoolOp) {}

namespace {

template <typename Op>
struct FoldPad : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter& rewriter) const override {
    auto pad = op.getX().template getDefiningOp<ir::PadOp>();
    if (!pad) return rewriter.notifyMatchFailure(op, "reads no pad");
    const std::optional<Pads> added = spatialPads(pad);
    if (!added) return rewriter.notifyMatchFailure(op, "the pad is not a constant spatial one");
    const std::optional<Pads> own = ownPads(op);
    if (!own) return rewriter.notifyMatchFailure(op, "auto_pad depends on the input's size");
    Pads sum;
    for (auto [a, b] : llvm::zip_equal(*added, *own)) sum.push_back(a + b);
    if (failed(accepts(op, pad, *own, sum, rewriter))) return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(pad.getData());
      op.setPads(sum);
      op.setAutoPad(ir::AutoPad::NotSet);
      countPads(op);
      op->setLoc(fusedLocation({pad, op}));
    });
    return success();
  }
};

struct FoldPads : impl::FoldPadsPassBase<FoldPads> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldPad<ir::ConvOp>, FoldPad<ir::AveragePoolOp>, FoldPad<ir::MaxPoolOp>>(
        &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
