// What MLIR's pass of this purpose does, but for a few numbers that each serve a short line of
// results (1 / sum of softmax): fused, they would be divided or rooted one by one, which takes as
// long as it does for a vector of them.
#include "compiler/lowering/passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct FuseElementwise : impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override;
};

}  // namespace

// Results of one line, along which a division beside them does not count.
static constexpr int64_t kLongLine = 256;
// Numbers that are worth a loop of their own: a vector.
static constexpr int64_t kLeastNumbers = 16;

static bool takesLong(Operation& op) { return isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op); }

// Whether `operand` is one number for each of many short lines of `consumer`'s results.
static bool servesShortLines(linalg::LinalgOp consumer, OpOperand& operand) {
  const AffineMap map = consumer.getMatchingIndexingMap(&operand);
  int64_t line = 1, numbers = 1;
  for (auto [loop, extent] : llvm::enumerate(consumer.getStaticLoopRanges())) {
    const bool isOpen = ShapedType::isDynamic(extent);
    if (map.isFunctionOfDim(static_cast<unsigned>(loop))) {
      numbers = std::min(kLeastNumbers, isOpen ? kLeastNumbers : numbers * extent);
    } else {
      if (isOpen || extent >= kLongLine) return false;
      line *= extent;
    }
  }
  return line > 1 && line < kLongLine && numbers == kLeastNumbers;
}

static bool mayFuse(OpOperand* operand) {
  Operation* producer = operand->get().getDefiningOp();
  if (!producer || !producer->hasOneUse()) return false;
  auto numbers = dyn_cast<linalg::GenericOp>(producer);
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return !numbers || !consumer || !llvm::any_of(*numbers.getBlock(), takesLong) ||
         !servesShortLines(consumer, *operand);
}

void FuseElementwise::runOnOperation() {
  MLIRContext* context = &getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, mayFuse);
  linalg::populateConstantFoldLinalgOperations(patterns, mayFuse);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  context->getLoadedDialect<linalg::LinalgDialect>()->getCanonicalizationPatterns(patterns);
  GreedyRewriteConfig config;
  config.useTopDownTraversal = true;
  (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config);
}

}  // namespace tessera::lowering
