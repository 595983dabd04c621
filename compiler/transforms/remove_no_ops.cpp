// Operations whose result is their operand. One walk in order: the operand of a removed operation
// has been visited, so chains go at once.
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/recognize/signs.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_REMOVENOOPSPASS
#include "compiler/transforms/passes.h.inc"

/// How many dimensions of equal rank are not known to be equal; nothing when ranks differ or sizes
/// do.
static std::optional<int> numUnknownDims(Value a, Value b) {
  const ir::Dims first = ir::dimsOf(tensorType(a));
  const ir::Dims second = ir::dimsOf(tensorType(b));
  if (first.size() != second.size()) return std::nullopt;
  int unknown = 0;
  for (auto [x, y] : llvm::zip_equal(first, second)) {
    if (x.isStatic() && y.isStatic() && x.size != y.size) return std::nullopt;
    unknown += ir::areEqual(x, y) ? 0 : 1;
  }
  return unknown;
}

static bool haveSameShape(Value a, Value b) { return numUnknownDims(a, b) == 0; }

/// The element count stays, so one dimension that is not known must be equal when all others are,
/// and are not zero.
static bool isReshapeToSame(Value input, Value result) {
  const std::optional<int> unknown = numUnknownDims(input, result);
  if (unknown != 1) return unknown == 0;
  const auto sizes = tensorType(input).getShape();
  return llvm::count_if(sizes,
                        [](int64_t size) { return ShapedType::isDynamic(size) || size == 0; }) <= 1;
}

/// All sizes asked for are 1 or the operand's own. Of one that only the data tell the result type
/// says nothing: it may not fit, which the kernel refuses.
static bool expandsNothing(ir::ExpandOp op) {
  const ir::Dims input = ir::dimsOf(tensorType(op.getInput()));
  const std::optional<ir::Dims> shape = ir::knownDims(op.getShape());
  if (!shape || shape->size() > input.size()) return false;
  return llvm::all_of(llvm::zip(llvm::reverse(*shape), llvm::reverse(input)), [](auto pair) {
    auto [wanted, own] = pair;
    return wanted.is(1) || ir::areEqual(wanted, own);
  });
}

static bool areAll(Value value, int64_t number) {
  const auto ints = ir::constantInts(value);
  return ints && llvm::all_of(*ints, [&](int64_t entry) { return entry == number; });
}

static bool isWholeSlice(ir::SliceOp op) {
  if (op.getSteps() && !areAll(op.getSteps(), 1)) return false;
  if (haveSameShape(op.getData(), op.getOutput()) && tensorType(op.getOutput()).hasStaticShape()) {
    return true;
  }
  const auto ends = ir::constantInts(op.getEnds());
  return areAll(op.getStarts(), 0) && ends && llvm::all_of(*ends, [](int64_t end) {
           return end >= std::numeric_limits<int32_t>::max();
         });
}

static bool isIdentityPermutation(ir::TransposeOp op) {
  const auto rank = tensorType(op.getData()).getRank();
  if (!op.getPerm()) return rank <= 1;
  return llvm::all_of(llvm::enumerate(*op.getPerm()), [](const auto& pair) {
    return static_cast<int64_t>(pair.index()) == pair.value();
  });
}

/// x + 0 and x - 0. Of floats, x + -0.0 and x - 0.0 are x; x + 0.0 is 0.0 where x is -0.0.
static bool addsNothing(Operation* op) {
  const Value zero = op->getOperand(1);
  if (!isConstantOf(zero, 0) || !haveSameShape(op->getOperand(0), op->getResult(0))) return false;
  if (!isa<FloatType>(tensorType(zero).getElementType())) return true;
  return isConstantZero(zero, /*isNegative=*/isa<ir::AddOp>(op)) ||
         isNeverMinusZero(op->getOperand(0));
}

/// Dropout as in inference: nothing is dropped, or nothing to be dropped.
static bool dropsNothing(ir::DropoutOp op) {
  const bool isMaskUsed = op.getMask() && !op.getMask().use_empty();
  return !isMaskUsed && (!op.getTrainingMode() || isConstantOf(op.getTrainingMode(), 0) ||
                         isConstantOf(op.getRatio(), 0));
}

template <typename Op>
static Value undone(Op op) {
  auto inner = op->getOperand(0).template getDefiningOp<Op>();
  return inner ? inner->getOperand(0) : Value();
}

/// The value that the only used result of `op` equals; null when there is none.
static Value unchangedOperand(Operation* op) {
  const auto first = [&](bool isNoOp) { return isNoOp ? op->getOperand(0) : Value(); };
  return llvm::TypeSwitch<Operation*, Value>(op)
      .Case([&](ir::IdentityOp) { return first(true); })
      .Case([&](ir::DropoutOp dropout) { return first(dropsNothing(dropout)); })
      .Case([&](ir::CastOp cast) {
        return first(tensorType(cast.getInput()).getElementType() ==
                     tensorType(cast.getOutput()).getElementType());
      })
      .Case<ir::ReshapeOp, ir::FlattenOp, ir::UnsqueezeOp>(
          [&](Operation*) { return first(isReshapeToSame(op->getOperand(0), op->getResult(0))); })
      // Without axes it refuses a size that turns out to be 1: the rank of the result is settled.
      .Case([&](ir::SqueezeOp squeeze) {
        const bool isTold = squeeze.getAxes() || tensorType(squeeze.getData()).hasStaticShape();
        return first(isTold && isReshapeToSame(op->getOperand(0), op->getResult(0)));
      })
      .Case([&](ir::ExpandOp expand) { return first(expandsNothing(expand)); })
      .Case([&](ir::TileOp tile) { return first(areAll(tile.getRepeats(), 1)); })
      .Case([&](ir::TransposeOp transpose) { return first(isIdentityPermutation(transpose)); })
      .Case([&](ir::SliceOp slice) { return first(isWholeSlice(slice)); })
      .Case([&](ir::PadOp pad) { return first(areAll(pad.getPads(), 0)); })
      .Case<ir::ConcatOp, ir::SumOp, ir::MeanOp, ir::MinOp, ir::MaxOp>(
          [&](Operation*) { return first(op->getNumOperands() == 1); })
      .Case([&](ir::SplitOp) { return first(op->getNumResults() == 1); })
      // Without bounds a Clip still makes infinities finite.
      .Case([&](ir::ClipOp clip) {
        const Type element = tensorType(clip.getInput()).getElementType();
        return first(!clip.getMin() && !clip.getMax() && !isa<FloatType>(element));
      })
      .Case<ir::ReduceSumOp, ir::ReduceMeanOp, ir::ReduceMaxOp, ir::ReduceMinOp, ir::ReduceProdOp>(
          [&](Operation*) {
            const bool isStatic = tensorType(op->getOperand(0)).hasStaticShape();
            return first(isStatic && haveSameShape(op->getOperand(0), op->getResult(0)));
          })
      .Case<ir::MulOp, ir::DivOp, ir::PowOp>([&](Operation*) {
        return first(isConstantOf(op->getOperand(1), 1) &&
                     haveSameShape(op->getOperand(0), op->getResult(0)));
      })
      .Case<ir::AddOp, ir::SubOp>([&](Operation*) { return first(addsNothing(op)); })
      // Not two reciprocals: the first one of a denormal number is infinite.
      .Case<ir::NotOp, ir::NegOp>([&](auto outer) { return undone(outer); })
      .Default(Value());
}

namespace {

struct RemoveNoOps : impl::RemoveNoOpsPassBase<RemoveNoOps> {
  void runOnOperation() override {
    getOperation().walk([](Operation* op) {
      if (op->getNumResults() == 0 || !isa<ir::TsrOpInterface>(op)) return;
      const Value value = unchangedOperand(op);
      if (!value || !canReplace(op->getResult(0), value)) return;
      Operation* producer = value.getDefiningOp();
      if (producer && !isa<ir::ConstantOp>(producer))
        producer->setLoc(fusedLocation({producer, op}));
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    });
  }
};

}  // namespace

}  // namespace tessera::transforms
