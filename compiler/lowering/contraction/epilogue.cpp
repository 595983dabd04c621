#include "compiler/lowering/contraction/epilogue.h"

#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/lanes.h"

using namespace mlir;

namespace tessera::lowering {

Value loadLanes(const EpilogueContext& context, Value source, Value offset) {
  if (context.laneMask)
    return loadMasked(context.b, context.loc, source, offset, context.lanes, context.laneMask);
  return loadLanes(context.b, context.loc, source, offset, context.lanes, context.validLanes);
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
