#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

PaddedPlane unpaddedPlane(const ConvShape& shape, ConvKind kind, int64_t lanes) {
  const bool isPlain = kind == ConvKind::kPlainInput;
  return {
      .isCopy = false,
      .height = shape.inHeight,
      .width = shape.inWidth,
      .pixelStride = isPlain ? 1 : lanes,
      .numPlanes = isPlain ? shape.inChannels : llvm::divideCeilSigned(shape.inChannels, lanes)};
}

PaddedPlane paddedPlane(const ConvShape& shape, ConvKind kind, int64_t lanes) {
  PaddedPlane plane = unpaddedPlane(shape, kind, lanes);
  // The last input row and column that any output reads.
  const auto [depths, rows, columns] = spatialAxesOf(shape);
  const int64_t height = rows.reach(rows.out), width = columns.reach(columns.out);
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

// target[first, first + count) = source values, or 0 when there is no source.
static void emitRun(IndexBuilder& b, Value target, Index first, int64_t count, Value source,
                    Value sourceOffset) {
  if (count <= 0) return;
  const Value zero = b.create<arith::ConstantOp>(b.getF32FloatAttr(0));
  auto loop = b.create<scf::ForOp>(b.index(0), b.index(count), b.index(1));
  const OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  const Value i = loop.getInductionVar();
  Value value = zero;
  if (source) value = b.create<memref::LoadOp>(source, b.add(sourceOffset, i));
  b.create<memref::StoreOp>(value, target, Value(first + i));
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
  const Value source = flattenMemRef(b, loc, input);
  const Value target = flattenMemRef(b, loc, copy);

  auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  const SmallVector<OpFoldResult> zeros(3, index(0)), ones(3, index(1));
  // Rows before planes: each thread copies about the rows that its tiles will read.
  auto forall = b.create<scf::ForallOp>(
      loc, zeros, ArrayRef<OpFoldResult>{images, index(plane.height), index(plane.numPlanes)}, ones,
      ValueRange(), std::nullopt);
  IndexBuilder at(loc, OpBuilder(forall.getTerminator()));
  const Index image = at.term(forall.getInductionVars()[0]);
  const Index row = at.term(forall.getInductionVars()[1]);
  const Index planeIndex = image * plane.numPlanes + forall.getInductionVars()[2];
  const Index offset = planeIndex * plane.planeStride() + row * plane.rowStride();
  const Index sourceRow = row - shape.padTop;
  const int64_t pixels = std::min(shape.inWidth, plane.width - shape.padLeft);
  const int64_t left = shape.padLeft * plane.pixelStride;
  const int64_t middle = pixels * plane.pixelStride;
  const auto copyRow = [&] {
    const Index sourceOffset = planeIndex * (shape.inHeight * shape.inWidth * plane.pixelStride) +
                               sourceRow * (shape.inWidth * plane.pixelStride);
    emitRun(at, target, offset, left, nullptr, nullptr);
    emitRun(at, target, offset + left, middle, source, sourceOffset);
    emitRun(at, target, offset + (left + middle), plane.rowStride() - left - middle, nullptr,
            nullptr);
  };
  emitIf(at, at.isInside(sourceRow, at.index(shape.inHeight)), copyRow,
         [&] { emitRun(at, target, offset, plane.rowStride(), nullptr, nullptr); });
  return copy;
}

}  // namespace tessera::lowering
