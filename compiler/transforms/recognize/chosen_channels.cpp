// ShuffleNet v2 in the form that some exporters write: channels are split into parts and moved to
// the front by reshapes and transposes, and one part after the other is taken by its number. Each
// is a choice of channels of the image (Ma et al., "ShuffleNet V2", ECCV 2018, section 4).
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_RECOGNIZECHOSENCHANNELSPASS
#include "compiler/transforms/passes.h.inc"

namespace {

/// A dimension, or a part of one that a reshape joined of several: elements of the source lie
/// `stride` apart.
struct Digit {
  int64_t size, stride;
};
using Digits = llvm::SmallVector<Digit>;

/// A value whose elements are some of another one's, in other steps.
struct View {
  int64_t offset = 0;
  llvm::SmallVector<Digits> dims;  // The digits of each dimension, the slowest first.
};

}  // namespace

static View viewOf(RankedTensorType type) {
  View view;
  int64_t stride = 1;
  for (const int64_t size : llvm::reverse(type.getShape())) {
    view.dims.insert(view.dims.begin(), Digits{{.size = size, .stride = stride}});
    stride *= size;
  }
  return view;
}

/// All digits, those that follow each other in memory joined.
static Digits joined(ArrayRef<Digits> dims) {
  Digits all;
  for (const Digits& digits : dims) {
    for (const Digit digit : digits) {
      if (digit.size == 1) continue;
      if (!all.empty() && all.back().stride == digit.stride * digit.size)
        all.back() = {.size = all.back().size * digit.size, .stride = digit.stride};
      else
        all.push_back(digit);
    }
  }
  return all;
}

/// Nothing where sizes of the new shape cut digits.
static std::optional<View> throughReshape(const View& view, ArrayRef<int64_t> shape) {
  Digits rest = joined(view.dims);
  std::reverse(rest.begin(), rest.end());  // The slowest last.
  View result{.offset = view.offset, .dims = {}};
  for (int64_t left : shape) {
    Digits digits;
    while (left > 1) {
      if (rest.empty()) return std::nullopt;
      Digit& first = rest.back();
      if (left % first.size == 0) {
        digits.push_back(first);
        left /= first.size;
        rest.pop_back();
        continue;
      }
      if (first.size % left != 0) return std::nullopt;
      first.size /= left;
      digits.push_back({.size = left, .stride = first.stride * first.size});
      left = 1;
    }
    result.dims.push_back(std::move(digits));
  }
  return result;
}

/// Entry `index` of dimension `axis`, which goes.
static View throughGather(View view, int64_t axis, int64_t index) {
  for (const Digit digit : llvm::reverse(view.dims[axis])) {
    view.offset += index % digit.size * digit.stride;
    index /= digit.size;
  }
  view.dims.erase(view.dims.begin() + axis);
  return view;
}

static std::optional<View> through(Operation* op, const View& view) {
  if (auto gather = dyn_cast<ir::GatherOp>(op)) {
    const int64_t axis = gather.getAxisNormalized(),
                  size = tensorType(gather.getData()).getDimSize(axis);
    const int64_t index = (*ir::constantInts(gather.getIndices()))[0];
    if (!ir::spec::isAxis(index, size)) return std::nullopt;  // Indices count as axes do.
    return throughGather(view, axis, ir::spec::normalizedAxis(index, size));
  }
  if (auto transpose = dyn_cast<ir::TransposeOp>(op)) {
    llvm::SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, view.dims.size()));
    std::reverse(perm.begin(), perm.end());
    if (const auto given = transpose.getPerm()) perm.assign(given->begin(), given->end());
    View result{.offset = view.offset, .dims = {}};
    for (const int64_t axis : perm) result.dims.push_back(view.dims[axis]);
    return result;
  }
  return throughReshape(view, tensorType(op->getResult(0)).getShape());
}

/// The channel of `source` that each channel of `view` is; nothing where it is something else.
static std::optional<llvm::SmallVector<int64_t>> channelsOf(const View& view,
                                                            RankedTensorType source) {
  const auto isRun = [](const Digits& digits, int64_t size, int64_t stride) {
    if (size == 1) return digits.empty();
    return digits.size() == 1 && digits[0].size == size && digits[0].stride == stride;
  };
  const int64_t plane = ShapedType::getNumElements(source.getShape().drop_front(2));
  const ArrayRef<Digits> dims = view.dims;
  if (!isRun(joined(dims.take_front()), source.getDimSize(0), source.getDimSize(1) * plane) ||
      !isRun(joined(dims.drop_front(2)), plane, 1) || view.offset % plane != 0)
    return std::nullopt;
  llvm::SmallVector<int64_t> channels = {view.offset / plane};
  for (const Digit digit : dims[1]) {
    if (digit.stride % plane != 0) return std::nullopt;
    llvm::SmallVector<int64_t> more;
    for (const int64_t channel : channels)
      for (int64_t i = 0; i < digit.size; ++i) more.push_back(channel + i * digit.stride / plane);
    channels = std::move(more);
  }
  return channels;
}

/// Whether both are images that differ in their channels alone.
static bool haveEqualPlanes(RankedTensorType a, RankedTensorType b) {
  return a.getRank() >= 3 && a.getRank() == b.getRank() && a.getDimSize(0) == b.getDimSize(0) &&
         a.getShape().drop_front(2) == b.getShape().drop_front(2);
}

namespace {

struct GatherOfParts : OpRewritePattern<ir::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::GatherOp gather, PatternRewriter& rewriter) const override {
    const RankedTensorType result = tensorType(gather.getOutput());
    const auto index = ir::constantInts(gather.getIndices());
    if (!index || tensorType(gather.getIndices()).getRank() != 0 || !result.hasStaticShape() ||
        result.getNumElements() == 0)
      return rewriter.notifyMatchFailure(gather, "takes no entry that is known");
    llvm::SmallVector<Operation*> chain = {gather};
    while (true) {
      Operation* from = chain.back()->getOperand(0).getDefiningOp();
      if (!isa_and_present<ir::ReshapeOp, ir::TransposeOp>(from)) break;
      const RankedTensorType source = tensorType(from->getOperand(0));
      if (!source.hasStaticShape()) break;
      chain.push_back(from);
      if (!haveEqualPlanes(source, result)) continue;
      std::optional<View> view = viewOf(source);
      for (Operation* op : llvm::reverse(chain))
        if (view) view = through(op, *view);
      const auto channels = view ? channelsOf(*view, source) : std::nullopt;
      if (!channels) continue;
      replace(gather, from->getOperand(0), *channels, rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(gather, "its result is no choice of channels");
  }

 private:
  /// A Slice where channels follow each other.
  static void replace(ir::GatherOp gather, Value source, ArrayRef<int64_t> channels,
                      PatternRewriter& rewriter) {
    const auto ints = [&](ArrayRef<int64_t> values) {
      return ir::createIntsConstant(rewriter, gather.getLoc(), values);
    };
    const int64_t first = channels.front(), end = first + static_cast<int64_t>(channels.size());
    if (llvm::equal(channels, llvm::seq(first, end)))
      rewriter.replaceOpWithNewOp<ir::SliceOp>(gather, gather.getType(), source, ints(first),
                                               ints(end), ints(1), Value());
    else
      rewriter.replaceOpWithNewOp<ir::GatherOp>(gather, gather.getType(), source, ints(channels),
                                                rewriter.getI64IntegerAttr(1));
  }
};

struct RecognizeChosenChannels : impl::RecognizeChosenChannelsPassBase<RecognizeChosenChannels> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<GatherOfParts>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
