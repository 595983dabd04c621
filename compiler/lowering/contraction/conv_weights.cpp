// Weights as emitConv reads them, of groups that are no whole blocks of channels.
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/index_builder.h"

using namespace mlir;

namespace tessera::lowering {

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

ConvShape joinGroups(const ConvShape& shape, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  ConvShape joined = shape;
  for (int64_t count = 1; count <= shape.groups; ++count) {
    joined.groups = shape.groups / count;
    if (shape.groups % count == 0 && count * in % lanes == 0 && count * out % lanes == 0) break;
  }
  return joined;
}

int64_t blockedWeightsSize(const ConvShape& shape, int64_t lanes) {
  return shape.groups * roundUp(shape.outChannels / shape.groups, lanes) *
         roundUp(shape.inChannels / shape.groups, lanes) * shape.kernelSize();
}

void emitBlockedWeights(OpBuilder& b, Location loc, const ConvShape& shape,
                        const ConvShape& joined, Value weights, Value target, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  const int64_t joinedIn = joined.inChannels / joined.groups,
                joinedOut = joined.outChannels / joined.groups;
  const int64_t inBlocks = (joinedIn + lanes - 1) / lanes,
                outBlocks = (joinedOut + lanes - 1) / lanes, taps = shape.kernelSize();
  IndexBuilder at(loc, b);
  const auto index = [&](int64_t value) { return OpFoldResult(at.getIndexAttr(value)); };
  // [group][output block][input block][tap][input lane]: a vector of output channels each.
  auto forall = at.create<scf::ForallOp>(
      ArrayRef{index(0), index(0), index(0)},
      ArrayRef{index(joined.groups * outBlocks), index(inBlocks), index(taps)},
      ArrayRef{index(1), index(1), index(1)}, ValueRange(), std::nullopt);
  at.setInsertionPoint(forall.getTerminator());
  const Index block = at.term(forall.getInductionVars()[0]),
              inBlock = at.term(forall.getInductionVars()[1]),
              tap = at.term(forall.getInductionVars()[2]);
  const Index row = ((block * inBlocks + inBlock) * taps + tap) * (lanes * lanes);
  const Index group = floorDiv(block, outBlocks);
  const Value zero = at.create<arith::ConstantOp>(at.getF32FloatAttr(0));
  auto inner = at.create<scf::ForOp>(at.index(0), at.index(lanes), at.index(1));
  at.setInsertionPointToStart(inner.getBody());
  auto innermost = at.create<scf::ForOp>(at.index(0), at.index(lanes), at.index(1));
  at.setInsertionPointToStart(innermost.getBody());
  const Value inLane = inner.getInductionVar(), outLane = innermost.getInductionVar();
  const Index inChannel = inBlock * lanes + inLane;
  const Index outChannel = block % at.index(outBlocks) * at.index(lanes) + outLane;
  // Channels of the model, moved inside where they are padding.
  const Condition isChannel = (inChannel < joinedIn) & (outChannel < joinedOut);
  const Index from = group * joinedIn + smaller(inChannel, joinedIn - 1);
  const Index to = group * joinedOut + smaller(outChannel, joinedOut - 1);
  const Condition isWeight = isChannel & (floorDiv(from, in) == floorDiv(to, out));
  const Index weightRow = shape.isTransposed ? from * out + to % at.index(out)
                                             : to * in + from % at.index(in);
  const Value weight = at.create<memref::LoadOp>(weights, Value(weightRow * taps + tap));
  const Index place = row + at.mul(inLane, lanes) + outLane;
  at.create<memref::StoreOp>(at.select(isWeight, weight, zero), target, Value(place));
}

}  // namespace tessera::lowering
