// Reshape, squeeze, unsqueeze and flatten, and chains of them, become one reshape to the result's
// type. A size that only the run tells may not fit: what would refuse it stays, unless the types
// alone say that it fits, or a later count of the elements finds it.
#include "compiler/ir/infer/common.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_UNIFYRESHAPESPASS
#include "compiler/transforms/passes.h.inc"

/// True when the shape operand says no less than the one that createReshape makes.
static bool isUnified(ir::ReshapeOp op) {
  const auto shape = ir::constantInts(op.getShape());
  if (!shape) return false;
  const auto from = tensorType(op.getData()), to = tensorType(op.getReshaped());
  int numOpen = 0;
  for (auto [i, wanted] : llvm::enumerate(*shape)) {
    const auto dim = static_cast<int64_t>(i);
    if (!to.isDynamicDim(dim)) {
      if (wanted != to.getDimSize(dim)) return false;
      continue;
    }
    const bool isCopied = wanted == 0 && op.getAllowzero() == 0 && dim < from.getRank();
    if (!isCopied && (wanted != -1 || ++numOpen > 1)) return false;
  }
  return true;
}

/// What is left of two shapes when the dimensions that they share are taken out: the product of the
/// known sizes, and how many others there are. Zeros are known sizes.
struct Rest {
  int64_t product = 1;
  int numUnknown = 0;
};

static Rest restOf(const ir::Dims& dims, const ir::Dims& others) {
  Rest rest;
  llvm::SmallVector<bool> isTaken(others.size(), false);
  for (const ir::Dim& dim : dims) {
    if (dim.isStatic()) {
      rest.product = ir::saturatingProduct(rest.product, dim.size);
      continue;
    }
    bool isShared = false;
    for (auto [i, other] : llvm::enumerate(others)) {
      if (isShared || isTaken[i] || other.isStatic() || !ir::areEqual(dim, other)) continue;
      isShared = isTaken[i] = true;
    }
    if (!isShared) ++rest.numUnknown;
  }
  return rest;
}

/// True when the types alone say that the counts of elements are equal.
static bool haveEqualCounts(RankedTensorType from, RankedTensorType to) {
  const ir::Dims source = ir::dimsOf(from), target = ir::dimsOf(to);
  const Rest left = restOf(source, target), right = restOf(target, source);
  return left.numUnknown == 0 && right.numUnknown == 0 && left.product == right.product;
}

/// True when the constant shape leaves the size open that the type does.
static bool leavesOpenSize(ir::ReshapeOp op) {
  const auto shape = ir::constantInts(op.getShape());
  return shape && llvm::all_of(llvm::zip_equal(*shape, tensorType(op.getReshaped()).getShape()),
                               [](const auto& pair) {
                                 const auto [wanted, size] = pair;
                                 return !ShapedType::isDynamic(size) || wanted <= 0;
                               });
}

/// True when the squeezed dimensions are known to have size 1, or the count of the elements tells.
static bool squeezesOnes(ir::SqueezeOp op) {
  const RankedTensorType from = tensorType(op.getData());
  if (!op.getAxes()) return from.hasStaticShape();
  const auto axes = ir::spec::constantAxes(op.getAxes(), from.getRank());
  return tensorType(op.getSqueezed()).hasStaticShape() ||
         (axes && llvm::all_of(*axes, [&](int64_t axis) { return from.getDimSize(axis) == 1; }));
}

/// True when the operation refuses nothing that a reshape to its result type takes.
static bool refusesNothing(Operation* op) {
  if (auto squeeze = dyn_cast<ir::SqueezeOp>(op)) return squeezesOnes(squeeze);
  auto reshape = dyn_cast<ir::ReshapeOp>(op);
  if (!reshape) return true;
  const RankedTensorType from = tensorType(reshape.getData()), to = reshape.getType();
  return to.hasStaticShape() || haveEqualCounts(from, to) || leavesOpenSize(reshape);
}

/// True when a plain operation fits every input, or one that does not is found by the count of its
/// elements: whatever comes after it may look at its operand instead.
static bool canBeSkipped(Operation* op) {
  if (!refusesNothing(op)) return false;
  if (!isa<ir::ReshapeOp>(op)) return true;
  const RankedTensorType from = tensorType(op->getOperand(0)), to = tensorType(op->getResult(0));
  if (to.hasStaticShape() || haveEqualCounts(from, to)) return true;
  const Rest left = restOf(ir::dimsOf(from), ir::dimsOf(to));
  const Rest right = restOf(ir::dimsOf(to), ir::dimsOf(from));
  return right.product != 0 && left.product % right.product == 0;
}

namespace {

/// Operand 0 of an operation that keeps the order of elements, as a reshape.
struct WriteAsReshape : RewritePattern {
  explicit WriteAsReshape(MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const override {
    if (!isa<ir::ReshapeOp, ir::SqueezeOp, ir::UnsqueezeOp, ir::FlattenOp>(op)) return failure();
    if (!refusesNothing(op)) {
      return rewriter.notifyMatchFailure(op, "refuses sizes that a reshape would take");
    }
    llvm::SmallVector<Operation*> merged{op};
    Value source = op->getOperand(0);
    while (Operation* inner = source.getDefiningOp()) {
      if (!isa<ir::ReshapeOp, ir::SqueezeOp, ir::UnsqueezeOp, ir::FlattenOp>(inner)) break;
      if (!canBeSkipped(inner)) break;
      merged.insert(merged.begin(), inner);
      source = inner->getOperand(0);
    }
    auto reshape = dyn_cast<ir::ReshapeOp>(op);
    if (reshape && merged.size() == 1 && isUnified(reshape)) {
      return rewriter.notifyMatchFailure(op, "has its final form");
    }
    const Value unified =
        createReshape(rewriter, fusedLocation(merged), source, tensorType(op->getResult(0)));
    if (!unified) return rewriter.notifyMatchFailure(op, "more than one size is dynamic");
    rewriter.replaceOp(op, unified);
    return success();
  }
};

struct UnifyReshapes : impl::UnifyReshapesPassBase<UnifyReshapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<WriteAsReshape>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
