// A block of c hidden units and all of its gates are panels of one tile: what one step makes of
// them needs nothing of other blocks but the state before. States are kept twice, for even and odd
// steps. Where registers do not hold the sums of all gates and entries, those of a few gates are
// made for all entries while their weights are in the first-level cache, and kept until all gates
// of the block are there. Steps past the end of a sequence, up to that of the longest one, are
// computed as all others, and what they make is not taken: entries of one tile may end at different
// times. A batch whose size is known at run time only has its sums kept, of up to 48 entries at a
// time.
#include "compiler/lowering/contraction/recurrent/recurrent.h"

#include "compiler/lowering/contraction/matmul.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/recurrent/gate_sums.h"
#include "compiler/lowering/contraction/recurrent/states.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

// Multiply-adds of a step below which one thread makes all of them.
static constexpr int64_t kSmallStep = 32768;

namespace {

/// Gates [firstGate, firstGate + numGates) of a block in a step, and the state they are made of
/// ([N][padded], at an offset).
struct GatePass {
  Value direction, step, block;
  int64_t firstGate = 0, numGates = 1;
  Value source;
  Index sourceOffset;
};

/// Entries of a batch of open size, in pieces of equal size but for the last; rows of the tiles of
/// both passes.
struct OpenPieces {
  Value count, size, rowsOfFirst, rowsOfSecond;
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
        blocks_(shape.blocks(lanes_)) {}

  void run();

 private:
  // Of a GRU that resets early the candidate is made when its reset gate is known of all units.
  bool hasTwoPasses() const { return s_.cell == RecurrentCell::kGru && !s_.resetsLate; }
  int64_t firstGates() const { return hasTwoPasses() ? 2 : s_.gates(); }
  bool isBatchOpen() const { return ShapedType::isDynamic(s_.batch); }
  bool keepsInRegisters(int64_t gates) const {
    return !isBatchOpen() && fitsRegisters(cpu_, s_.batch, gates);
  }
  int64_t workOfEntry() const { return s_.hidden * s_.hidden * s_.gates(); }
  int64_t padded() const { return blocks_ * lanes_; }
  Index stateSize() { return b_.term(batch_) * (s_.directions * padded()); }
  int64_t inputColumns() const { return s_.directions * blocks_ * s_.gates() * lanes_; }
  VectorType vector() { return VectorType::get({lanes_}, b_.getF32Type()); }

  Value flat(Value buffer) { return buffer ? flattenMemRef(b_, b_.getLoc(), buffer) : Value(); }

  void allocateSums() {
    const int64_t entries = isBatchOpen() ? kEntriesOfOpenBatch : s_.batch;
    if (!keepsInRegisters(firstGates()))
      sums_ = allocateFloats(b_, entries * firstGates() * lanes_);
  }
  void releaseSums() {
    if (!keepsInRegisters(firstGates())) b_.create<memref::DeallocOp>(sums_);
  }
  void readSizes();
  void projectInputs();
  void clearPastEnds();
  void initState(Value given, Value state);
  void emitStepsByBatch();
  void emitDirections();
  void emitSteps(Value direction, bool isParallel);
  void emitDirection(Value direction, Value step, bool isParallel);
  void emitBlocks(bool isParallel, llvm::function_ref<void(Value block)> body);
  void emitBlocksOfTask(llvm::function_ref<void(Value block)> body);
  void emitPass(const GatePass& pass);
  void finishKept(const GatePass& pass, Index firstEntry, Value count);
  GateProduct productOf(const GatePass& pass, Index firstEntry);
  Element activate(size_t which, const Element& argument) {
    return activate_(knownDirection_, which, argument);
  }
  Element inputOf(const EntryPlace& at, int64_t gate);
  Element biasOf(const EntryPlace& at, int64_t which);
  std::pair<Element, Element> lstmStates(const EntryPlace& at, ArrayRef<Value> sums);
  Element gruState(const EntryPlace& at, ArrayRef<Value> sums, const Element& oldH);
  void finish(const GatePass& pass, Value entry, ArrayRef<Value> sums);

  StateRows states() const {
    return {.directions = s_.directions,
            .batch = batch_,
            .hidden = s_.hidden,
            .lanes = lanes_,
            .isBatchFirst = s_.isBatchFirst};
  }
  Index now(Value step) { return b_.term(step) % b_.index(2) * stateSize(); }
  Index next(Value step) { return (b_.term(step) + 1) % b_.index(2) * stateSize(); }
  Element loadBlock(Value buffer, Value offset) {
    return {b_, loadLanes(b_, b_.getLoc(), buffer, offset, lanes_, lanes_)};
  }
  void storeBlock(Value element, Value buffer, Value offset) {
    storeLanes(b_, b_.getLoc(), element, buffer, offset, lanes_);
  }
  Index timeOf(Value direction, Value step, Value length);
  // Null where all sequences are whole.
  Value lengthOf(Value entry) {
    if (!lengths_) return {};
    const Value length = b_.create<memref::LoadOp>(lengths_, entry);
    return b_.createOrFold<arith::IndexCastOp>(b_.getIndexType(), length);
  }

  IndexBuilder b_;
  RecurrentShape s_;  // While steps are emitted, with the batch that they are for.
  const RecurrentOperands& o_;
  const CpuTarget& cpu_;
  const RecurrentActivation& activate_;
  int64_t lanes_, blocks_;
  int64_t knownDirection_ = 0;
  Value r_, bias_, peepholes_, lengths_, y_;  // flat
  Value allSteps_, batch_;                    // sizes of x, the latter as s_ says
  Value steps_;                               // of the longest sequence
  OpenPieces pieces_;
  Value inputs_;          // [entry and time][D][blocks][gates][c]
  Value h_, c_;           // [2][D][N][blocks * c]; c_ once
  Value reset_, update_;  // GRU: [D][N][blocks * c]
  Value sums_;  // A thread's, of a block and all entries or a piece: [N][gates of a pass][c]
};

}  // namespace

void RecurrentEmitter::readSizes() {
  const auto sizeOf = [&](int64_t known, int64_t d) -> Value {
    if (!ShapedType::isDynamic(known)) return b_.index(known);
    return b_.createOrFold<memref::DimOp>(o_.x, d);
  };
  allSteps_ = sizeOf(s_.steps, s_.isBatchFirst ? 1 : 0);
  batch_ = sizeOf(s_.batch, s_.isBatchFirst ? 0 : 1);
  steps_ = o_.lengths ? o_.longest : allSteps_;
  if (!isBatchOpen()) return;
  const Index batch = b_.term(batch_);
  pieces_.count = larger(ceilDiv(batch, kEntriesOfOpenBatch), 1);
  pieces_.size = ceilDiv(batch, pieces_.count);
  const auto rowsFor = [&](int64_t gates) {
    return tileRowsOfOpenBatch(b_, pieces_.size, gates, padded(), cpu_);
  };
  pieces_.rowsOfFirst = rowsFor(firstGates());
  if (hasTwoPasses()) pieces_.rowsOfSecond = rowsFor(s_.gates() - firstGates());
}

// The part of the gates that inputs make, of all steps; of those that there are where they lie
// before the others.
void RecurrentEmitter::projectInputs() {
  const Value rows = b_.mul(s_.isBatchFirst ? allSteps_ : steps_, batch_);
  const std::optional<int64_t> known = getConstantIntValue(rows);
  MatmulShape product{
      .m = known.value_or(ShapedType::kDynamic), .n = inputColumns(), .k = s_.inputs};
  product.isBPacked = true;
  const SmallVector<Value> openRows(known ? 0 : 1, rows);
  inputs_ = allocateFloats(b_, b_.term(allSteps_) * batch_ * inputColumns());
  const auto output = MemRefType::get({product.m, product.n}, b_.getF32Type());
  const auto inputs = MemRefType::get({product.m, product.k}, b_.getF32Type());
  const MatmulOperands operands{
      .a = buildReshapedView(b_, b_.getLoc(), o_.x, inputs, openRows),
      .b = o_.w,
      .bias = {},
      .output = buildReshapedView(b_, b_.getLoc(), inputs_, output, openRows)};
  emitMatmul(b_, b_.getLoc(), product, operands, cpu_);
}

// In a sequence without steps states stay zeros.
void RecurrentEmitter::initState(Value given, Value state) {
  readStates(b_, states(), flat(given), state, [&](Value entry) {
    if (!lengths_ && !ShapedType::isDynamic(s_.steps)) return Value();
    return Value(b_.less(b_.index(0), lengths_ ? lengthOf(entry) : allSteps_));
  });
}

// The time that a direction is at in its step number `step`: backward from the end of the sequence,
// and through the times past its end after that.
Index RecurrentEmitter::timeOf(Value direction, Value step, Value length) {
  const Index forward = b_.term(step);
  Index backward = b_.term(length ? length : allSteps_) - 1 - step;
  if (length) backward = select(b_.less(step, length), backward, step);
  if (s_.directions == 1) return s_.isReversed ? backward : forward;
  return select(b_.equal(direction, 1), backward, forward);
}

void RecurrentEmitter::emitBlocks(bool isParallel, llvm::function_ref<void(Value)> body) {
  if (!isParallel) return emitLoop(b_, blocks_, body);
  const OpBuilder::InsertionGuard guard(b_);
  if (isBatchOpen()) return emitBlocksOfTask(body);
  scf::ForallOp forall = openForall(b_, {b_.getIndexAttr(blocks_)});
  allocateSums();
  body(forall.getInductionVars()[0]);
  releaseSums();
}

// Of an open batch: as many tasks as blocks, or one where a step is small.
void RecurrentEmitter::emitBlocksOfTask(llvm::function_ref<void(Value)> body) {
  const Condition isSmall = b_.less(b_.mul(batch_, workOfEntry()), kSmallStep);
  const Value blocks = b_.index(blocks_), one = b_.index(1);
  const Value count = b_.select(isSmall, blocks, one);
  scf::ForallOp forall = openForall(b_, {OpFoldResult(b_.select(isSmall, one, blocks))});
  const Index first = b_.term(forall.getInductionVars()[0]);
  allocateSums();
  emitLoop(b_, count, [&](Index number) { body(first + number); });
  releaseSums();
}

// Sums of all entries from the first one on.
GateProduct RecurrentEmitter::productOf(const GatePass& pass, Index firstEntry) {
  const Index panel = (b_.term(pass.direction) * blocks_ + pass.block) * s_.gates();
  return {.states = pass.source,
          .firstState = firstEntry * padded() + pass.sourceOffset,
          .rowStride = padded(),
          .panels = r_,
          .firstPanel = (panel + pass.firstGate) * (s_.hidden * lanes_),
          .hidden = s_.hidden,
          .numGates = pass.numGates};
}

// Of entries whose sums were kept.
void RecurrentEmitter::finishKept(const GatePass& pass, Index firstEntry, Value count) {
  emitLoop(b_, count, [&](Value entry) {
    SmallVector<Value> sums;
    for (int64_t gate = 0; gate < pass.numGates; ++gate)
      sums.push_back(loadBlock(sums_, (b_.term(entry) * pass.numGates + gate) * lanes_));
    finish(pass, firstEntry + entry, sums);
  });
}

// The recurrent parts of gates of a block, then what follows from them.
void RecurrentEmitter::emitPass(const GatePass& pass) {
  const int64_t gates = pass.numGates;
  const Index none = b_.term(0);
  if (keepsInRegisters(gates)) {
    const SmallVector<Value> sums = emitGateSums(b_, productOf(pass, none), s_.batch, cpu_);
    for (int64_t row = 0; row < s_.batch; ++row)
      finish(pass, b_.index(row), ArrayRef(sums).slice(row * gates, gates));
    return;
  }
  if (!isBatchOpen()) {
    keepGateSums(b_, productOf(pass, none), s_.batch, sums_, cpu_);
    return finishKept(pass, none, batch_);
  }
  emitLoop(b_, pieces_.count, [&](Index piece) {
    const Index first = piece * pieces_.size;
    const Index count = larger(smaller(b_.term(batch_) - first, pieces_.size), 0);
    const Value rows = pass.firstGate == 0 ? pieces_.rowsOfFirst : pieces_.rowsOfSecond;
    keepOpenGateSums(b_, productOf(pass, first), count, rows, sums_, cpu_);
    finishKept(pass, first, count);
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
    const Element weight(b_,
                         loadMasked(b_, b_.getLoc(), peepholes_, Value(from), lanes_, at.unitMask));
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
  const Index row = s_.isBatchFirst ? b_.term(entry) * allSteps_ + time : time * batch_ + entry;
  const Index blockNumber = b_.term(direction) * blocks_ + block;
  const EntryPlace at = {.direction = direction,
                         .block = blockNumber,
                         .state = states().offsetOf(b_, direction, entry, block),
                         .input = row * inputColumns() + blockNumber * (s_.gates() * lanes_),
                         .firstUnit = b_.term(block) * lanes_,
                         .unitMask = states().unitMask(b_, block)};
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
                                       : (time * s_.directions + direction) * batch_ + entry;
  const Index outAt = outRow * s_.hidden + at.firstUnit;
  const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector()));
  b_.create<vector::MaskedStoreOp>(y_, Value(outAt), at.unitMask, within(newH, zero));
}

void RecurrentEmitter::emitDirection(Value direction, Value step, bool isParallel) {
  const Index firstState = b_.term(direction) * batch_ * padded();
  GatePass pass{.direction = direction,
                .step = step,
                .block = {},
                .firstGate = 0,
                .numGates = firstGates(),
                .source = h_,
                .sourceOffset = now(step) + firstState};
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
  pass.sourceOffset = firstState;
  emitAll();
}

// y of the times behind the longest sequence, row of units by row.
void RecurrentEmitter::clearPastEnds() {
  const Value one = b_.index(1);
  const Value images = s_.isBatchFirst ? batch_ : one, inTime = s_.isBatchFirst ? one : batch_;
  const Index rows = b_.term(inTime) * s_.directions;
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall =
      openForall(b_, {OpFoldResult(images), OpFoldResult(b_.sub(allSteps_, steps_))});
  const Index time = b_.term(forall.getInductionVars()[1]) + steps_;
  const Index first = (b_.term(forall.getInductionVars()[0]) * allSteps_ + time) * rows;
  const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector()));
  const int64_t whole = s_.hidden / lanes_ * lanes_;
  emitLoop(b_, rows, [&](Index row) {
    const Index start = (first + row) * s_.hidden;
    const auto clear = [&](Index at, int64_t count) {
      storeLanes(b_, b_.getLoc(), zero, y_, at, count);
    };
    emitLoop(b_, b_.index(0), b_.index(whole), lanes_,
             [&](Index unit) { clear(start + unit, lanes_); });
    if (whole < s_.hidden) clear(start + whole, s_.hidden - whole);
  });
}

void RecurrentEmitter::emitSteps(Value direction, bool isParallel) {
  if (!isParallel) allocateSums();
  emitLoop(b_, steps_, [&](Value step) { emitDirection(direction, step, isParallel); });
  if (!isParallel) releaseSums();
}

void RecurrentEmitter::emitDirections() {
  if (s_.directions == 1)
    return emitSteps(b_.index(0), isBatchOpen() || s_.batch * workOfEntry() >= kSmallStep);
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, {b_.getIndexAttr(s_.directions)});
  const Value direction = forall.getInductionVars()[0];
  // Each has activations of its own.
  const auto emitNumber = [&](int64_t number) {
    knownDirection_ = number;
    emitSteps(b_.index(number), /*isParallel=*/false);
  };
  emitIf(b_, b_.equal(direction, 0), [&] { emitNumber(0); }, [&] { emitNumber(1); });
}

// An open batch is one entry most of the time, for which there is the code of a known one.
void RecurrentEmitter::emitStepsByBatch() {
  if (!isBatchOpen()) return emitDirections();
  const Value batch = batch_;
  const auto emitOfOne = [&] {
    s_.batch = 1;
    batch_ = b_.index(1);
    emitDirections();
  };
  const auto emitOfAny = [&] {
    s_.batch = ShapedType::kDynamic;
    batch_ = batch;
    emitDirections();
  };
  emitIf(b_, b_.equal(batch, 1), emitOfOne, emitOfAny);
}

void RecurrentEmitter::run() {
  lengths_ = flat(o_.lengths);
  readSizes();
  projectInputs();
  r_ = flat(o_.r);
  bias_ = flat(o_.bias);
  peepholes_ = flat(o_.peepholes);
  y_ = flat(o_.y);
  if (y_ && lengths_) clearPastEnds();
  h_ = allocateFloats(b_, stateSize() * 2);
  initState(o_.initialH, h_);
  if (s_.cell == RecurrentCell::kLstm) {
    c_ = allocateFloats(b_, stateSize());
    initState(o_.initialC, c_);
  }
  if (hasTwoPasses()) {
    reset_ = allocateFloats(b_, stateSize());
    update_ = allocateFloats(b_, stateSize());
  }
  emitStepsByBatch();
  // Where the last step left it.
  if (o_.lastH) writeStates(b_, states(), h_, now(steps_), flat(o_.lastH));
  if (o_.lastC) writeStates(b_, states(), c_, b_.index(0), flat(o_.lastC));
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
