// Weights as emitConv reads them, of groups that are no whole blocks of channels.
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

bool readsPreparedWeights(ConvKind kind) {
  return kind == ConvKind::kBanded || kind == ConvKind::kShuffled;
}

int64_t preparedWeightsSize(const ConvShape& shape, ConvKind kind, int64_t lanes) {
  const int64_t outBlocks = llvm::divideCeilSigned(shape.outChannels, lanes);
  if (kind == ConvKind::kShuffled)
    return outBlocks * (shape.inChannels / shape.groups) * (1 + shape.kernelSize()) * lanes;
  return outBlocks * mostBandBlocks(shape, lanes) * shape.kernelSize() * lanes * lanes;
}

// [output block][number of an input channel in its group]: where the inputs of its lanes lie, as
// shuffleLanes reads it, and behind that [tap][lane].
static void emitShuffledWeights(OpBuilder& b, Location loc, const ConvShape& shape, Value weights,
                                Value target, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups,
                taps = shape.kernelSize(),
                outBlocks = llvm::divideCeilSigned(shape.outChannels, lanes);
  IndexBuilder at(loc, b);
  scf::ForallOp forall = openForall(at, {at.getIndexAttr(outBlocks), at.getIndexAttr(in)});
  const Index block = at.term(forall.getInductionVars()[0]),
              number = at.term(forall.getInductionVars()[1]);
  const Index row = (block * in + number) * ((1 + taps) * lanes);
  const Index first = firstShuffledBlock(at, shape, block, number, lanes) * lanes;
  const Value zero = at.create<arith::ConstantOp>(at.getF32FloatAttr(0));
  emitLoop(at, lanes, [&](Index lane) {
    const Index channel = block * lanes + lane, last = smaller(channel, shape.outChannels - 1);
    const Index from = floorDiv(last, out) * in + number - first;
    const Value bits = at.create<arith::IndexCastOp>(at.getI32Type(), from);
    at.create<memref::StoreOp>(at.create<arith::BitcastOp>(at.getF32Type(), bits), target,
                               Value(row + lane));
    emitLoop(at, taps, [&](Index tap) {
      const Value weight =
          at.create<memref::LoadOp>(weights, Value((last * in + number) * taps + tap));
      at.create<memref::StoreOp>(at.select(channel < shape.outChannels, weight, zero), target,
                                 Value(row + (tap + 1) * lanes + lane));
    });
  });
}

// The weight, or the mark of a channel of another group; a weight that looks like the mark is 0,
// which makes the same products but for the sign of their zeros.
static Value markUnless(IndexBuilder& at, const Condition& isWeight, Value weight) {
  const Value bits = at.create<arith::BitcastOp>(at.getI32Type(), weight),
              mark = at.create<arith::ConstantOp>(
                  at.getI32IntegerAttr(static_cast<int32_t>(kMarkedLane))),
              zero = at.create<arith::ConstantOp>(at.getI32IntegerAttr(0));
  const Value isMark = at.create<arith::CmpIOp>(arith::CmpIPredicate::eq, bits, mark);
  const Value chosen = at.select(isWeight, at.select(isMark, zero, bits), mark);
  return at.create<arith::BitcastOp>(at.getF32Type(), chosen);
}

static void emitBandedWeights(OpBuilder& b, Location loc, const ConvShape& shape, Value weights,
                              Value target, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups,
                inBlocks = mostBandBlocks(shape, lanes), taps = shape.kernelSize(),
                outBlocks = llvm::divideCeilSigned(shape.outChannels, lanes);
  IndexBuilder at(loc, b);
  // [output block][input block of its band][tap][input lane]: a vector of output channels each.
  scf::ForallOp forall = openForall(
      at, {at.getIndexAttr(outBlocks), at.getIndexAttr(inBlocks), at.getIndexAttr(taps)});
  const Index block = at.term(forall.getInductionVars()[0]),
              inBlock = at.term(forall.getInductionVars()[1]),
              tap = at.term(forall.getInductionVars()[2]);
  const Index row = ((block * inBlocks + inBlock) * taps + tap) * (lanes * lanes);
  const Index first = bandOf(at, shape, block, lanes).first;
  auto inner = at.create<scf::ForOp>(at.index(0), at.index(lanes), at.index(1));
  at.setInsertionPointToStart(inner.getBody());
  auto innermost = at.create<scf::ForOp>(at.index(0), at.index(lanes), at.index(1));
  at.setInsertionPointToStart(innermost.getBody());
  const Value inLane = inner.getInductionVar(), outLane = innermost.getInductionVar();
  // Channels that there are; padding is moved inside.
  const Index inChannel = (first + inBlock) * lanes + inLane, outChannel = block * lanes + outLane;
  const Condition isChannel = (inChannel < shape.inChannels) & (outChannel < shape.outChannels);
  const Index from = smaller(inChannel, shape.inChannels - 1),
              to = smaller(outChannel, shape.outChannels - 1);
  const Condition isWeight = isChannel & (floorDiv(from, in) == floorDiv(to, out));
  const Index weightRow =
      shape.isTransposed ? from * out + to % at.index(out) : to * in + from % at.index(in);
  const Value weight = at.create<memref::LoadOp>(weights, Value(weightRow * taps + tap));
  const Index place = row + at.mul(inLane, lanes) + outLane;
  at.create<memref::StoreOp>(markUnless(at, isWeight, weight), target, Value(place));
}

void emitPreparedWeights(OpBuilder& b, Location loc, const ConvShape& shape, ConvKind kind,
                         Value weights, Value target, int64_t lanes) {
  const auto emit = kind == ConvKind::kShuffled ? emitShuffledWeights : emitBandedWeights;
  emit(b, loc, shape, weights, target, lanes);
}

}  // namespace tessera::lowering
