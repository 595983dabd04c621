// gemm(a, b, c) is alpha * a' * b' + beta * c.
#include "compiler/ir/infer/common.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_EXPANDGEMMPASS
#include "compiler/transforms/passes.h.inc"

/// Of a matrix.
static Value transposed(PatternRewriter& rewriter, Location loc, Value matrix) {
  const RankedTensorType type = tensorType(matrix);
  const auto turned =
      RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return rewriter.create<ir::TransposeOp>(loc, turned, matrix,
                                          rewriter.getDenseI64ArrayAttr({1, 0}));
}

static Value scaled(PatternRewriter& rewriter, Location loc, Value value, float factor) {
  if (factor == 1) return value;
  const Value constant = createFloats(rewriter, loc, {}, std::array{factor});
  return rewriter.create<ir::MulOp>(loc, value.getType(), value, constant);
}

/// Known of the types.
static bool broadcastsTo(Value value, Value result) {
  const ir::Dims dims = ir::dimsOf(tensorType(value)), to = ir::dimsOf(tensorType(result));
  return dims.size() <= to.size() &&
         llvm::all_of(llvm::zip(llvm::reverse(dims), llvm::reverse(to)), [](const auto& pair) {
           const auto& [dim, result] = pair;
           return dim.is(1) || ir::areEqual(dim, result);
         });
}

namespace {

struct ExpandGemmOp : OpRewritePattern<ir::GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::GemmOp op, PatternRewriter& rewriter) const override {
    const float alpha = op.getAlpha().convertToFloat();
    const float beta = op.getBeta().convertToFloat();
    // As in BLAS, what is left out may hold anything, but has to fit.
    const bool addsC = op.getC() && beta != 0;
    const bool isScaled = alpha != 1 || (addsC && beta != 1);
    if (isScaled && !tensorType(op.getY()).getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "its factors are f32");
    if (op.getC() && !addsC && !broadcastsTo(op.getC(), op.getY()))
      return rewriter.notifyMatchFailure(op, "whether C fits is not known");
    const bool turns = op.getTransA() != 0 || op.getTransB() != 0;
    for (const Value matrix : {op.getA(), op.getB()}) {
      // Names of open dimensions would have to be carried over.
      if (turns && !tensorType(matrix).hasStaticShape())
        return rewriter.notifyMatchFailure(op, "a size is not known");
    }
    const Location loc = op.getLoc();
    const Value a = op.getTransA() != 0 ? transposed(rewriter, loc, op.getA()) : op.getA();
    const Value b = op.getTransB() != 0 ? transposed(rewriter, loc, op.getB()) : op.getB();
    Value product = rewriter.create<ir::MatmulOp>(loc, op.getType(), a, b);
    product = scaled(rewriter, loc, product, alpha);
    if (addsC)
      product = rewriter.create<ir::AddOp>(loc, op.getType(), product,
                                           scaled(rewriter, loc, op.getC(), beta));
    rewriter.replaceOp(op, product);
    return success();
  }
};

struct ExpandGemm : impl::ExpandGemmPassBase<ExpandGemm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandGemmOp>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
