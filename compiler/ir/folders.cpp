// Folders: what an operator is known to be without looking at large data. Constants stay in the
// form that constantValue gives them; folding through reference/ is a pass of transforms.
#include "mlir/IR/PatternMatch.h"

#include "compiler/ir/infer/common.h"
#include "compiler/ir/spec/shape_range.h"

namespace tessera::ir {

/// `value` when it has the type of the only result, null otherwise.
static mlir::OpFoldResult ifSameType(mlir::Operation* op, mlir::Value value) {
  return value.getType() == op->getResult(0).getType() ? mlir::OpFoldResult(value)
                                                       : mlir::OpFoldResult();
}

/// An i64 constant of the type of the only result.
static mlir::OpFoldResult intsConstant(mlir::Operation* op, llvm::ArrayRef<int64_t> values) {
  const auto type = typeOf(op->getResult(0));
  auto owner = std::make_shared<const std::vector<int64_t>>(values.begin(), values.end());
  const auto bytes = std::as_bytes(std::span(*owner));
  if (!isPlain(type) || physicalSizeBytes(type) != static_cast<int64_t>(bytes.size())) return {};
  return constantValue(type, {.bytes = bytes, .owner = std::move(owner)});
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

mlir::OpFoldResult IdentityOp::fold(FoldAdaptor) { return ifSameType(*this, getInput()); }

mlir::OpFoldResult CastOp::fold(FoldAdaptor) { return ifSameType(*this, getInput()); }

mlir::OpFoldResult ShapeOp::fold(FoldAdaptor) {
  const mlir::RankedTensorType data = typeOf(getData());
  if (!data.hasStaticShape()) return {};
  const spec::SliceRange<int64_t> range = spec::shapeRange(*this);
  return intsConstant(*this, data.getShape().slice(range.start, range.length));
}

mlir::OpFoldResult SizeOp::fold(FoldAdaptor) {
  const int64_t size = staticProduct(dimsOf(typeOf(getData())));
  return size < 0 ? mlir::OpFoldResult() : intsConstant(*this, size);
}

mlir::OpFoldResult TransposeOp::fold(FoldAdaptor) {
  const mlir::RankedTensorType type = typeOf(getData());
  const bool isIdentity = getPerm() ? llvm::equal(*getPerm(), llvm::seq<int64_t>(0, type.getRank()))
                                    : type.getRank() < 2;
  return isIdentity ? ifSameType(*this, getData()) : mlir::OpFoldResult();
}

mlir::OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? ifSameType(*this, getInputs()[0]) : mlir::OpFoldResult();
}

mlir::OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  if (mlir::OpFoldResult same = ifSameType(*this, getInput())) return same;
  // A pair that ends where it began cancels.
  auto before = getInput().getDefiningOp<RelayoutOp>();
  return before ? ifSameType(*this, before.getInput()) : mlir::OpFoldResult();
}

namespace {

/// relayout(relayout(x)) is one relayout of x.
struct MergeRelayouts : mlir::OpRewritePattern<RelayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(RelayoutOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    auto before = op.getInput().getDefiningOp<RelayoutOp>();
    if (!before) return rewriter.notifyMatchFailure(op, "the operand is no relayout");
    const mlir::Location loc = rewriter.getFusedLoc({before.getLoc(), op.getLoc()});
    rewriter.replaceOp(op, rewriter.create<RelayoutOp>(loc, op.getType(), before.getInput()));
    return mlir::success();
  }
};

}  // namespace

void RelayoutOp::getCanonicalizationPatterns(mlir::RewritePatternSet& results,
                                             mlir::MLIRContext* context) {
  results.add<MergeRelayouts>(context);
}

}  // namespace tessera::ir
