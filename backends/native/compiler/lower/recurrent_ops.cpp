// lstm, gru and rnn of any sizes; the fast ones do not come here. One product for the inputs of all
// steps, then a loop over time. State is [batch, hidden]; gate g of hidden unit h is row g * hidden
// + h of the weights.
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/kernel/recurrent.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

/// From the recurrent weights, or the attribute where their shape does not tell.
static std::optional<int64_t> hiddenSizeOf(ir::RecurrentOpInterface op) {
  const auto weights = cast<RankedTensorType>(op->getOperand(2).getType());
  if (!weights.isDynamicDim(2)) return weights.getDimSize(2);
  return op.getHiddenSize();
}

std::optional<std::string> refuseRecurrent(Operation* op) {
  auto layer = cast<ir::RecurrentOpInterface>(op);
  if (!hiddenSizeOf(layer)) return "the hidden size is not known";
  if (auto attributes = ir::spec::recurrentAttributes(layer); !attributes)
    return std::move(attributes).error().message;
  return std::nullopt;
}

/// Part [index, ...] of a tensor without its first dimension.
static Value partOf(KernelBuilder& b, Value tensor, int64_t index) {
  if (!tensor) return {};
  const Values sizes = b.sizes(tensor);
  Values offsets(sizes.size(), b.index(0));
  offsets[0] = b.index(index);
  Values one = sizes;
  one[0] = b.index(1);
  return b.reshape(b.slice(tensor, offsets, one), ArrayRef(sizes).drop_front());
}

/// rows(x) * weights' + start: x is [..., k], weights [n, k], the result [..., n] like `start`.
static Value project(KernelBuilder& b, Value x, Value weights, Value start) {
  const int64_t outer = typeOf(x).getRank() - 1;
  const auto numLoops = static_cast<unsigned>(outer + 2);
  SmallVector<int64_t> from, to;
  for (int64_t i = 0; i < outer; ++i) {
    from.push_back(i);
    to.push_back(i);
  }
  from.push_back(outer + 1);
  to.push_back(outer);
  Kinds kinds = parallelLoops(numLoops);
  kinds.back() = utils::IteratorType::reduction;
  const AffineMap maps[] = {loopMap(b, numLoops, from), loopMap(b, numLoops, {outer, outer + 1}),
                            loopMap(b, numLoops, to)};
  return b.generic({x, weights}, maps, start, kinds,
                   [&](Elements v) { return v[2] + v[0] * v[1]; });
}

/// Biases of W and, for rows below `lastRow`, of R, spread over [outer..., rows].
static Value spreadBias(KernelBuilder& b, Value bias, ValueRange outer, int64_t rows,
                        int64_t lastRow, Type element) {
  Values sizes(outer);
  sizes.push_back(b.index(rows));
  if (!bias) return b.filled(b.scalar(element, 0), sizes);
  return b.compute(sizes, element, [&](ValueRange at) {
    const Index row = b.term(at.back());
    const Element own = b.load(bias, Value(row));
    const Element other = b.load(bias, Value(row + rows));
    return select(row < lastRow, own + other, own);
  });
}

namespace {

/// What one step of one direction reads.
struct Step {
  Direction direction;
  Value inputs;     ///< [steps, batch, rows]: W x and biases.
  Value weights;    ///< R, [rows, hidden]
  Value bias;       ///< [2 * rows] or null.
  Value peepholes;  ///< [3 * hidden] or null.
  Value time;       ///< index; null when sequences have lengths of their own.
  Value lengths;    ///< [batch] or null.
  Value count;      ///< index: this is step number `count`.
  bool isReversed = false;

  /// The time that batch entry `batch` is at, moved into the sequence.
  Value timeOf(KernelBuilder& b, Value batch) const {
    if (!lengths) return time;
    if (!isReversed) return count;
    const Index length = b.toIndex(b.load(lengths, batch));
    return larger(length - 1 - count, 0);
  }
  /// Whether the batch entry still has a step.
  Condition isValid(KernelBuilder& b, Value batch) const {
    return b.less(count, b.toIndex(b.load(lengths, batch)));
  }
};

/// The state before and after a step; c is null but for lstm.
struct State {
  Value h, c;
};

}  // namespace

/// W x + biases of gate g for the entry at [batch, unit].
static Element inputPart(KernelBuilder& b, const Step& step, int64_t gate, ValueRange at) {
  const Value row = b.add(at[1], gate * step.direction.hidden);
  return b.load(step.inputs, {step.timeOf(b, at[0]), at[0], row});
}

static Element hiddenPart(KernelBuilder& b, const Step& step, Value products, int64_t gate,
                          ValueRange at) {
  return b.load(products, {at[0], b.add(at[1], gate * step.direction.hidden)});
}

/// Each element of the state from its place, [batch, unit], and what it was; in the same memory.
static Value updateInPlace(KernelBuilder& b, Value state,
                           function_ref<Value(ValueRange, const Element&)> body) {
  return b.generic({}, identityMap(b, 2), state, parallelLoops(2), [&](Elements v) {
    const Value at[] = {b.create<linalg::IndexOp>(uint64_t{0}),
                        b.create<linalg::IndexOp>(uint64_t{1})};
    return body(at, v[0]);
  });
}

static State stepLstm(KernelBuilder& b, ir::LstmOp op, const Step& step, const State& old,
                      Value products) {
  const AffineMap identity = identityMap(b, 2);
  const Direction& direction = step.direction;
  // In place: v[0] is c, v[1] is h.
  const Values next = b.genericMany(
      {}, {identity, identity}, {old.c, old.h}, parallelLoops(2), [&](Elements v) -> Values {
        const Value at[] = {b.create<linalg::IndexOp>(uint64_t{0}),
                            b.create<linalg::IndexOp>(uint64_t{1})};
        const auto gate = [&](int64_t g) {
          return inputPart(b, step, g, at) + hiddenPart(b, step, products, g, at);
        };
        const auto peep = [&](const Element& argument, int64_t which, const Element& c) {
          if (!step.peepholes) return argument;
          const Value place = b.add(at[1], which * direction.hidden);
          return argument + b.load(step.peepholes, place) * c;
        };
        const Element input = direction.activate(0, peep(gate(0), 0, v[0]));
        const Element forget =
            op.getInputForget() ? 1 - input : direction.activate(0, peep(gate(2), 2, v[0]));
        const Element c = forget * v[0] + input * direction.activate(1, gate(3));
        const Element output = direction.activate(0, peep(gate(1), 1, c));
        const Element h = output * direction.activate(2, c);
        if (!step.lengths) return {c, h};
        const Condition isValid = step.isValid(b, at[0]);
        return {select(isValid, c, v[0]), select(isValid, h, v[1])};
      });
  return {.h = next[1], .c = next[0]};
}

static State stepRnn(KernelBuilder& b, const Step& step, const State& old, Value products) {
  const Value h = updateInPlace(b, old.h, [&](ValueRange at, const Element& before) {
    const Element sum = inputPart(b, step, 0, at) + hiddenPart(b, step, products, 0, at);
    const Element next = step.direction.activate(0, sum);
    return step.lengths ? select(step.isValid(b, at[0]), next, before) : next;
  });
  return {.h = h, .c = {}};
}

static State stepGru(KernelBuilder& b, ir::GruOp op, const Step& step, const State& old,
                     Value products) {
  const Type element = typeOf(old.h).getElementType();
  const int64_t hidden = step.direction.hidden;
  const Values sizes = b.sizes(old.h);
  const auto gate = [&](int64_t g, ValueRange at) {
    return step.direction.activate(
        0, inputPart(b, step, g, at) + hiddenPart(b, step, products, g, at));
  };
  Value recurrent;  // R_h (r * h), or null where the reset is applied to the product.
  if (op.getLinearBeforeReset() == 0) {
    const Value resetH =
        b.compute(sizes, element, [&](ValueRange at) { return gate(1, at) * b.load(old.h, at); });
    const Value weights = b.slice(step.weights, {b.index(2 * hidden), b.index(0)},
                                  {b.index(hidden), b.index(hidden)});
    recurrent = project(b, resetH, weights, b.filled(b.scalar(element, 0), sizes));
  }
  const Value h = updateInPlace(b, old.h, [&](ValueRange at, const Element& before) {
    Element part;
    if (recurrent) {
      part = b.load(recurrent, at);
    } else {
      part = hiddenPart(b, step, products, 2, at);
      if (step.bias) part = part + b.load(step.bias, b.add(at[1], 5 * hidden));
      part = gate(1, at) * part;
    }
    const Element candidate = step.direction.activate(1, inputPart(b, step, 2, at) + part);
    const Element update = gate(0, at);
    const Element kept = (1 - update) * candidate;
    const Element next = kept + update * before;
    return step.lengths ? select(step.isValid(b, at[0]), next, before) : next;
  });
  return {.h = h, .c = {}};
}

/// y[time, direction, batch, :] = h; entries whose sequence has ended stay as they are.
static Value storeStep(KernelBuilder& b, const Step& step, Value y, Value h, int64_t direction) {
  const Values sizes = b.sizes(h);
  if (!step.lengths) {
    const Value part = b.reshape(h, {b.index(1), b.index(1), sizes[0], sizes[1]});
    return b.insert(part, y, {step.time, b.index(direction), b.index(0), b.index(0)});
  }
  return b.forEach(sizes, y, [&](ValueRange at, ValueRange state) -> Values {
    const Value place[] = {step.timeOf(b, at[0]), b.index(direction), at[0], at[1]};
    const Value element = select(step.isValid(b, at[0]), b.load(h, at), b.load(state[0], place));
    return {b.create<tensor::InsertOp>(element, state[0], place)};
  })[0];
}

static State advance(KernelBuilder& b, Operation* op, const Step& step, const State& old) {
  const Value batch = b.size(old.h, 0);
  const Value start =
      b.filled(b.scalar(typeOf(old.h).getElementType(), 0), {batch, b.size(step.weights, 0)});
  const Value products = project(b, old.h, step.weights, start);
  if (auto lstm = dyn_cast<ir::LstmOp>(op)) return stepLstm(b, lstm, step, old, products);
  if (auto gru = dyn_cast<ir::GruOp>(op)) return stepGru(b, gru, step, old, products);
  return stepRnn(b, step, old, products);
}

namespace {

/// The tensors of the operator, time first.
struct Operands {
  Value x, w, r, bias, lengths, initialH, initialC, peepholes;
  Value steps, batch;
  int64_t rows = 0, hidden = 0;
  ir::spec::RecurrentAttributes attributes;
};

struct Outcome {
  Value y;
  SmallVector<State> last;  ///< One for each direction.
};

}  // namespace

static Outcome runDirections(KernelBuilder& b, Operation* op, const Operands& o) {
  const Type element = typeOf(o.x).getElementType();
  const bool resetsLate = isa<ir::GruOp>(op) && cast<ir::GruOp>(op).getLinearBeforeReset() != 0;
  const Value zero = b.scalar(element, 0);
  const std::optional<int64_t> numSteps = getConstantIntValue(o.steps);
  const bool alwaysRuns = !o.lengths && numSteps && *numSteps > 0;
  Outcome outcome;
  outcome.y =
      b.filled(zero, {o.steps, b.index(o.attributes.numDirections), o.batch, b.index(o.hidden)});
  for (int64_t d = 0; d < o.attributes.numDirections; ++d) {
    Step step{.direction = {.hidden = o.hidden,
                            .clip = o.attributes.clip,
                            .activations = SmallVector<ir::spec::ActivationCall>(
                                o.attributes.activationsOf(d))},
              .inputs = {},
              .weights = partOf(b, o.r, d),
              .bias = partOf(b, o.bias, d),
              .peepholes = partOf(b, o.peepholes, d),
              .time = {},
              .lengths = o.lengths,
              .count = {},
              .isReversed = d == 1 || o.attributes.isReversed};
    const int64_t lastRow = resetsLate ? 2 * o.hidden : o.rows;
    step.inputs = project(b, o.x, partOf(b, o.w, d),
                          spreadBias(b, step.bias, {o.steps, o.batch}, o.rows, lastRow, element));
    const auto initial = [&](Value given) {
      const Values sizes = {o.batch, b.index(o.hidden)};
      if (!given) return b.filled(zero, sizes);
      const Value state = b.withSizes(partOf(b, given, d), sizes, "the initial state");
      if (alwaysRuns) return state;
      // Zeros are what a sequence without steps ends in.
      return b.compute(sizes, element, [&](ValueRange at) {
        const Value steps = o.lengths ? Value(b.toIndex(b.load(o.lengths, at[0]))) : o.steps;
        return select(b.less(b.index(0), steps), b.load(state, at), 0);
      });
    };
    const bool hasCell = isa<ir::LstmOp>(op);
    Values state = {outcome.y, initial(o.initialH)};
    if (hasCell) state.push_back(initial(o.initialC));
    const Values last = b.forEach(o.steps, state, [&](ValueRange count, ValueRange now) -> Values {
      step.count = count[0];
      step.time = step.isReversed ? b.term(o.steps) - 1 - count[0] : b.term(count[0]);
      const State next = advance(b, op, step, {.h = now[1], .c = hasCell ? now[2] : Value()});
      Values results = {storeStep(b, step, now[0], next.h, d), next.h};
      if (hasCell) results.push_back(next.c);
      return results;
    });
    outcome.y = last[0];
    outcome.last.push_back({last[1], hasCell ? last[2] : Value()});
  }
  return outcome;
}

/// Last states of all directions as [directions, batch, hidden], or batch first.
static Value joinStates(KernelBuilder& b, const Operands& o, ArrayRef<State> states, bool isCell) {
  const Value hidden = b.index(o.hidden);
  Value joined =
      b.empty(typeOf(o.x).getElementType(), {b.index(o.attributes.numDirections), o.batch, hidden});
  for (auto [d, state] : llvm::enumerate(states)) {
    const Value part = b.reshape(isCell ? state.c : state.h, {b.index(1), o.batch, hidden});
    joined = b.insert(part, joined, {b.index(static_cast<int64_t>(d)), b.index(0), b.index(0)});
  }
  return o.attributes.isBatchFirst ? b.transpose(joined, {1, 0, 2}) : joined;
}

/// Sizes that operands share are required, and their types made to say them.
static void requireShapes(KernelBuilder& b, Operands& o) {
  const Value directions = b.index(o.attributes.numDirections), hidden = b.index(o.hidden),
              rows = b.index(o.rows);
  const auto require = [&](Value& tensor, ValueRange wanted, const char* name) {
    if (tensor) tensor = b.withSizes(tensor, wanted, name);
  };
  require(o.w, {directions, rows, b.size(o.x, 2)}, "the weights");
  require(o.r, {directions, rows, hidden}, "the recurrent weights");
  require(o.bias, {directions, b.index(2 * o.rows)}, "the bias");
  require(o.initialH, {directions, o.batch, hidden}, "the initial state");
  require(o.initialC, {directions, o.batch, hidden}, "the initial cell state");
  require(o.peepholes, {directions, b.index(3 * o.hidden)}, "the peepholes");
  require(o.lengths, o.batch, "the sequence lengths");
  if (o.lengths) requireElements(b, o.lengths, b.index(0), o.steps, "a sequence length");
}

/// Absent operands are null.
static Operands collectOperands(KernelBuilder& b, ir::RecurrentOpInterface op,
                                const RecurrentValues& values) {
  Operands o{.x = b.get(values.x),
             .w = b.get(values.w),
             .r = b.get(values.r),
             .bias = b.get(values.bias),
             .lengths = b.get(values.lengths),
             .initialH = b.get(values.initialH),
             .initialC = b.get(values.initialC),
             .peepholes = b.get(values.peepholes),
             .steps = {},
             .batch = {},
             .attributes = *ir::spec::recurrentAttributes(op)};
  const auto timeFirst = [&](Value tensor) {
    return tensor ? b.transpose(tensor, {1, 0, 2}) : tensor;
  };
  if (o.attributes.isBatchFirst) {
    o.x = timeFirst(o.x);
    o.initialH = timeFirst(o.initialH);
    o.initialC = timeFirst(o.initialC);
  }
  o.hidden = *hiddenSizeOf(op);
  o.rows = o.hidden * op.getNumGates();
  o.steps = b.size(o.x, 0);
  o.batch = b.size(o.x, 1);
  requireShapes(b, o);
  return o;
}

LogicalResult lowerRecurrent(KernelBuilder& b, Operation* op) {
  const RecurrentValues values = recurrentValues(op);
  const Operands o = collectOperands(b, cast<ir::RecurrentOpInterface>(op), values);
  const Outcome outcome = runDirections(b, op, o);
  if (values.y)
    b.set(values.y, o.attributes.isBatchFirst ? b.transpose(outcome.y, {2, 0, 1, 3}) : outcome.y);
  if (values.lastH) b.set(values.lastH, joinStates(b, o, outcome.last, /*isCell=*/false));
  if (values.lastC) b.set(values.lastC, joinStates(b, o, outcome.last, /*isCell=*/true));
  return success();
}

}  // namespace tessera::backend_native
