#include "backends/native/compiler/kernel/extreme_search.h"

#include "backends/native/compiler/kernel/pieces.h"
#include "compiler/lowering/extremes.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/opaque.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// Best elements so far and their positions, lane by lane.
struct Best {
  Value elements, positions;
};

/// The loops over a tensor as [outer, steps, inner], of which the steps are gone along.
class ExtremeSearch {
 public:
  ExtremeSearch(KernelBuilder& b, const ExtremeSought& sought, Value x, ValueRange sizes)
      : b_(b),
        sought_(sought),
        x_(x),
        outer_(sizes[0]),
        steps_(b.term(sizes[1])),
        inner_(b.term(sizes[2])),
        // As many vectors as registers hold with their positions, none waiting for another.
        chains_(b.vectorLanes() / 4),
        work_(2 * estimatedElements(x)) {
    const auto known = getConstantIntValue(sizes[1]);
    // Narrow positions where they suffice: as many in a vector as there are elements.
    const bool isShort = known && *known <= std::numeric_limits<int32_t>::max();
    position_ = isShort ? b.getI32Type() : b.getI64Type();
  }

  /// Positions as i64, [outer, inner].
  Value run() { return getConstantIntValue(Value(inner_)) == 1 ? alongLines() : sideBySide(); }

 private:
  VectorType vectorOf(Type element) const { return VectorType::get({kVector}, element); }
  /// `search(into)` without asking for NaN, whose last value is a vector with one in some lane if
  /// there is any; then the same again, asking, into what it found.
  Values searchTwice(ValueRange into, function_ref<Values(ValueRange)> search);
  Value read(Value tensor, ValueRange place, bool isWhole);
  Value write(Value vector, Value tensor, ValueRange place, bool isWhole);
  Value lanesFrom(Value first);
  Best start();
  Value moreExtreme(Value first, Value second);
  Best consider(const Best& best, const Best& candidates, Value counts = {});
  Best considerAll(Best best, ArrayRef<Best> candidates);
  Values noNans();
  Values withNansOf(ArrayRef<Best> candidates, ValueRange nans, Value counts = {});

  Value alongLines();
  Value uncounted(Value steps);
  SmallVector<Best> chainsOf(ValueRange state) const;
  Values considerChunks(Value line, Index first, int64_t count, ValueRange state);
  Values searchLine(Value line);
  Value bestOf(ArrayRef<Best> chains);

  Value sideBySide();
  int64_t pieceSize() const;
  Values considerPiece(ValueRange at, Index first, Index count, Value part);
  Values considerSteps(ValueRange at, Index first, Index count, Value step, int64_t numSteps,
                       ValueRange before);

  Values forVectors(Index count, ValueRange state,
                    function_ref<Values(Index, bool, ValueRange)> body);

  static constexpr int64_t kVector = 16;
  static constexpr int64_t kSteps = 8;  ///< Steps for each time that what is best so far is read.

  KernelBuilder& b_;
  const ExtremeSought& sought_;
  Value x_, outer_;
  Index steps_, inner_;
  int64_t chains_;  ///< Vectors that a line has.
  int64_t work_;
  Type position_;
  bool asksNan_ = true;  ///< Of the search that is emitted.
};

}  // namespace

Value ExtremeSought::start(KernelBuilder& b) const {
  const Type memory = kernelElement(element);
  return wantMax ? Element::lowest(b, memory, signedness())
                 : Element::highest(b, memory, signedness());
}

// Of floats, the predicates that hold for a NaN are one instruction as the others.
Condition ExtremeSought::beats(KernelBuilder& b, Value candidate, Value best, bool asksNan) const {
  const Element x = b.element(candidate, signedness()), y = b.element(best, signedness());
  if (!x.isFloat() || !asksNan) {
    if (selectLast) return wantMax ? x >= y : x <= y;
    return wantMax ? x > y : x < y;
  }
  if (selectLast) return (wantMax ? x >= y : x <= y) | isNan(x);
  const auto predicate = wantMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
  const Condition isBetter(b, b.create<arith::CmpFOp>(predicate, candidate, best));
  return isBetter & (y == y);  // NOLINT(misc-redundant-expression): only NaN differs from itself.
}

Value ExtremeSearch::read(Value tensor, ValueRange place, bool isWhole) {
  const VectorType type = vectorOf(elementOf(tensor));
  return b_.create<vector::TransferReadOp>(type, tensor, place, ArrayRef(isWhole));
}

Value ExtremeSearch::write(Value vector, Value tensor, ValueRange place, bool isWhole) {
  return b_.create<vector::TransferWriteOp>(vector, tensor, place, ArrayRef(isWhole)).getResult();
}

/// `first`, first + 1, ... as positions.
Value ExtremeSearch::lanesFrom(Value first) {
  const VectorType type = vectorOf(position_);
  SmallVector<APInt> lanes;
  for (int64_t lane = 0; lane < kVector; ++lane)
    lanes.emplace_back(position_.getIntOrFloatBitWidth(), lane);
  const Value base = b_.create<vector::BroadcastOp>(type, b_.fromIndex(first, position_));
  return b_.create<arith::AddIOp>(
      base, b_.create<arith::ConstantOp>(DenseElementsAttr::get(type, lanes)));
}

// Before the first element it is that one which is best where the first one of equals is sought:
// none may be beaten that is no better than the start. Else all are better than what is nowhere.
Best ExtremeSearch::start() {
  const Value start = sought_.start(b_);
  return {.elements = b_.create<vector::BroadcastOp>(vectorOf(start.getType()), start),
          .positions = b_.integer(vectorOf(position_), sought_.selectLast ? -1 : 0)};
}

// Wrong beside NaN, as all is that the first search finds then.
Value ExtremeSearch::moreExtreme(Value first, Value second) {
  using lowering::Extreme;
  return lowering::extremeOrSecond(
      b_, b_.getLoc(), sought_.wantMax ? Extreme::kMaximum : Extreme::kMinimum, first, second);
}

/// `candidates` lie behind what is best so far.
Best ExtremeSearch::consider(const Best& best, const Best& candidates, Value counts) {
  Condition wins = sought_.beats(b_, candidates.elements, best.elements, asksNan_);
  if (counts) wins = wins & counts;
  const Value positions = b_.select(wins, candidates.positions, best.positions);
  if (asksNan_ || counts)
    return {.elements = b_.select(wins, candidates.elements, best.elements),
            .positions = positions};
  // By the CPU's maximum, which waits for no comparison.
  return {.elements = moreExtreme(candidates.elements, best.elements), .positions = positions};
}

// Two vectors are asked at a time.
Values ExtremeSearch::withNansOf(ArrayRef<Best> candidates, ValueRange nans, Value counts) {
  if (nans.empty()) return {};
  Value gathered = nans[0];
  for (size_t i = 0; i < candidates.size(); i += 2) {
    const Value first = candidates[i].elements,
                second = candidates[std::min(i + 1, candidates.size() - 1)].elements;
    Condition isNan(b_, b_.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, first, second));
    if (counts) isNan = isNan & counts;
    gathered = lowering::withNan(b_, b_.getLoc(), isNan, gathered);
  }
  return {gathered};
}

Values ExtremeSearch::searchTwice(ValueRange into, function_ref<Values(ValueRange)> search) {
  if (!isa<FloatType>(sought_.element)) return search(into);
  asksNan_ = false;
  Values found = search(into);
  asksNan_ = true;
  const Condition isNan = lowering::isNan(b_.element(found.pop_back_val()));
  const Value anyNan = b_.create<vector::ReductionOp>(vector::CombiningKind::OR, isNan);
  return b_.choose(anyNan, [&] { return search(found); }, [&] { return found; });
}

// Lanes of no NaN, where somebody asks for them later.
Values ExtremeSearch::noNans() {
  if (asksNan_) return {};
  const Type memory = kernelElement(sought_.element);
  return {b_.create<vector::BroadcastOp>(vectorOf(memory), b_.scalar(memory, 0))};
}

// Two candidates are compared with each other first, which waits for nothing: as many comparisons,
// of which each second one has to follow the one before.
Best ExtremeSearch::considerAll(Best best, ArrayRef<Best> candidates) {
  for (; candidates.size() > 1; candidates = candidates.drop_front(2))
    best = consider(best, consider(candidates[0], candidates[1]));
  return candidates.empty() ? best : consider(best, candidates[0]);
}

// Lanes that had no element hold the start. Where that is the extreme, so is element 0, or the last
// one where the last of equals is sought: none of their positions comes before it.
Value ExtremeSearch::bestOf(ArrayRef<Best> chains) {
  const Signedness signedness = sought_.signedness();
  const bool isUnsigned = signedness == Signedness::kUnsigned;
  Element extremes = b_.element(chains[0].elements, signedness);
  for (const Best& chain : chains.drop_front()) {
    const Element others = b_.element(chain.elements, signedness);
    if (!asksNan_)
      extremes = b_.element(moreExtreme(others, extremes), signedness);
    else
      extremes = sought_.wantMax ? larger(extremes, others) : smaller(extremes, others);
  }
  using Kind = vector::CombiningKind;
  Kind kind = sought_.wantMax ? Kind::MAXIMUMF : Kind::MINIMUMF;
  if (!extremes.isFloat()) {
    kind = sought_.wantMax ? isUnsigned ? Kind::MAXUI : Kind::MAXSI
           : isUnsigned    ? Kind::MINUI
                           : Kind::MINSI;
  }
  // Poison beside NaN, too, which nobody sees: passes/expand_extremes leaves no flag to LLVM.
  const auto flags = asksNan_ ? arith::FastMathFlags::none : arith::FastMathFlags::nnan;
  const Value extreme = b_.create<vector::ReductionOp>(kind, extremes, flags);
  const Value same = b_.create<vector::BroadcastOp>(extremes.type(), extreme);
  const Type type = vectorOf(position_);
  const Value none = b_.create<vector::BroadcastOp>(
      type, sought_.selectLast ? Element::lowest(b_, position_, Signedness::kSigned)
                               : Element::highest(b_, position_, Signedness::kSigned));
  Element found = b_.element(none);
  for (const Best& chain : chains) {
    const Element elements = b_.element(chain.elements);
    Condition isExtreme = elements == b_.element(same);
    if (elements.isFloat() && asksNan_) isExtreme = isExtreme | isNan(elements);
    const Element candidates = b_.element(b_.select(isExtreme, chain.positions, none));
    found = sought_.selectLast ? larger(found, candidates) : smaller(found, candidates);
  }
  return b_.create<vector::ReductionOp>(sought_.selectLast ? Kind::MAXSI : Kind::MINSI, found);
}

// A number of steps that LLVM does not know: it would write out the loop and mix its reads, so that
// the processor does not foresee them.
Value ExtremeSearch::uncounted(Value steps) {
  const Value number = b_.create<arith::IndexCastOp>(b_.getI64Type(), steps);
  return b_.create<arith::IndexCastOp>(b_.getIndexType(), lowering::opaque(b_, number));
}

SmallVector<Best> ExtremeSearch::chainsOf(ValueRange state) const {
  SmallVector<Best> chains;
  for (int64_t i = 0; i < chains_; ++i)
    chains.push_back({.elements = state[2 * i], .positions = state[2 * i + 1]});
  return chains;
}

// `count` chunks from number `first` on.
Values ExtremeSearch::considerChunks(Value line, Index first, int64_t count, ValueRange state) {
  const int64_t chunk = chains_ * kVector;
  Values next, nans(state.drop_front(2 * chains_));
  for (auto [chain, best] : llvm::enumerate(chainsOf(state))) {
    SmallVector<Best> candidates;
    for (int64_t i = 0; i < count; ++i) {
      const Index at = (first + i) * chunk + static_cast<int64_t>(chain) * kVector;
      candidates.push_back({.elements = read(x_, {line, at}, /*isWhole=*/true),
                            .positions = b_.create<vector::BroadcastOp>(
                                vectorOf(position_), b_.fromIndex(first + i, position_))});
    }
    const Best now = considerAll(best, candidates);
    next.append({now.elements, now.positions});
    nans = withNansOf(candidates, nans);
  }
  next.append(nans);
  return next;
}

// While it goes along, a lane's position is the number of its vector. The position in the line, and
// lanes of NaN.
Values ExtremeSearch::searchLine(Value line) {
  const int64_t chunk = chains_ * kVector;
  const Index chunks = floorDiv(steps_, chunk);
  Values initial;
  for (int64_t chain = 0; chain < chains_; ++chain) {
    const Best best = start();
    initial.append({best.elements, best.positions});
  }
  initial.append(noNans());
  // As many chunks as registers hold beside the chains: two with AVX2, four with AVX-512.
  const int64_t together = chains_;
  const Index groups = b_.term(uncounted(Value(floorDiv(chunks, together))));
  const Values grouped = b_.forEach(Value(groups), initial, [&](ValueRange i, ValueRange state) {
    return considerChunks(line, b_.term(i[0]) * together, together, state);
  });
  const Values last =
      b_.forEach(Value(chunks - groups * together), grouped, [&](ValueRange i, ValueRange state) {
        return considerChunks(line, groups * together + i[0], 1, state);
      });
  SmallVector<Best> chains = chainsOf(last);
  for (auto [chain, best] : llvm::enumerate(chains)) {
    const Value width = b_.integer(vectorOf(position_), chunk);
    best.positions =
        b_.create<arith::AddIOp>(b_.create<arith::MulIOp>(best.positions, width),
                                 lanesFrom(b_.index(static_cast<int64_t>(chain) * kVector)));
  }
  const Index done = chunks * chunk;
  Values first = {chains[0].elements, chains[0].positions};
  llvm::append_range(first, ValueRange(last).drop_front(2 * chains_));
  const Values ended = b_.forEach(
      Value(ceilDiv(steps_ - done, kVector)), first, [&](ValueRange i, ValueRange state) -> Values {
        const Index at = done + b_.term(i[0]) * kVector;
        const Value counts = lowering::lanesBelow(b_, b_.getLoc(), kVector, Value(steps_ - at));
        const Best rest = {.elements = read(x_, {line, at}, /*isWhole=*/false),
                           .positions = lanesFrom(at)};
        const Best now = consider({.elements = state[0], .positions = state[1]}, rest, counts);
        Values next = {now.elements, now.positions};
        next.append(withNansOf(rest, state.drop_front(2), counts));
        return next;
      });
  chains[0] = {.elements = ended[0], .positions = ended[1]};
  Values found = {bestOf(chains)};
  llvm::append_range(found, ValueRange(ended).drop_front(2));
  return found;
}

Value ExtremeSearch::alongLines() {
  x_ = b_.reshape(x_, {outer_, steps_});
  const Value result = b_.empty(b_.getI64Type(), outer_);
  const auto places = [&](ValueRange line) {
    return SmallVector<Part>{{.offsets = {line[0]}, .sizes = {b_.index(1)}}};
  };
  return b_.forEachPart(outer_, result, work_, places, [&](ValueRange line, ValueRange parts) {
    return searchTwice(parts, [&](ValueRange into) {
      Values found = searchLine(line[0]);
      const Value position = convert(b_.element(found[0]), b_.getI64Type());
      found[0] = b_.create<tensor::InsertOp>(position, into[0], b_.index(0));
      return found;
    });
  })[0];
}

/// `body(position, whether all of a vector is there, state)` for vectors that cover `count`.
Values ExtremeSearch::forVectors(Index count, ValueRange state,
                                 function_ref<Values(Index, bool, ValueRange)> body) {
  const Index whole = floorDiv(count, kVector);
  const Values last = b_.forEach(Value(whole), state, [&](ValueRange i, ValueRange now) {
    return body(b_.term(i[0]) * kVector, /*isWhole=*/true, now);
  });
  const Index rest = ceilDiv(count, kVector) - whole;
  if (getConstantIntValue(Value(rest)) == 0) return last;
  return b_.forEach(Value(rest), last, [&](ValueRange, ValueRange now) {
    return body(whole * kVector, /*isWhole=*/false, now);
  });
}

/// What is best of a piece, in `before` with lanes of NaN, after `numSteps` more; none before them
/// where that is `step` 0.
Values ExtremeSearch::considerSteps(ValueRange at, Index first, Index count, Value step,
                                    int64_t numSteps, ValueRange before) {
  const bool isFirst = getConstantIntValue(step) == 0;
  Values steps, positions;
  for (int64_t i = 0; i < numSteps; ++i) {
    steps.push_back(b_.add(step, i));
    positions.push_back(
        b_.create<vector::BroadcastOp>(vectorOf(position_), b_.fromIndex(steps.back(), position_)));
  }
  return forVectors(count, before, [&](Index i, bool isWhole, ValueRange state) -> Values {
    Best best = isFirst ? start()
                        : Best{.elements = read(state[0], Value(i), /*isWhole=*/true),
                               .positions = read(state[1], Value(i), /*isWhole=*/true)};
    SmallVector<Best> candidates;
    for (auto [each, position] : llvm::zip_equal(steps, positions))
      candidates.push_back(
          {.elements = read(x_, {at[0], each, first + i}, isWhole), .positions = position});
    best = considerAll(best, candidates);
    Values next = {write(best.elements, state[0], Value(i), /*isWhole=*/true),
                   write(best.positions, state[1], Value(i), /*isWhole=*/true)};
    next.append(withNansOf(candidates, state.drop_front(2)));
    return next;
  });
}

// The first steps are so many that kSteps remain each time, where that is known. The part with the
// positions, and lanes of NaN.
Values ExtremeSearch::considerPiece(ValueRange at, Index first, Index count, Value part) {
  const auto known = getConstantIntValue(Value(steps_));
  const int64_t numFirst = known ? (*known + kSteps - 1) % kSteps + 1 : 1;
  const Index room = ceilDiv(count, kVector) * kVector;
  Values state = {b_.empty(typeOf(x_).getElementType(), Value(room)),
                  b_.empty(position_, Value(room))};
  state.append(noNans());
  state = considerSteps(at, first, count, b_.index(0), numFirst, state);
  const Index groups = floorDiv(steps_ - numFirst, kSteps);
  state = b_.forEach(Value(groups), state, [&](ValueRange i, ValueRange now) {
    const Index step = b_.term(i[0]) * kSteps + numFirst;
    return considerSteps(at, first, count, step, kSteps, now);
  });
  const Index done = groups * kSteps + numFirst;
  if (!known) {
    state = b_.forEach(Value(steps_ - done), state, [&](ValueRange i, ValueRange now) {
      return considerSteps(at, first, count, done + i[0], 1, now);
    });
  }
  Values found = forVectors(count, part, [&](Index i, bool isWhole, ValueRange now) -> Values {
    const Element positions = b_.element(read(state[1], Value(i), /*isWhole=*/true));
    return {write(convert(positions, b_.getI64Type()), now[0], {b_.index(0), i}, isWhole)};
  });
  llvm::append_range(found, ValueRange(state).drop_front(2));
  return found;
}

/// Neighbours of one task: as many as stay in the first-level cache, fewer where that leaves some
/// threads without any.
int64_t ExtremeSearch::pieceSize() const {
  constexpr int64_t kMost = 1024, kLeast = 64, kEnoughPieces = 8;
  const auto outer = getConstantIntValue(outer_), inner = getConstantIntValue(Value(inner_));
  if (!outer || !inner || *inner == 0) return kMost;
  const int64_t wanted = llvm::divideCeil(kEnoughPieces, std::max<int64_t>(*outer, 1));
  const int64_t share = llvm::alignTo(llvm::divideCeil(*inner, wanted), kVector);
  const int64_t most = std::clamp(share, kLeast, kMost);
  return llvm::alignTo(llvm::divideCeil(*inner, llvm::divideCeil(*inner, most)), kVector);
}

Value ExtremeSearch::sideBySide() {
  x_ = b_.reshape(x_, {outer_, steps_, inner_});
  const Pieces pieces{.extent = inner_, .size = pieceSize()};
  const auto places = [&](ValueRange at) {
    return SmallVector<Part>{{.offsets = {at[0], pieces.first(b_, at[1])},
                              .sizes = {b_.index(1), pieces.sizeOf(b_, at[1])}}};
  };
  const Value result = b_.empty(b_.getI64Type(), {outer_, inner_});
  const Values tasks = {outer_, pieces.count()};
  return b_.forEachPart(tasks, result, work_, places, [&](ValueRange at, ValueRange parts) {
    return searchTwice(parts, [&](ValueRange into) {
      return considerPiece(at, pieces.first(b_, at[1]), pieces.sizeOf(b_, at[1]), into[0]);
    });
  })[0];
}

Value positionsOfExtremes(KernelBuilder& b, const ExtremeSought& sought, Value x,
                          ValueRange sizes) {
  return ExtremeSearch(b, sought, x, sizes).run();
}

}  // namespace tessera::backend_native
