// Weights as emitConv reads them, of groups that are no whole blocks of channels.
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/parallel.h"

using namespace mlir;

namespace tessera::lowering {

int64_t bandedWeightsSize(const ConvShape& shape, int64_t lanes) {
  const int64_t outBlocks = (shape.outChannels + lanes - 1) / lanes;
  return outBlocks * mostBandBlocks(shape, lanes) * shape.kernelSize() * lanes * lanes;
}

void emitBandedWeights(OpBuilder& b, Location loc, const ConvShape& shape, Value weights,
                       Value target, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups,
                inBlocks = mostBandBlocks(shape, lanes), taps = shape.kernelSize(),
                outBlocks = (shape.outChannels + lanes - 1) / lanes;
  IndexBuilder at(loc, b);
  // [output block][input block of its band][tap][input lane]: a vector of output channels each.
  scf::ForallOp forall = openForall(
      at, {at.getIndexAttr(outBlocks), at.getIndexAttr(inBlocks), at.getIndexAttr(taps)});
  const Index block = at.term(forall.getInductionVars()[0]),
              inBlock = at.term(forall.getInductionVars()[1]),
              tap = at.term(forall.getInductionVars()[2]);
  const Index row = ((block * inBlocks + inBlock) * taps + tap) * (lanes * lanes);
  const Index first = bandOf(at, shape, block, lanes).first;
  const Value zero = at.create<arith::ConstantOp>(at.getF32FloatAttr(0));
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
  at.create<memref::StoreOp>(at.select(isWeight, weight, zero), target, Value(place));
}

}  // namespace tessera::lowering
