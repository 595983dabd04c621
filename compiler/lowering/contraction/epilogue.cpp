#include "compiler/lowering/contraction/epilogue.h"

#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/lanes.h"

using namespace mlir;

namespace tessera::lowering {

Value loadLanes(OpBuilder& b, Location loc, Value source, Value offset, int64_t lanes,
                int64_t validLanes) {
  auto vector = VectorType::get({lanes}, cast<MemRefType>(source.getType()).getElementType());
  if (validLanes == lanes) return b.create<vector::LoadOp>(loc, vector, source, offset);
  const Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
  return b.create<vector::MaskedLoadOp>(loc, vector, source, offset,
                                        lanesBelow(b, loc, lanes, validLanes), zero);
}

Value loadLanes(const EpilogueContext& context, Value source, Value offset) {
  if (!context.laneMask)
    return loadLanes(context.b, context.loc, source, offset, context.lanes, context.validLanes);
  auto vector =
      VectorType::get({context.lanes}, cast<MemRefType>(source.getType()).getElementType());
  const Value zero =
      context.b.create<arith::ConstantOp>(context.loc, context.b.getZeroAttr(vector));
  return context.b.create<vector::MaskedLoadOp>(context.loc, vector, source, offset,
                                                context.laneMask, zero);
}

void storeLanes(OpBuilder& b, Location loc, Value vector, Value target, Value offset,
                int64_t validLanes) {
  const int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  if (validLanes == lanes) {
    b.create<vector::StoreOp>(loc, vector, target, offset);
  } else {
    b.create<vector::MaskedStoreOp>(loc, target, offset, lanesBelow(b, loc, lanes, validLanes),
                                    vector);
  }
}

void storeResult(const EpilogueContext& context, const Epilogue& epilogue, Value target,
                 bool isStreamed) {
  const Value result = epilogue ? epilogue(context) : context.accumulator;
  if (context.laneMask)
    context.b.create<vector::MaskedStoreOp>(context.loc, target, context.outputOffset,
                                            context.laneMask, result);
  else if (isStreamed)
    context.b.create<vector::StoreOp>(context.loc, result, target, ValueRange{context.outputOffset},
                                      /*nontemporal=*/true);
  else
    storeLanes(context.b, context.loc, result, target, context.outputOffset, context.validLanes);
}

Value loadSameShape(const EpilogueContext& context, Value buffer) {
  const Value flat = flattenMemRef(context.b, context.loc, buffer);
  return loadLanes(context, flat, context.outputOffset);
}

Value loadPerChannel(const EpilogueContext& context, Value buffer) {
  const Value flat = flattenMemRef(context.b, context.loc, buffer);
  return loadLanes(context, flat, context.channelOffset);
}

Value flattenMemRef(OpBuilder& b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1 && type.getLayout().isIdentity()) return buffer;
  if (type.hasStaticShape()) {
    return buildReshapedView(b, loc, buffer,
                             MemRefType::get({type.getNumElements()}, type.getElementType()), {});
  }
  Value size = b.create<arith::ConstantIndexOp>(loc, 1);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    size = b.createOrFold<arith::MulIOp>(loc, size, b.createOrFold<memref::DimOp>(loc, buffer, i));
  }
  return buildReshapedView(b, loc, buffer,
                           MemRefType::get({ShapedType::kDynamic}, type.getElementType()), size);
}

}  // namespace tessera::lowering
