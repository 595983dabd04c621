// What an operand has to give does not wait for the innermost loop: it is read where the last
// loop that moves it begins.
#include "compiler/lowering/vectorize/nest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

// A step of `lane` from a position, no further than the last lane that counts.
Position stepFrom(IndexBuilder& b, const Position& first, int64_t lane, const LaneMask& lanes) {
  if (!lanes.mask) return {.base = first.base, .offset = first.offset + lane};
  const Value step = b.smaller(b.index(lane), lanes.last);
  return {.base = first.base ? b.add(first.base, step) : step, .offset = first.offset};
}

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
    if (!fill && !isMemoryEffectFree(before) && !isa<memref::AllocOp>(before)) break;
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

// Covers `loop` by strips of `widths`, widest first, then by one vector with a mask, or a whole one
// that overlaps with the one before: AVX2 has masked stores that take as long as several vectors,
// and of one lane LLVM makes scalars.
void NestEmitter::strips(unsigned number, ArrayRef<int64_t> widths,
                         function_ref<void(Position, int64_t, const LaneMask&)> emit,
                         bool mayOverlap) {
  const Value extent = extents_[number];
  Value done = b_.index(0);
  for (const int64_t width : widths) {
    const Value end = b_.mul(b_.floorDiv(extent, width), width);
    const auto from = getConstantIntValue(done), to = getConstantIntValue(end);
    if (from && to && *to - *from == width) {
      emit({.base = {}, .offset = *from}, width, {});
    } else if (!from || !to || *from < *to) {
      emitLoop(b_, done, end, width, [&](Index at) { emit({.base = at, .offset = 0}, width, {}); });
    }
    done = end;
  }
  const Value rest = b_.sub(extent, done);
  const int64_t lanes = plan_.lanes;
  if (const auto fixed = getConstantIntValue(rest)) {
    const int64_t all = *getConstantIntValue(extent);
    if (*fixed > 0 && mayOverlap && all > lanes)
      emit({.base = {}, .offset = all - lanes}, lanes, {});
    else if (*fixed > 0)
      emit({.base = {}, .offset = all - *fixed}, lanes, firstLanes(b_, rest, plan_.lanes));
    return;
  }
  emitIf(b_, b_.less(b_.index(0), rest),
         [&] { emit({.base = done, .offset = 0}, lanes, firstLanes(b_, rest, plan_.lanes)); });
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
  return emitLoop(b_, b_.index(0), extents_[number], 1, state, [&](Index at, ValueRange before) {
    at_[number] = {.base = at, .offset = 0};
    Values result = reduce(next + 1, Values(before), leaf);
    at_[number] = {};
    return result;
  });
}

}  // namespace tessera::lowering
