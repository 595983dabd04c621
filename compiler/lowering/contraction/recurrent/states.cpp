#include "compiler/lowering/contraction/recurrent/states.h"

#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

Index StateRows::offsetOf(IndexBuilder& b, Value direction, Value entry, Value block) const {
  return (b.term(direction) * batch + entry) * (blocks() * lanes) + b.mul(block, lanes);
}

Value StateRows::unitMask(IndexBuilder& b, Value block) const {
  const Index left = b.term(hidden) - b.mul(block, lanes);
  return lanesBelow(b, b.getLoc(), lanes, smaller(left, lanes));
}

namespace {

/// A block of units of an entry.
struct StateBlock {
  Value entry, block;
  Index at, given;  ///< Its offset, and that in ONNX's order.
};

}  // namespace

static void emitStateBlocks(IndexBuilder& b, const StateRows& rows,
                            llvm::function_ref<void(const StateBlock&)> body) {
  emitLoop(b, rows.directions, [&](Value direction) {
    emitLoop(b, rows.batch, [&](Value entry) {
      const Index row = rows.isBatchFirst ? b.term(entry) * rows.directions + direction
                                          : b.term(direction) * rows.batch + entry;
      emitLoop(b, rows.blocks(), [&](Value block) {
        body({.entry = entry,
              .block = block,
              .at = rows.offsetOf(b, direction, entry, block),
              .given = row * rows.hidden + b.mul(block, rows.lanes)});
      });
    });
  });
}

void readStates(IndexBuilder& b, const StateRows& rows, Value given, Value state,
                llvm::function_ref<Value(Value entry)> counts) {
  const auto vector = VectorType::get({rows.lanes}, b.getF32Type());
  emitStateBlocks(b, rows, [&](const StateBlock& part) {
    const Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
    Value value = zero;
    if (given) {
      value = loadMasked(b, b.getLoc(), given, Value(part.given), rows.lanes,
                         rows.unitMask(b, part.block), zero);
      if (const Value condition = counts(part.entry)) value = b.select(condition, value, zero);
    }
    storeLanes(b, b.getLoc(), value, state, part.at, rows.lanes);
  });
}

void writeStates(IndexBuilder& b, const StateRows& rows, Value state, Value offset, Value result) {
  emitStateBlocks(b, rows, [&](const StateBlock& part) {
    const Value value =
        loadLanes(b, b.getLoc(), state, b.add(offset, part.at), rows.lanes, rows.lanes);
    b.create<vector::MaskedStoreOp>(result, Value(part.given), rows.unitMask(b, part.block), value);
  });
}

}  // namespace tessera::lowering
