// A block of c hidden units and all of its gates are panels of one tile: what one step makes of
// them needs nothing of other blocks but the state before. States are kept twice, for even and odd
// steps. Where registers do not hold the sums of all gates and entries, those of a few gates are
// made for all entries while their weights are in the first-level cache, and kept until all gates
// of the block are there. Steps past the end of a sequence, up to that of the longest one, are
// computed as all others, and what they make is not taken: entries of one tile may end at different
// times.
#include "compiler/lowering/contraction/recurrent/recurrent.h"

#include "compiler/lowering/contraction/brgemm.h"
#include "compiler/lowering/contraction/matmul.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

// Multiply-adds of a step below which one thread makes all of them.
static constexpr int64_t kSmallStep = 32768;
// Entries of the batch whose sums stay in registers until what follows from them, at most: that is
// written out for each.
static constexpr int64_t kFewRows = 6;
// Sums that hide the latency of the multiply-add.
static constexpr int64_t kIndependentSums = 8;

// The register tile of many entries: of as many gates at once as can be.
static TileShape tileOfManyRows(const CpuTarget& cpu, int64_t gates, int64_t rowStrideBytes) {
  constexpr int64_t kCacheWays = 8;  // Of the first-level cache.
  TileShape widest{.rows = 1, .panels = 0};
  for (const TileShape candidate : candidateTiles(cpu, {})) {
    if (gates % candidate.panels == 0 && candidate.panels > widest.panels) widest = candidate;
  }
  if (rowStrideBytes % kConflictingStrideBytes == 0)
    widest.rows = std::min(widest.rows, kCacheWays);
  return widest;
}

namespace {

/// Gates [firstGate, firstGate + numGates) of a block in a step, and the state they are made of
/// ([N][padded], at an offset).
struct GatePass {
  Value direction, step, block;
  int64_t firstGate = 0, numGates = 1;
  Value source, sourceOffset;
};

/// One entry's block of units in a step.
struct EntryPlace {
  Value direction;
  Index block;         ///< Its number among those of all directions.
  Index state, input;  ///< Offsets in a state, and in what inputs make.
  Index firstUnit;
  Value unitMask;  ///< The lanes that are units.
};

class RecurrentEmitter {
 public:
  RecurrentEmitter(OpBuilder& b, Location loc, const RecurrentShape& shape,
                   const RecurrentOperands& operands, const CpuTarget& cpu,
                   const RecurrentActivation& activate)
      : b_(loc, b),
        s_(shape),
        o_(operands),
        cpu_(cpu),
        activate_(activate),
        lanes_(cpu.vectorLanes),
        blocks_(shape.blocks(lanes_)) {
    const TileShape largest = tileOfManyRows(cpu, /*gates=*/1, /*rowStrideBytes=*/1);
    mostSums_ = largest.rows * largest.panels;
  }

  void run();

 private:
  // Of a GRU that resets early the candidate is made when its reset gate is known of all units.
  bool hasTwoPasses() const { return s_.cell == RecurrentCell::kGru && !s_.resetsLate; }
  int64_t firstGates() const { return hasTwoPasses() ? 2 : s_.gates(); }
  bool keepsInRegisters(int64_t gates) const {
    return s_.batch <= kFewRows && s_.batch * gates <= mostSums_;
  }
  int64_t padded() const { return blocks_ * lanes_; }
  int64_t stateSize() const { return s_.directions * s_.batch * padded(); }
  int64_t inputColumns() const { return s_.directions * blocks_ * s_.gates() * lanes_; }
  VectorType vector() { return VectorType::get({lanes_}, b_.getF32Type()); }

  Value flat(Value buffer) { return buffer ? flattenMemRef(b_, b_.getLoc(), buffer) : Value(); }

  void allocateSums() {
    if (!keepsInRegisters(firstGates()))
      sums_ = allocateFloats(b_, s_.batch * firstGates() * lanes_);
  }
  void releaseSums() {
    if (!keepsInRegisters(firstGates())) b_.create<memref::DeallocOp>(sums_);
  }
  void projectInputs();
  void clearPastEnds();
  void initState(Value given, Value state);
  void storeState(Value state, Value offset, Value result);
  void emitDirection(Value direction, Value step, bool isParallel);
  void emitBlocks(bool isParallel, llvm::function_ref<void(Value block)> body);
  void emitPass(const GatePass& pass);
  SmallVector<Value> sumsOf(const GatePass& pass, Value gate, Value entry, TileShape tile);
  void keepSums(const GatePass& pass, TileShape tile);
  Element activate(size_t which, const Element& argument) {
    return activate_(knownDirection_, which, argument);
  }
  Element inputOf(const EntryPlace& at, int64_t gate);
  Element biasOf(const EntryPlace& at, int64_t which);
  std::pair<Element, Element> lstmStates(const EntryPlace& at, ArrayRef<Value> sums);
  Element gruState(const EntryPlace& at, ArrayRef<Value> sums, const Element& oldH);
  void finish(const GatePass& pass, Value entry, ArrayRef<Value> sums);

  // Offset of [direction][entry][block] in a state.
  Index stateOffset(Value direction, Value entry, Value block) {
    return (b_.term(direction) * s_.batch + entry) * padded() + b_.mul(block, lanes_);
  }
  Index now(Value step) { return b_.term(step) % b_.index(2) * b_.index(stateSize()); }
  Index next(Value step) { return (b_.term(step) + 1) % b_.index(2) * b_.index(stateSize()); }
  Element loadBlock(Value buffer, Value offset) {
    return {b_, loadLanes(b_, b_.getLoc(), buffer, offset, lanes_, lanes_)};
  }
  void storeBlock(Value element, Value buffer, Value offset) {
    storeLanes(b_, b_.getLoc(), element, buffer, offset, lanes_);
  }
  // The lanes of the block that are units.
  Value unitMask(Value block) {
    const Index left = b_.term(s_.hidden) - b_.mul(block, lanes_);
    return b_.create<vector::CreateMaskOp>(VectorType::get({lanes_}, b_.getI1Type()),
                                           Value(smaller(left, lanes_)));
  }
  Index timeOf(Value direction, Value step, Value length);
  // Null where all sequences are whole.
  Value lengthOf(Value entry) {
    if (!lengths_) return {};
    const Value length = b_.create<memref::LoadOp>(lengths_, entry);
    return b_.createOrFold<arith::IndexCastOp>(b_.getIndexType(), length);
  }

  IndexBuilder b_;
  const RecurrentShape& s_;
  const RecurrentOperands& o_;
  const CpuTarget& cpu_;
  const RecurrentActivation& activate_;
  int64_t lanes_, blocks_;
  int64_t mostSums_ = 0;  // That registers hold.
  int64_t knownDirection_ = 0;
  Value r_, bias_, peepholes_, lengths_, y_;  // flat
  Value steps_;                               // of the longest sequence
  Value inputs_;                              // [entry and time][D][blocks][gates][c]
  Value h_, c_;                               // [2][D][N][blocks * c]; c_ once
  Value reset_, update_;                      // GRU: [D][N][blocks * c]
  Value sums_;                                // A thread's, of a block: [N][gates of a pass][c]
};

}  // namespace

// The part of the gates that inputs make, of all steps; of those that there are where they lie
// before the others.
void RecurrentEmitter::projectInputs() {
  inputs_ = allocateFloats(b_, s_.steps * s_.batch * inputColumns());
  MatmulShape product{.m = s_.steps * s_.batch, .n = inputColumns(), .k = s_.inputs};
  product.isBPacked = true;
  SmallVector<Value> openRows;
  if (lengths_ && !s_.isBatchFirst) {
    product.m = ShapedType::kDynamic;
    openRows.push_back(b_.mul(steps_, s_.batch));
  }
  const auto output = MemRefType::get({product.m, product.n}, b_.getF32Type());
  const auto rows = MemRefType::get({product.m, product.k}, b_.getF32Type());
  const MatmulOperands operands{
      .a = buildReshapedView(b_, b_.getLoc(), o_.x, rows, openRows),
      .b = o_.w,
      .bias = {},
      .output = buildReshapedView(b_, b_.getLoc(), inputs_, output, openRows)};
  emitMatmul(b_, b_.getLoc(), product, operands, cpu_);
}

// state[D][N][padded] = given [D, N, H] (or [N, D, H]), or zeros: in a sequence without steps they
// stay.
void RecurrentEmitter::initState(Value given, Value state) {
  const Value source = flat(given);
  emitLoop(b_, s_.directions, [&](Value direction) {
    emitLoop(b_, s_.batch, [&](Value entry) {
      const Index row = s_.isBatchFirst ? b_.term(entry) * s_.directions + direction
                                        : b_.term(direction) * s_.batch + entry;
      emitLoop(b_, blocks_, [&](Value block) {
        const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector()));
        Value value = zero;
        if (source) {
          const Index from = row * s_.hidden + b_.mul(block, lanes_);
          value =
              b_.create<vector::MaskedLoadOp>(vector(), source, Value(from), unitMask(block), zero);
          if (lengths_) value = b_.select(b_.less(b_.index(0), lengthOf(entry)), value, zero);
        }
        storeBlock(value, state, stateOffset(direction, entry, block));
      });
    });
  });
}

void RecurrentEmitter::storeState(Value state, Value offset, Value result) {
  if (!result) return;
  const Value target = flat(result);
  emitLoop(b_, s_.directions, [&](Value direction) {
    emitLoop(b_, s_.batch, [&](Value entry) {
      const Index row = s_.isBatchFirst ? b_.term(entry) * s_.directions + direction
                                        : b_.term(direction) * s_.batch + entry;
      emitLoop(b_, blocks_, [&](Value block) {
        const Value value = loadBlock(state, b_.add(offset, stateOffset(direction, entry, block)));
        const Index to = row * s_.hidden + b_.mul(block, lanes_);
        b_.create<vector::MaskedStoreOp>(target, Value(to), unitMask(block), value);
      });
    });
  });
}

// The time that a direction is at in its step number `step`: backward from the end of the sequence,
// and through the times past its end after that.
Index RecurrentEmitter::timeOf(Value direction, Value step, Value length) {
  const Index forward = b_.term(step);
  Index backward = (length ? b_.term(length) - 1 : b_.term(s_.steps - 1)) - step;
  if (length) backward = select(b_.less(step, length), backward, step);
  if (s_.directions == 1) return s_.isReversed ? backward : forward;
  return select(b_.equal(direction, 1), backward, forward);
}

void RecurrentEmitter::emitBlocks(bool isParallel, llvm::function_ref<void(Value)> body) {
  if (!isParallel) return emitLoop(b_, blocks_, body);
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, {b_.getIndexAttr(blocks_)});
  allocateSums();
  body(forall.getInductionVars()[0]);
  releaseSums();
}

// Sums of a tile of entries from `entry` and gates from `gate` of the pass on.
SmallVector<Value> RecurrentEmitter::sumsOf(const GatePass& pass, Value gate, Value entry,
                                            TileShape shape) {
  const int64_t panelSize = s_.hidden * lanes_, numSums = shape.rows * shape.panels;
  const Index panel =
      (b_.term(pass.direction) * blocks_ + pass.block) * s_.gates() + pass.firstGate + gate;
  BrgemmTile tile{.a = pass.source,
                  .b = r_,
                  .panels = shape.panels,
                  .panelStride = panelSize,
                  .lanes = lanes_,
                  .loops = {{.extent = s_.hidden, .aStride = 1, .bStride = lanes_}}};
  tile.aOffset = b_.term(entry) * padded() + pass.sourceOffset;
  tile.bOffset = panel * panelSize;
  for (int64_t row = 0; row < shape.rows; ++row) tile.rowOffsets.push_back(row * padded());
  tile.unroll = numSums <= kIndependentSums ? 8 : 4;
  const int64_t wanted = (kIndependentSums + numSums - 1) / numSums;
  tile.partialSums = std::clamp<int64_t>(mostSums_ / numSums, 1, std::min<int64_t>(wanted, 4));
  const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector()));
  return emitBrgemm(b_, b_.getLoc(), tile, SmallVector<Value>(numSums, zero));
}

// sums_ = those of all entries and gates of the pass.
void RecurrentEmitter::keepSums(const GatePass& pass, TileShape tile) {
  const EvenSplit split = splitEvenly(s_.batch, tile.rows);
  const auto keepTile = [&](Value gate, Value entry, int64_t rows) {
    const SmallVector<Value> sums =
        sumsOf(pass, gate, entry, {.rows = rows, .panels = tile.panels});
    for (auto [i, sum] : llvm::enumerate(sums)) {
      const auto row = static_cast<int64_t>(i) / tile.panels,
                 panel = static_cast<int64_t>(i) % tile.panels;
      const Index at = ((b_.term(entry) + row) * pass.numGates + gate + panel) * lanes_;
      storeBlock(sum, sums_, at);
    }
  };
  emitLoop(b_, pass.numGates / tile.panels, [&](Value group) {
    const Value gate = b_.mul(group, tile.panels);
    emitLoop(b_, split.numLarge,
             [&](Value number) { keepTile(gate, b_.mul(number, split.large), split.large); });
    if (split.numSmall == 0) return;
    emitLoop(b_, split.numSmall, [&](Value number) {
      const Index first = b_.term(number) * (split.large - 1) + split.numLarge * split.large;
      keepTile(gate, first, split.large - 1);
    });
  });
}

// The recurrent parts of gates of a block, then what follows from them.
void RecurrentEmitter::emitPass(const GatePass& pass) {
  const int64_t gates = pass.numGates;
  if (keepsInRegisters(gates)) {
    const SmallVector<Value> sums =
        sumsOf(pass, b_.index(0), b_.index(0), {.rows = s_.batch, .panels = gates});
    for (int64_t row = 0; row < s_.batch; ++row)
      finish(pass, b_.index(row), ArrayRef(sums).slice(row * gates, gates));
    return;
  }
  keepSums(pass, tileOfManyRows(cpu_, gates, padded() * int64_t{sizeof(float)}));
  emitLoop(b_, s_.batch, [&](Value entry) {
    SmallVector<Value> sums;
    for (int64_t gate = 0; gate < gates; ++gate)
      sums.push_back(loadBlock(sums_, (b_.term(entry) * gates + gate) * lanes_));
    finish(pass, entry, sums);
  });
}

// The part of a gate that its input and bias make.
Element RecurrentEmitter::inputOf(const EntryPlace& at, int64_t gate) {
  const Element part = loadBlock(inputs_, at.input + gate * lanes_);
  return bias_ ? part + biasOf(at, gate) : part;
}

Element RecurrentEmitter::biasOf(const EntryPlace& at, int64_t which) {
  return loadBlock(bias_, at.block * (s_.biases() * lanes_) + which * lanes_);
}

// h and c of an LSTM from the recurrent parts of its gates, which are i, o, f and the candidate.
std::pair<Element, Element> RecurrentEmitter::lstmStates(const EntryPlace& at,
                                                         ArrayRef<Value> sums) {
  const auto gate = [&](int64_t number) { return inputOf(at, number) + Element(b_, sums[number]); };
  const auto peep = [&](const Element& argument, int64_t which, const Element& c) {
    if (!peepholes_) return argument;
    const Index from = (b_.term(at.direction) * 3 + which) * s_.hidden + at.firstUnit;
    const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector()));
    const Element weight(
        b_, b_.create<vector::MaskedLoadOp>(vector(), peepholes_, Value(from), at.unitMask, zero));
    return argument + weight * c;
  };
  const Element oldC = loadBlock(c_, at.state);
  const Element in = activate(0, peep(gate(0), 0, oldC));
  const Element forget = s_.couplesForget ? 1 - in : activate(0, peep(gate(2), 2, oldC));
  const Element newC = forget * oldC + in * activate(1, gate(3));
  const Element out = activate(0, peep(gate(1), 1, newC));
  return {out * activate(2, newC), newC};
}

// h of a GRU, whose gates are z, r and the candidate: with all three sums where it resets late,
// else with that of the candidate, when z is known.
Element RecurrentEmitter::gruState(const EntryPlace& at, ArrayRef<Value> sums,
                                   const Element& oldH) {
  Element candidate, update;
  if (s_.resetsLate) {
    update = activate(0, inputOf(at, 0) + Element(b_, sums[0]));
    const Element reset = activate(0, inputOf(at, 1) + Element(b_, sums[1]));
    Element part(b_, sums[2]);
    if (bias_) part = part + biasOf(at, 3);
    candidate = activate(1, inputOf(at, 2) + reset * part);
  } else {
    update = loadBlock(update_, at.state);
    candidate = activate(1, inputOf(at, 2) + Element(b_, sums[0]));
  }
  const Element kept = (1 - update) * candidate;
  return kept + update * oldH;
}

// What follows for one entry's block of units from the recurrent parts of its gates.
void RecurrentEmitter::finish(const GatePass& pass, Value entry, ArrayRef<Value> sums) {
  const Value direction = pass.direction, step = pass.step, block = pass.block;
  const Value length = lengthOf(entry);
  const Condition isInside = length ? b_.less(step, length) : Condition();
  const auto within = [&](Value inside, Value past) {
    return length ? b_.select(isInside, inside, past) : inside;
  };
  const Index time = timeOf(direction, step, length);
  const Index row = s_.isBatchFirst ? b_.term(entry) * s_.steps + time : time * s_.batch + entry;
  const Index blockNumber = b_.term(direction) * blocks_ + block;
  const EntryPlace at = {.direction = direction,
                         .block = blockNumber,
                         .state = stateOffset(direction, entry, block),
                         .input = row * inputColumns() + blockNumber * (s_.gates() * lanes_),
                         .firstUnit = b_.term(block) * lanes_,
                         .unitMask = unitMask(block)};
  const Element oldH = loadBlock(h_, now(step) + at.state);
  Element newH;
  if (s_.cell == RecurrentCell::kRnn) {
    newH = activate(0, inputOf(at, 0) + Element(b_, sums[0]));
  } else if (s_.cell == RecurrentCell::kLstm) {
    const auto [h, c] = lstmStates(at, sums);
    newH = h;
    storeBlock(within(c, loadBlock(c_, at.state)), c_, at.state);
  } else if (!s_.resetsLate && pass.firstGate == 0) {
    // z and r; the product of the candidate needs the latter.
    storeBlock(activate(0, inputOf(at, 0) + Element(b_, sums[0])), update_, at.state);
    const Element reset = activate(0, inputOf(at, 1) + Element(b_, sums[1]));
    storeBlock(reset * oldH, reset_, at.state);
    return;
  } else {
    newH = gruState(at, sums, oldH);
  }
  storeBlock(within(newH, oldH), h_, next(step) + at.state);
  if (!y_) return;
  // [T, D, N, H] or [N, T, D, H].
  const Index outRow = s_.isBatchFirst ? row * s_.directions + direction
                                       : (time * s_.directions + direction) * s_.batch + entry;
  const Index outAt = outRow * s_.hidden + at.firstUnit;
  const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector()));
  b_.create<vector::MaskedStoreOp>(y_, Value(outAt), at.unitMask, within(newH, zero));
}

void RecurrentEmitter::emitDirection(Value direction, Value step, bool isParallel) {
  GatePass pass{.direction = direction,
                .step = step,
                .block = {},
                .firstGate = 0,
                .numGates = firstGates(),
                .source = h_,
                .sourceOffset = now(step) + b_.mul(direction, s_.batch * padded())};
  const auto emitAll = [&] {
    emitBlocks(isParallel, [&](Value block) {
      pass.block = block;
      emitPass(pass);
    });
  };
  emitAll();
  if (!hasTwoPasses()) return;
  pass.firstGate = firstGates();
  pass.numGates = s_.gates() - firstGates();
  pass.source = reset_;
  pass.sourceOffset = b_.mul(direction, s_.batch * padded());
  emitAll();
}

// y of the times behind the longest sequence.
void RecurrentEmitter::clearPastEnds() {
  const int64_t rowSize = s_.directions * s_.hidden * (s_.isBatchFirst ? 1 : s_.batch);
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, {b_.getIndexAttr(s_.isBatchFirst ? s_.batch : 1),
                                         OpFoldResult(b_.sub(b_.index(s_.steps), steps_))});
  const Index time = b_.term(forall.getInductionVars()[1]) + steps_;
  const Index row = (b_.term(forall.getInductionVars()[0]) * s_.steps + time) * rowSize;
  const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector()));
  const int64_t whole = rowSize / lanes_ * lanes_;
  emitLoop(b_, b_.index(0), b_.index(whole), lanes_,
           [&](Index at) { storeLanes(b_, b_.getLoc(), zero, y_, row + at, lanes_); });
  if (whole < rowSize) storeLanes(b_, b_.getLoc(), zero, y_, row + whole, rowSize - whole);
}

void RecurrentEmitter::run() {
  lengths_ = flat(o_.lengths);
  steps_ = lengths_ ? o_.longest : b_.index(s_.steps);
  projectInputs();
  r_ = flat(o_.r);
  bias_ = flat(o_.bias);
  peepholes_ = flat(o_.peepholes);
  y_ = flat(o_.y);
  if (y_ && lengths_) clearPastEnds();
  h_ = allocateFloats(b_, 2 * stateSize());
  initState(o_.initialH, h_);
  if (s_.cell == RecurrentCell::kLstm) {
    c_ = allocateFloats(b_, stateSize());
    initState(o_.initialC, c_);
  }
  if (hasTwoPasses()) {
    reset_ = allocateFloats(b_, stateSize());
    update_ = allocateFloats(b_, stateSize());
  }
  const auto emitSteps = [&](Value direction, bool isParallel) {
    if (!isParallel) allocateSums();
    emitLoop(b_, steps_, [&](Value step) { emitDirection(direction, step, isParallel); });
    if (!isParallel) releaseSums();
  };
  if (s_.directions == 1) {
    const int64_t work = s_.batch * s_.hidden * s_.hidden * s_.gates();
    emitSteps(b_.index(0), work >= kSmallStep);
  } else {
    const OpBuilder::InsertionGuard guard(b_);
    scf::ForallOp forall = openForall(b_, {b_.getIndexAttr(s_.directions)});
    const Value direction = forall.getInductionVars()[0];
    // Each has activations of its own.
    auto choice = b_.create<scf::IfOp>(Value(b_.equal(direction, 0)), /*withElseRegion=*/true);
    b_.setInsertionPointToStart(choice.thenBlock());
    knownDirection_ = 0;
    emitSteps(b_.index(0), /*isParallel=*/false);
    b_.setInsertionPointToStart(choice.elseBlock());
    knownDirection_ = 1;
    emitSteps(b_.index(1), /*isParallel=*/false);
  }
  // Where the last step left it.
  storeState(h_, now(steps_), o_.lastH);
  if (c_) storeState(c_, b_.index(0), o_.lastC);
  for (const Value buffer : {inputs_, h_, c_, reset_, update_}) {
    if (buffer) b_.create<memref::DeallocOp>(buffer);
  }
}

void emitRecurrent(OpBuilder& b, Location loc, const RecurrentShape& shape,
                   const RecurrentOperands& operands, const CpuTarget& cpu,
                   const RecurrentActivation& activate) {
  RecurrentEmitter(b, loc, shape, operands, cpu, activate).run();
}

}  // namespace tessera::lowering
