#include "compiler/lowering/contraction/conv_internal.h"

using namespace mlir;

namespace tessera::lowering {

PaddedPlane paddedPlane(const ConvShape& shape, ConvKind kind, int64_t lanes) {
  PaddedPlane plane;
  plane.pixelStride = kind == ConvKind::kPlainInput ? 1 : lanes;
  plane.numPlanes =
      kind == ConvKind::kPlainInput ? shape.inChannels : (shape.inChannels + lanes - 1) / lanes;
  // The last input row and column that any output reads.
  int64_t height = (shape.outHeight() - 1) * shape.strideHeight +
                   (shape.kernelHeight - 1) * shape.dilationHeight + 1;
  int64_t width = (shape.outWidth() - 1) * shape.strideWidth +
                  (shape.kernelWidth - 1) * shape.dilationWidth + 1;
  plane.isCopy =
      shape.padTop > 0 || shape.padLeft > 0 || height > shape.inHeight || width > shape.inWidth;
  plane.height = plane.isCopy ? height : shape.inHeight;
  plane.width = plane.isCopy ? width : shape.inWidth;
  return plane;
}

OpFoldResult batchSize(OpBuilder& b, Location loc, const ConvShape& shape, Value input) {
  if (!ShapedType::isDynamic(shape.batch)) return b.getIndexAttr(shape.batch);
  return b.createOrFold<memref::DimOp>(loc, input, 0);
}

// flat[offset, offset + count) = source values, or 0 when there is no source.
static void emitRun(OpBuilder& b, Location loc, Value target, Value offset, int64_t distance,
                    int64_t count, Value source, Value sourceOffset) {
  if (count <= 0) return;
  auto constant = [&](int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value).getResult();
  };
  Value zero = b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(0));
  Value first = b.create<arith::AddIOp>(loc, offset, constant(distance));
  auto loop = b.create<scf::ForOp>(loc, constant(0), constant(count), constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value value = zero;
  if (source)
    value = b.create<memref::LoadOp>(loc, source,
                                     b.create<arith::AddIOp>(loc, sourceOffset, i).getResult());
  b.create<memref::StoreOp>(loc, value, target, b.create<arith::AddIOp>(loc, first, i).getResult());
}

Value emitPaddedInput(OpBuilder& b, Location loc, const ConvShape& shape, const PaddedPlane& plane,
                      Value input) {
  if (!plane.isCopy) return input;
  OpFoldResult images = batchSize(b, loc, shape, input);
  auto constantImages = getConstantIntValue(images);
  auto type = MemRefType::get(
      {constantImages.value_or(ShapedType::kDynamic), plane.numPlanes, plane.planeStride()},
      b.getF32Type());
  SmallVector<Value> sizes;
  if (!constantImages) sizes.push_back(cast<Value>(images));
  Value copy = b.create<memref::AllocOp>(loc, type, sizes, b.getI64IntegerAttr(64));
  Value source = flattenMemRef(b, loc, input);
  Value target = flattenMemRef(b, loc, copy);

  auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  SmallVector<OpFoldResult> zeros(3, index(0)), ones(3, index(1));
  // Rows before planes: each thread copies about the rows that its tiles will read.
  auto forall = b.create<scf::ForallOp>(
      loc, zeros, ArrayRef<OpFoldResult>{images, index(plane.height), index(plane.numPlanes)}, ones,
      ValueRange(), std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  auto constant = [&](int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value).getResult();
  };
  auto times = [&](Value value, int64_t factor) {
    return b.create<arith::MulIOp>(loc, value, constant(factor)).getResult();
  };
  Value image = forall.getInductionVars()[0], row = forall.getInductionVars()[1];
  Value planeIndex =
      b.create<arith::AddIOp>(loc, times(image, plane.numPlanes), forall.getInductionVars()[2]);
  Value offset = b.create<arith::AddIOp>(loc, times(planeIndex, plane.planeStride()),
                                         times(row, plane.rowStride()));
  Value sourceRow = b.create<arith::SubIOp>(loc, row, constant(shape.padTop));
  // As unsigned numbers, rows above the image are huge.
  Value isInside =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, sourceRow, constant(shape.inHeight));
  auto choice = b.create<scf::IfOp>(loc, isInside, /*withElseRegion=*/true);
  int64_t pixels = std::min(shape.inWidth, plane.width - shape.padLeft);
  int64_t left = shape.padLeft * plane.pixelStride;
  int64_t middle = pixels * plane.pixelStride;
  b.setInsertionPointToStart(choice.thenBlock());
  Value sourceOffset = b.create<arith::AddIOp>(
      loc, times(planeIndex, shape.inHeight * shape.inWidth * plane.pixelStride),
      times(sourceRow, shape.inWidth * plane.pixelStride));
  emitRun(b, loc, target, offset, 0, left, nullptr, nullptr);
  emitRun(b, loc, target, offset, left, middle, source, sourceOffset);
  emitRun(b, loc, target, offset, left + middle, plane.rowStride() - left - middle, nullptr,
          nullptr);
  b.setInsertionPointToStart(choice.elseBlock());
  emitRun(b, loc, target, offset, 0, plane.rowStride(), nullptr, nullptr);
  b.setInsertionPointAfter(forall);
  return copy;
}

}  // namespace tessera::lowering
