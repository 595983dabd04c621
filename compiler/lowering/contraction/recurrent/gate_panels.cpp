#include "compiler/lowering/contraction/recurrent/gate_panels.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

int64_t gatePanelsSize(const RecurrentShape& shape, int64_t rowSize, int64_t lanes) {
  return shape.directions * shape.blocks(lanes) * shape.gates() * rowSize * lanes;
}

int64_t gateBiasSize(const RecurrentShape& shape, int64_t lanes) {
  return shape.directions * shape.blocks(lanes) * shape.biases() * lanes;
}

void emitGatePanels(OpBuilder& b, Location loc, const RecurrentShape& shape, int64_t rowSize,
                    Value weights, Value target, int64_t lanes) {
  IndexBuilder builder(loc, b);
  const OpBuilder::InsertionGuard guard(builder);
  const int64_t blocks = shape.blocks(lanes), gates = shape.gates();
  scf::ForallOp forall =
      openForall(builder, {builder.getIndexAttr(shape.directions), builder.getIndexAttr(blocks),
                           builder.getIndexAttr(gates)});
  const Index direction = builder.term(forall.getInductionVars()[0]),
              block = builder.term(forall.getInductionVars()[1]),
              gate = builder.term(forall.getInductionVars()[2]);
  const Index firstUnit = block * lanes;
  const Index to = ((direction * blocks + block) * gates + gate) * (rowSize * lanes);
  const Index gateRow = (direction * gates + gate) * shape.hidden;
  const Value zero = builder.create<arith::ConstantOp>(builder.getF32FloatAttr(0));
  emitLoop(builder, rowSize, [&](Value column) {
    emitLoop(builder, lanes, [&](Value lane) {
      const Index unit = firstUnit + lane;
      const Condition isUnit = unit < shape.hidden;
      const Index row = gateRow + smaller(unit, shape.hidden - 1);
      const Value value = builder.create<memref::LoadOp>(weights, Value(row * rowSize + column));
      const Index at = to + builder.mul(column, lanes) + lane;
      builder.create<memref::StoreOp>(builder.select(isUnit, value, zero), target, Value(at));
    });
  });
}

void emitGateBias(OpBuilder& b, Location loc, const RecurrentShape& shape, Value bias, Value target,
                  int64_t lanes) {
  IndexBuilder builder(loc, b);
  const int64_t blocks = shape.blocks(lanes), gates = shape.gates(), rows = gates * shape.hidden;
  const Value zero = builder.create<arith::ConstantOp>(builder.getF32FloatAttr(0));
  emitLoop(builder, shape.directions, [&](Value direction) {
    emitLoop(builder, blocks * lanes, [&](Value unit) {
      const Condition isUnit = builder.less(unit, shape.hidden);
      const Index inside = smaller(builder.term(unit), shape.hidden - 1);
      const auto half = [&](int64_t which, int64_t gate) -> Value {
        const Index at = builder.term(direction) * (2 * rows) + which * rows + gate * shape.hidden;
        return builder.create<memref::LoadOp>(bias, Value(at + inside));
      };
      const auto store = [&](int64_t which, Value value) {
        const Index block = builder.term(direction) * blocks + builder.floorDiv(unit, lanes);
        const Index at = (block * shape.biases() + which) * lanes + builder.rem(unit, lanes);
        builder.create<memref::StoreOp>(builder.select(isUnit, value, zero), target, Value(at));
      };
      for (int64_t gate = 0; gate < gates; ++gate) {
        const bool isSplit = shape.cell == RecurrentCell::kGru && gate == 2 && shape.resetsLate;
        const Value own = half(0, gate), other = half(1, gate);
        store(gate, isSplit ? own : Value(builder.create<arith::AddFOp>(own, other)));
        if (gate == 2 && shape.cell == RecurrentCell::kGru) store(3, isSplit ? other : zero);
      }
    });
  });
}

}  // namespace tessera::lowering
