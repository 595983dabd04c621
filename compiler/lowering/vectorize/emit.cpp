// Parallel loops are outermost, then come the vectors (or squares), in strips: as many whole ones
// as there are, then one whose last lanes do not count. Reductions are innermost, so that what they
// sum up stays in registers. What an operand has to give does not wait for the innermost loop: it
// is read where the last loop that moves it begins.
#include "compiler/lowering/vectorize/emit.h"

#include "compiler/lowering/transpose_square.h"
#include "compiler/lowering/vectorize/body.h"
#include "compiler/lowering/vectorize/combine.h"
#include "compiler/lowering/vectorize/streams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// What is computed side by side: positions of the plan's loop and of its block loop.
struct Instance {
  Position vector, block;
};

using Values = SmallVector<Value>;

class NestEmitter {
 public:
  NestEmitter(linalg::LinalgOp op, const VectorPlan& plan, bool isStreamed)
      : b_(op.getLoc(), op),
        op_(op),
        plan_(plan),
        accesses_(accessesOf(op)),
        kinds_(op.getIteratorTypesArray()),
        firstOutput_(accesses_.size() - op.getNumDpsInits()),
        at_(kinds_.size()),
        body_(b_, op, plan_),
        isStreamed_(isStreamed) {}

  SmallVector<Operation*> run();

 private:
  bool isReduction(unsigned loop) const { return kinds_[loop] == utils::IteratorType::reduction; }
  std::optional<int64_t> known(unsigned loop) const { return getConstantIntValue(extents_[loop]); }
  ArrayRef<Access> outputs() const { return ArrayRef(accesses_).drop_front(firstOutput_); }

  void readExtents();
  SmallVector<Operation*> takeInitialValues();
  void hoist(std::optional<unsigned> opened);
  void openParallel(size_t next);
  void emitInner();
  void emitBlocks();
  void emitStrips(int64_t numBlocks, Position block);
  void strips(unsigned loop, ArrayRef<int64_t> widths,
              function_ref<void(Position, int64_t width, const LaneMask&)> emit);
  void emitSums();
  void addSteps(Position from, int64_t numSteps, bool isFirst);
  void emitInstances(ArrayRef<Instance> instances, const LaneMask& lanes);
  void emitPartials();
  Values partialStrips(const Values& start);
  void emitSquares();
  void emitSquare(Position cross, const LaneMask& crossLanes, Position vector,
                  const LaneMask& lanes);

  Values loop(Value from, Value to, int64_t step, const Values& state,
              function_ref<Values(Value, const Values&)> body);
  Values reduce(size_t next, const Values& state, function_ref<Values(const Values&)> leaf);
  Position evaluate(AffineExpr expr);
  Values indicesOf(const Access& access);
  Value collect(const Access& access, const LaneMask& lanes);
  Value argument(size_t number, const LaneMask& lanes);
  Values startOf(const LaneMask& lanes);
  void store(const Values& results, const LaneMask& lanes);
  void stand(const Instance& instance);

  IndexBuilder b_;
  linalg::LinalgOp op_;
  VectorPlan plan_;
  SmallVector<Access> accesses_;
  SmallVector<utils::IteratorType> kinds_;
  size_t firstOutput_;  ///< Number of the first operand that is written.
  Values extents_;
  SmallVector<Position> at_;
  VectorBody body_;
  bool isStreamed_;                              ///< Whole vectors are written past the caches.
  SmallVector<unsigned> parallel_, reductions_;  ///< Loops, outermost first; not the vectors'.
  DenseMap<size_t, Value> hoisted_;              ///< Operands read already.
  DenseMap<size_t, Value> fills_;                ///< Initial values of outputs.
};

}  // namespace

Position NestEmitter::evaluate(AffineExpr expr) {
  if (const auto dim = dyn_cast<AffineDimExpr>(expr)) return at_[dim.getPosition()];
  if (const auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {.base = {}, .offset = constant.getValue()};
  const auto binary = cast<AffineBinaryOpExpr>(expr);
  const Position left = evaluate(binary.getLHS());
  if (expr.getKind() == AffineExprKind::Mul) {
    const int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    return {.base = left.base ? b_.mul(left.base, factor) : Value(),
            .offset = left.offset * factor};
  }
  const Position right = evaluate(binary.getRHS());
  Value base = left.base ? left.base : right.base;
  if (left.base && right.base) base = b_.add(left.base, right.base);
  return {.base = base, .offset = left.offset + right.offset};
}

Values NestEmitter::indicesOf(const Access& access) {
  return llvm::map_to_vector(access.map.getResults(),
                             [&](AffineExpr expr) { return valueOf(b_, evaluate(expr)); });
}

void NestEmitter::readExtents() {
  extents_.resize(kinds_.size());
  for (const Access& access : accesses_) {
    if (access.isScalar()) continue;
    for (auto [i, expr] : llvm::enumerate(access.map.getResults())) {
      const auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || extents_[dim.getPosition()]) continue;
      extents_[dim.getPosition()] =
          b_.createOrFold<memref::DimOp>(access.buffer, static_cast<int64_t>(i));
    }
  }
  for (auto [extent, fixed] : llvm::zip_equal(extents_, op_.getStaticLoopRanges())) {
    if (!ShapedType::isDynamic(fixed)) extent = b_.index(fixed);
  }
}

// What a linalg.fill right before writes need not be read again, nor written.
SmallVector<Operation*> NestEmitter::takeInitialValues() {
  SmallVector<Operation*> taken;
  for (Operation* before = op_->getPrevNode(); before; before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (!fill && !isMemoryEffectFree(before)) break;
    if (!fill) continue;
    const auto isFilled = [&](const Access& access) {
      return access.buffer == fill.getOutputs()[0];
    };
    const auto* access = llvm::find_if(outputs(), isFilled);
    if (access == outputs().end() || !access->map.isProjectedPermutation() ||
        llvm::count_if(accesses_, isFilled) != 1)
      break;
    fills_[static_cast<size_t>(access - accesses_.begin())] = fill.getInputs()[0];
    taken.push_back(fill);
  }
  return taken;
}

Values NestEmitter::loop(Value from, Value to, int64_t step, const Values& state,
                         function_ref<Values(Value, const Values&)> body) {
  auto forOp = b_.create<scf::ForOp>(from, to, b_.index(step), state);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(forOp.getBody());
  const Values next =
      body(forOp.getInductionVar(), llvm::to_vector_of<Value>(forOp.getRegionIterArgs()));
  if (!state.empty()) b_.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(forOp.getResults());
}

// Reads operands that only loops opened so far move, the last of them `opened`.
void NestEmitter::hoist(std::optional<unsigned> opened) {
  for (size_t number = 0; number < firstOutput_; ++number) {
    const Access& access = accesses_[number];
    if (access.isScalar() || hoisted_.contains(number)) continue;
    const Step step = access.step(plan_.loop);
    const bool isOneVector = plan_.form == VectorForm::kElements && step == Step::kNext &&
                             known(plan_.loop) == plan_.lanes;
    if (step != Step::kNone && !isOneVector) continue;
    const bool isPlaced = llvm::all_of(llvm::seq<unsigned>(0, kinds_.size()), [&](unsigned loop) {
      return !access.dependsOn(loop) || loop == plan_.loop || at_[loop].base ||
             (known(loop) == 1 && !isReduction(loop));
    });
    if (!isPlaced || (opened && !access.dependsOn(*opened))) continue;
    hoisted_[number] = argument(number, {});
  }
}

void NestEmitter::openParallel(size_t next) {
  if (next == parallel_.size()) return emitInner();
  const unsigned number = parallel_[next];
  if (known(number) == 1) return openParallel(next + 1);
  loop(b_.index(0), extents_[number], 1, {}, [&](Value at, const Values&) -> Values {
    const auto outside = hoisted_;
    at_[number] = {.base = at, .offset = 0};
    hoist(number);
    openParallel(next + 1);
    hoisted_ = outside;
    at_[number] = {};
    return {};
  });
}

void NestEmitter::emitInner() {
  switch (plan_.form) {
    case VectorForm::kElements:
      return plan_.sumsInMemory ? emitSums() : emitBlocks();
    case VectorForm::kPartials:
      return emitPartials();
    case VectorForm::kTransposed:
      return emitSquares();
  }
}

void NestEmitter::emitBlocks() {
  if (plan_.blockLoop == plan_.loop) return emitStrips(1, {});
  const int64_t extent = *known(plan_.blockLoop), whole = extent / plan_.block * plan_.block;
  if (whole == plan_.block) {
    emitStrips(plan_.block, {});
  } else {
    loop(b_.index(0), b_.index(whole), plan_.block, {}, [&](Value at, const Values&) -> Values {
      emitStrips(plan_.block, {.base = at, .offset = 0});
      return {};
    });
  }
  if (whole < extent) emitStrips(extent - whole, {.base = {}, .offset = whole});
}

// Covers `loop` by strips of `widths`, widest first, then by one vector with a mask.
void NestEmitter::strips(unsigned number, ArrayRef<int64_t> widths,
                         function_ref<void(Position, int64_t, const LaneMask&)> emit) {
  const Value extent = extents_[number];
  Value done = b_.index(0);
  for (const int64_t width : widths) {
    const Value end = b_.mul(b_.floorDiv(extent, width), width);
    const auto from = getConstantIntValue(done), to = getConstantIntValue(end);
    if (from && to && *to - *from == width) {
      emit({.base = {}, .offset = *from}, width, {});
    } else if (!from || !to || *from < *to) {
      loop(done, end, width, {}, [&](Value at, const Values&) -> Values {
        emit({.base = at, .offset = 0}, width, {});
        return {};
      });
    }
    done = end;
  }
  const Value rest = b_.sub(extent, done);
  const int64_t lanes = plan_.lanes;
  if (const auto fixed = getConstantIntValue(rest)) {
    if (*fixed > 0)
      emit({.base = {}, .offset = *getConstantIntValue(done)}, lanes,
           firstLanes(b_, rest, plan_.lanes));
    return;
  }
  auto hasRest = b_.create<scf::IfOp>(b_.less(b_.index(0), rest), /*withElseRegion=*/false);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(hasRest.thenBlock());
  emit({.base = done, .offset = 0}, lanes, firstLanes(b_, rest, plan_.lanes));
}

void NestEmitter::emitStrips(int64_t numBlocks, Position block) {
  const int64_t lanes = plan_.lanes;
  SmallVector<int64_t> widths;
  if (plan_.blockLoop == plan_.loop && plan_.block > 1) widths.push_back(plan_.block * lanes);
  widths.push_back(lanes);
  strips(plan_.loop, widths, [&](Position at, int64_t width, const LaneMask& mask) {
    SmallVector<Instance> instances;
    for (int64_t offset = 0; offset < width; offset += lanes) {
      for (int64_t i = 0; i < numBlocks; ++i)
        instances.push_back({.vector = {.base = at.base, .offset = at.offset + offset},
                             .block = {.base = block.base, .offset = block.offset + i}});
    }
    emitInstances(instances, mask);
  });
}

void NestEmitter::stand(const Instance& instance) {
  at_[plan_.loop] = instance.vector;
  if (plan_.blockLoop != plan_.loop) at_[plan_.blockLoop] = instance.block;
}

// A step of `lane` from a position, no further than the last lane that counts.
static Position stepFrom(IndexBuilder& b, const Position& first, int64_t lane,
                         const LaneMask& lanes) {
  if (!lanes.mask) return {.base = first.base, .offset = first.offset + lane};
  const Value step = b.smaller(b.index(lane), lanes.last);
  return {.base = first.base ? b.add(first.base, step) : step, .offset = first.offset};
}

// Elements of an operand that do not lie side by side.
Value NestEmitter::collect(const Access& access, const LaneMask& lanes) {
  const auto type = VectorType::get({plan_.lanes}, access.type().getElementType());
  const Position first = at_[plan_.loop];
  Value vector = b_.create<arith::ConstantOp>(b_.getZeroAttr(type));
  for (int64_t lane = 0; lane < plan_.lanes; ++lane) {
    at_[plan_.loop] = stepFrom(b_, first, lane, lanes);
    const Value element = b_.create<memref::LoadOp>(access.buffer, indicesOf(access));
    vector = b_.create<vector::InsertOp>(element, vector, ArrayRef<int64_t>{lane});
  }
  at_[plan_.loop] = first;
  return vector;
}

Value NestEmitter::argument(size_t number, const LaneMask& lanes) {
  const Access& access = accesses_[number];
  if (access.isScalar()) return access.buffer;
  if (const Value known = hoisted_.lookup(number)) return known;
  switch (access.step(plan_.loop)) {
    case Step::kNone:
      return b_.create<memref::LoadOp>(access.buffer, indicesOf(access));
    case Step::kNext:
      return loadVector(b_, access.buffer, indicesOf(access), plan_.lanes, lanes);
    default:
      return collect(access, lanes);
  }
}

// What the outputs hold before; null where the body does not ask.
Values NestEmitter::startOf(const LaneMask& lanes) {
  Values start;
  for (size_t i = firstOutput_; i < accesses_.size(); ++i) {
    const auto type = VectorType::get({plan_.lanes}, accesses_[i].type().getElementType());
    OpOperand& operand = op_->getOpOperand(i);
    if (const Value fill = fills_.lookup(i))
      start.push_back(b_.create<vector::BroadcastOp>(type, fill));
    else if (op_.payloadUsesValueFromOperand(&operand))
      start.push_back(argument(i, lanes));
    else
      start.push_back(b_.create<arith::ConstantOp>(b_.getZeroAttr(type)));
  }
  return start;
}

void NestEmitter::store(const Values& results, const LaneMask& lanes) {
  for (auto [access, result] : llvm::zip_equal(outputs(), results))
    storeVector(b_, result, access.buffer, indicesOf(access), lanes, isStreamed_);
}

// Runs `leaf` over the reduction loops from number `next` on.
Values NestEmitter::reduce(size_t next, const Values& state,
                           function_ref<Values(const Values&)> leaf) {
  if (next == reductions_.size()) return leaf(state);
  const unsigned number = reductions_[next];
  if (plan_.isUnrolled[number]) {
    Values carried = state;
    for (int64_t step = 0; step < *known(number); ++step) {
      at_[number] = {.base = {}, .offset = step};
      carried = reduce(next + 1, carried, leaf);
    }
    at_[number] = {};
    return carried;
  }
  return loop(b_.index(0), extents_[number], 1, state, [&](Value at, const Values& carried) {
    at_[number] = {.base = at, .offset = 0};
    Values result = reduce(next + 1, carried, leaf);
    at_[number] = {};
    return result;
  });
}

void NestEmitter::emitInstances(ArrayRef<Instance> instances, const LaneMask& lanes) {
  Values state;
  for (const Instance& instance : instances) {
    stand(instance);
    llvm::append_range(state, startOf(lanes));
  }
  const size_t numOutputs = outputs().size();
  state = reduce(0, state, [&](const Values& carried) {
    Values results;
    for (auto [i, instance] : llvm::enumerate(instances)) {
      stand(instance);
      Values arguments;
      for (size_t number = 0; number < firstOutput_; ++number)
        arguments.push_back(argument(number, lanes));
      llvm::append_range(arguments, ArrayRef(carried).slice(i * numOutputs, numOutputs));
      llvm::append_range(results, body_.emit(arguments, at_, lanes));
    }
    return results;
  });
  for (auto [i, instance] : llvm::enumerate(instances)) {
    stand(instance);
    store(Values(ArrayRef(state).slice(i * numOutputs, numOutputs)), lanes);
  }
}

// Sums in memory: a few steps of the reduction at a time, each along all of the vectors' loop.
void NestEmitter::emitSums() {
  constexpr int64_t kSteps = 4;
  const int64_t extent = *known(reductions_.front()), whole = extent / kSteps * kSteps;
  addSteps({}, std::min(kSteps, extent), /*isFirst=*/true);
  if (whole > kSteps) {
    loop(b_.index(kSteps), b_.index(whole), kSteps, {}, [&](Value at, const Values&) -> Values {
      addSteps({.base = at, .offset = 0}, kSteps, /*isFirst=*/false);
      return {};
    });
  }
  if (whole < extent && extent > kSteps)
    addSteps({.base = {}, .offset = whole}, extent - whole, /*isFirst=*/false);
}

void NestEmitter::addSteps(Position from, int64_t numSteps, bool isFirst) {
  const unsigned reduction = reductions_.front();
  strips(plan_.loop, plan_.lanes, [&](Position vector, int64_t, const LaneMask& lanes) {
    at_[plan_.loop] = vector;
    Values state;
    if (isFirst) state = startOf(lanes);
    for (const Access& access : outputs()) {
      if (!isFirst)
        state.push_back(loadVector(b_, access.buffer, indicesOf(access), plan_.lanes, lanes));
    }
    for (int64_t step = 0; step < numSteps; ++step) {
      at_[reduction] = {.base = from.base, .offset = from.offset + step};
      Values arguments;
      for (size_t number = 0; number < firstOutput_; ++number)
        arguments.push_back(argument(number, lanes));
      llvm::append_range(arguments, state);
      state = body_.emit(arguments, at_, lanes);
    }
    at_[reduction] = {};
    store(state, lanes);
  });
}

// One step of partial results over the vectors of the plan's loop: `start` has block * outputs of
// them, vector by vector.
Values NestEmitter::partialStrips(const Values& start) {
  const size_t numOutputs = outputs().size();
  const auto step = [&](Position at, size_t vector, const Values& all, const LaneMask& lanes) {
    at_[plan_.loop] = at;
    const ArrayRef<Value> carried = ArrayRef(all).slice(vector * numOutputs, numOutputs);
    Values arguments;
    for (size_t number = 0; number < firstOutput_; ++number)
      arguments.push_back(argument(number, lanes));
    llvm::append_range(arguments, carried);
    Values next = body_.emit(arguments, at_, lanes);
    for (auto [value, before] : llvm::zip_equal(next, carried)) {
      if (lanes.mask) value = b_.create<arith::SelectOp>(lanes.mask, value, before);
    }
    Values results = all;
    std::copy(next.begin(), next.end(), results.begin() + vector * numOutputs);
    return results;
  };
  const int64_t lanes = plan_.lanes, wide = plan_.block * lanes;
  const Value extent = extents_[plan_.loop];
  const Value wideEnd = b_.mul(b_.floorDiv(extent, wide), wide);
  Values state = start;
  if (getConstantIntValue(wideEnd) != 0) {
    state = loop(b_.index(0), wideEnd, wide, state, [&](Value at, Values carried) {
      for (int64_t i = 0; i < plan_.block; ++i)
        carried = step({.base = at, .offset = i * lanes}, i, carried, {});
      return carried;
    });
  }
  const Value end = b_.mul(b_.floorDiv(extent, lanes), lanes);
  const auto endsAt = getConstantIntValue(end);
  if (plan_.block > 1 && (!endsAt || endsAt != getConstantIntValue(wideEnd))) {
    state = loop(wideEnd, end, lanes, state, [&](Value at, const Values& carried) {
      return step({.base = at, .offset = 0}, 0, carried, {});
    });
  }
  const Value rest = b_.sub(extent, end);
  const auto count = getConstantIntValue(rest);
  if (count == 0) return state;
  const Position last = {.base = end, .offset = 0};
  if (count) return step(last, 0, state, firstLanes(b_, rest, plan_.lanes));
  auto hasRest = b_.create<scf::IfOp>(ValueRange(state).getTypes(), b_.less(b_.index(0), rest),
                                      /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(hasRest.thenBlock());
  b_.create<scf::YieldOp>(step(last, 0, state, firstLanes(b_, rest, plan_.lanes)));
  b_.setInsertionPointToStart(hasRest.elseBlock());
  b_.create<scf::YieldOp>(state);
  return llvm::to_vector_of<Value>(hasRest.getResults());
}

void NestEmitter::emitPartials() {
  const SmallVector<Operation*> combiners = combinersOf(op_);
  Values neutral;
  for (int64_t i = 0; i < plan_.block; ++i) {
    for (Operation* combiner : combiners) {
      const Type element = combiner->getResult(0).getType();
      const TypedAttr value = neutralElement(b_, *combiningKind(combiner), element);
      neutral.push_back(b_.create<arith::ConstantOp>(
          DenseElementsAttr::get(VectorType::get({plan_.lanes}, element), Attribute(value))));
    }
  }
  Values sums = reduce(0, neutral, [&](const Values& state) { return partialStrips(state); });
  at_[plan_.loop] = {};
  for (auto [i, combiner, access] : llvm::enumerate(combiners, outputs())) {
    const auto combine = [&](Value a, Value b) {
      OperationState state(b_.getLoc(), combiner->getName());
      state.addOperands({a, b});
      state.addTypes(a.getType());
      state.propertiesAttr = combiner->getPropertiesAsAttribute();
      return b_.create(state)->getResult(0);
    };
    Value all = sums[i];
    for (size_t vector = 1; vector < static_cast<size_t>(plan_.block); ++vector)
      all = combine(all, sums[vector * combiners.size() + i]);
    all = b_.create<vector::ReductionOp>(*combiningKind(combiner), all,
                                         arith::FastMathFlags::reassoc);
    const size_t number = firstOutput_ + i;
    const Values place = indicesOf(access);
    Value start = fills_.lookup(number);
    if (!start) start = b_.create<memref::LoadOp>(access.buffer, place);
    b_.create<memref::StoreOp>(combine(start, all), access.buffer, place);
  }
}

// Squares follow each other along what is read: a few lines of it, each to its end.
void NestEmitter::emitSquares() {
  const int64_t lanes = plan_.lanes;
  strips(plan_.loop, lanes, [&](Position vector, int64_t, const LaneMask& mask) {
    strips(plan_.crossLoop, lanes, [&](Position cross, int64_t, const LaneMask& crossLanes) {
      emitSquare(cross, crossLanes, vector, mask);
    });
  });
}

void NestEmitter::emitSquare(Position cross, const LaneMask& crossLanes, Position vector,
                             const LaneMask& lanes) {
  const int64_t size = plan_.lanes;
  DenseMap<size_t, Values> columns;
  at_[plan_.crossLoop] = cross;
  for (size_t number = 0; number < firstOutput_; ++number) {
    const Access& access = accesses_[number];
    const Step step = access.step(plan_.loop);
    if (step == Step::kNone || step == Step::kNext || access.step(plan_.crossLoop) != Step::kNext)
      continue;
    Values rows;
    for (int64_t lane = 0; lane < size; ++lane) {
      at_[plan_.loop] = stepFrom(b_, vector, lane, lanes);
      rows.push_back(loadVector(b_, access.buffer, indicesOf(access), size, crossLanes));
    }
    columns[number] = transposeSquare(b_, rows);
  }
  at_[plan_.loop] = vector;
  const auto lastRow = crossLanes.mask ? getConstantIntValue(crossLanes.last) : size - 1;
  for (int64_t row = 0; row <= lastRow.value_or(size - 1); ++row) {
    at_[plan_.crossLoop] = {.base = cross.base, .offset = cross.offset + row};
    const auto emitRow = [&] {
      Values arguments;
      for (size_t number = 0; number < firstOutput_; ++number) {
        const auto column = columns.find(number);
        arguments.push_back(column == columns.end() ? argument(number, lanes)
                                                    : column->second[row]);
      }
      llvm::append_range(arguments, startOf(lanes));
      store(body_.emit(arguments, at_, lanes), lanes);
    };
    if (lastRow) {
      emitRow();
      continue;
    }
    const Value isInside = b_.lessOrEqual(b_.index(row), crossLanes.last);
    auto choice = b_.create<scf::IfOp>(isInside, /*withElseRegion=*/false);
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(choice.thenBlock());
    emitRow();
  }
  at_[plan_.crossLoop] = {};
}

SmallVector<Operation*> NestEmitter::run() {
  readExtents();
  SmallVector<Operation*> superfluous = takeInitialValues();
  for (unsigned loop = 0; loop < kinds_.size(); ++loop) {
    const bool isCross = plan_.form == VectorForm::kTransposed && loop == plan_.crossLoop;
    const bool isBlock = plan_.block > 1 && loop == plan_.blockLoop;
    if (loop == plan_.loop || isCross || isBlock) continue;
    (isReduction(loop) ? reductions_ : parallel_).push_back(loop);
  }
  hoist(std::nullopt);
  openParallel(0);
  op_->erase();
  return superfluous;
}

SmallVector<Operation*> emitVectorLoops(linalg::LinalgOp op, const VectorPlan& plan) {
  if (!writesPastCaches(op, plan)) return NestEmitter(op, plan, /*isStreamed=*/false).run();
  IndexBuilder b(op.getLoc(), op);
  const StreamedResult result = streamedResult(b, op, plan);
  auto choice = b.create<scf::IfOp>(result.startsOnVector, /*withElseRegion=*/true);
  for (Block* branch : {choice.thenBlock(), choice.elseBlock()}) {
    const bool isStreamed = branch == choice.thenBlock();
    b.setInsertionPointToStart(branch);
    auto copy = cast<linalg::LinalgOp>(b.clone(*op.getOperation()));
    if (isStreamed) copy.getDpsInitsMutable()[0].assign(result.buffer);
    NestEmitter(copy, plan, isStreamed).run();
  }
  op->erase();
  return {};
}

}  // namespace tessera::lowering
