// Channels are dimension 1 of tensors [N, C, spatial...]; c is the number of f32 lanes of a vector.
// Lanes behind the last channel stay finite (padding.h): the next convolution multiplies them by
// zero.
#include "backends/native/compiler/layouts.h"

#include <cmath>

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/channel_shuffle.h"
#include "backends/native/compiler/contraction/channel_moves.h"
#include "backends/native/compiler/contraction/plan.h"
#include "backends/native/compiler/contraction/resampling.h"
#include "backends/native/compiler/kernel/emit_scalar.h"
#include "backends/native/compiler/padding.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::LayoutChoice;

namespace {

struct Request {
  Operation* op;
  ArrayRef<RankedTensorType> available;
  const CodeTarget& cpu;

  int64_t lanes() const { return cpu.vectorLanes; }
  RankedTensorType operand(unsigned i) const {
    return cast<RankedTensorType>(op->getOperand(i).getType());
  }
  RankedTensorType result(unsigned i = 0) const {
    return cast<RankedTensorType>(op->getResult(i).getType());
  }
  bool comesBlocked(unsigned i) const { return isBlockedAlong(available[i], 1, lanes()); }
  RankedTensorType blocked(RankedTensorType type, int64_t dim = 1) const {
    return blockedAlong(ir::withBlocks(type, {}, {}), dim, lanes());
  }
};

}  // namespace

static LayoutChoice plainChoice(const Request& request) {
  LayoutChoice choice;
  for (const RankedTensorType type : request.available)
    choice.operands.push_back(ir::withBlocks(type, {}, {}));
  for (const Type type : request.op->getResultTypes())
    choice.results.push_back(ir::withBlocks(cast<RankedTensorType>(type), {}, {}));
  return choice;
}

static bool isConstant(Value value) { return value && value.getDefiningOp<ir::ConstantOp>(); }

/// Tensors whose channels may lie in blocks.
static bool areImages(RankedTensorType type) {
  return hasKnownImage(type) && type.getElementType().isF32();
}

/// The layouts of the best plan; row-major where only plain loops compute it.
static LayoutChoice chooseContraction(const Request& request) {
  const auto planned = plannedTypes(request.op, request.available, request.cpu);
  if (planned.empty()) return plainChoice(request);
  return {.operands = planned.front().operands, .results = {planned.front().result}};
}

/// Operators that give finite values for finite ones: what pads blocks of channels may be any.
static bool keepsPaddingFinite(Operation* op) {
  // Parameters of padding are 0.
  if (auto norm = dyn_cast<ir::BatchNormOp>(op)) return norm.getEpsilon().convertToFloat() > 0;
  return isa<ir::AbsOp, ir::AddOp, ir::CeilOp, ir::CeluOp, ir::ClipOp, ir::EluOp, ir::ErfOp,
             ir::FloorOp, ir::GeluOp, ir::HardSigmoidOp, ir::HardSwishOp, ir::IdentityOp,
             ir::LeakyReluOp, ir::MaxOp, ir::MinOp, ir::MishOp, ir::MulOp, ir::NegOp, ir::PreluOp,
             ir::ReluOp, ir::RoundOp, ir::SeluOp, ir::SigmoidOp, ir::SignOp, ir::SoftplusOp,
             ir::SoftsignOp, ir::SubOp, ir::SumOp, ir::TanhOp, ir::ThresholdedReluOp>(op);
}

/// The layout of an operand that broadcasts to the blocked `result`; null when there is none.
static RankedTensorType broadcastLayout(const Request& request, RankedTensorType operand,
                                        RankedTensorType result) {
  const RankedTensorType plain = ir::withBlocks(operand, {}, {});
  const int64_t channel = 1 - (result.getRank() - operand.getRank());
  if (channel < 0 || operand.getDimSize(channel) == 1) return plain;
  return operand.getDimSize(channel) == result.getDimSize(1) ? request.blocked(plain, channel)
                                                             : RankedTensorType();
}

static LayoutChoice chooseElementwise(const Request& request) {
  LayoutChoice plain = plainChoice(request);
  const RankedTensorType result = request.result();
  if (request.op->getNumResults() != 1 || !areImages(result) || result.getRank() < 3) return plain;
  if (result.getDimSize(1) % request.lanes() != 0 && !keepsPaddingFinite(request.op)) return plain;
  bool follows = false;
  for (unsigned i = 0; i < request.op->getNumOperands(); ++i)
    follows |= request.comesBlocked(i) &&
               request.operand(i).getDimSize(1) == result.getDimSize(1) &&
               imageElements(request.operand(i)) * 2 > imageElements(result);
  if (!follows || result.getDimSize(1) == 1) return plain;
  LayoutChoice choice = plain;
  choice.results[0] = request.blocked(plain.results[0]);
  if (isa<ir::BatchNormOp>(request.op)) {
    choice.operands[0] = request.blocked(plain.operands[0]);
    return choice;
  }
  for (unsigned i = 0; i < request.op->getNumOperands(); ++i) {
    const RankedTensorType operand = request.operand(i);
    const bool isWhole = operand.getRank() == result.getRank() && areImages(operand);
    if (!isWhole && !(operand.hasStaticShape() && operand.getElementType().isF32())) return plain;
    choice.operands[i] = broadcastLayout(request, plain.operands[i], result);
    if (!choice.operands[i]) return plain;
  }
  return choice;
}

/// Operators on each channel by itself, or on places of channels: one blocked operand, number `x`,
/// and one blocked result.
static LayoutChoice chooseChannelwise(const Request& request, unsigned x = 0) {
  LayoutChoice choice = plainChoice(request);
  if (request.op->getNumResults() != 1 || !request.comesBlocked(x) || !areImages(request.result()))
    return choice;
  choice.operands[x] = request.blocked(choice.operands[x]);
  choice.results[0] = request.blocked(choice.results[0]);
  return choice;
}

/// Windows over blocks of channels walk along memory whatever their steps are. What comes row-major
/// stays so where rows are long, and is converted elsewhere, unless most lanes would be padding.
static LayoutChoice choosePool(const Request& request) {
  LayoutChoice choice = chooseChannelwise(request);
  const RankedTensorType x = request.operand(0);
  const auto geometry = poolGeometryOf(request.op);
  if (!geometry || request.comesBlocked(0)) return choice;
  if (lowering::isForPlainPool(geometry->shape, request.lanes()) ||
      x.getDimSize(1) * 2 < request.lanes())
    return choice;
  choice.operands[0] = request.blocked(choice.operands[0]);
  choice.results[0] = request.blocked(choice.results[0]);
  return choice;
}

static LayoutChoice chooseReduce(const Request& request) {
  auto reduction = cast<ir::ReductionOpInterface>(request.op);
  const auto dims = reduction.getReducedDims();
  const bool keepsChannels = dims && !dims->empty() && dims->front() >= 2;
  if (!keepsChannels || reduction.getKeepdims() == 0) return plainChoice(request);
  // What is done to lanes behind the last channel must stay finite.
  const bool isSafe =
      isa<ir::ReduceMeanOp, ir::ReduceSumOp, ir::ReduceMaxOp, ir::ReduceMinOp>(request.op) ||
      request.operand(0).getDimSize(1) % request.lanes() == 0;
  return isSafe ? chooseChannelwise(request) : plainChoice(request);
}

/// Images in blocks, and their scales and biases. Padding is a line of equal elements, which stays
/// finite where its variance is not 0 in the end.
static LayoutChoice chooseInstanceNorm(const Request& request, ir::InstanceNormOp op) {
  LayoutChoice choice = chooseChannelwise(request);
  if (ir::isPlain(choice.results[0])) return choice;
  if (op.getEpsilon().convertToDouble() <= 0) return plainChoice(request);
  for (RankedTensorType& parameter : llvm::drop_begin(choice.operands))
    parameter = request.blocked(parameter, /*dim=*/0);
  return choice;
}

/// Images in whole blocks, which groups may cut.
static LayoutChoice chooseGroupNorm(const Request& request) {
  const bool areWhole = request.result().getDimSize(1) % request.lanes() == 0;
  return areWhole ? chooseChannelwise(request) : plainChoice(request);
}

static LayoutChoice chooseConcat(const Request& request, ir::ConcatOp op) {
  LayoutChoice choice = plainChoice(request);
  if (!channelMovesOf(op)) return choice;
  const auto numbers = llvm::seq<unsigned>(0, op->getNumOperands());
  const auto comesBlocked = [&](unsigned i) { return request.comesBlocked(i); };
  const bool areWhole = llvm::all_of(
      numbers, [&](unsigned i) { return request.operand(i).getDimSize(1) % request.lanes() == 0; });
  // Blocks that are cut anew are worth it where nothing else has to be converted.
  if (areWhole ? llvm::none_of(numbers, comesBlocked) : !llvm::all_of(numbers, comesBlocked))
    return choice;
  for (RankedTensorType& type : choice.operands) type = request.blocked(type);
  choice.results[0] = request.blocked(choice.results[0]);
  return choice;
}

/// Parts of channels, of whatever block each begins in. Those of which elementwise operators make
/// one value are better cut where these read them, from rows.
static LayoutChoice chooseParts(const Request& request) {
  LayoutChoice choice = plainChoice(request);
  if (!request.comesBlocked(0)) return choice;
  if (request.op->getNumResults() > 1 && llvm::any_of(request.op->getUsers(), isScalarOp))
    return choice;
  for (unsigned number = 0; number < request.op->getNumResults(); ++number) {
    if (!channelMovesOf(request.op, number)) return choice;
  }
  choice.operands[0] = request.blocked(choice.operands[0]);
  for (RankedTensorType& type : choice.results) type = request.blocked(type);
  return choice;
}

/// As far as one plan goes.
static LayoutChoice chooseLrn(const Request& request, ir::LrnOp op) {
  LayoutChoice choice = chooseChannelwise(request);
  const ContractionTypes types = {.operands = {choice.operands[0]}, .result = choice.results[0]};
  const bool isPlanned =
      std::holds_alternative<ContractionPlan>(planContraction(op, types, request.cpu));
  return isPlanned ? choice : plainChoice(request);
}

/// What a Pad writes, where that is known and finite.
static bool isFillFinite(ir::PadOp op) {
  if (op.getMode() != ir::PadMode::Constant || !op.getConstantValue()) return true;
  const auto fill = ir::constantScalar(op.getConstantValue());
  return fill && std::isfinite(*fill);
}

/// Of positions alone, by numbers that are known.
static LayoutChoice choosePad(const Request& request, ir::PadOp op) {
  const bool areWhole = request.result().getDimSize(1) % request.lanes() == 0;
  if (!areWhole && !isFillFinite(op)) return plainChoice(request);
  const auto pads = ir::constantInts(op.getPads());
  const auto axes = ir::spec::constantAxes(op.getAxes(), request.result().getRank());
  if (!pads || (op.getAxes() && !axes)) return plainChoice(request);
  const size_t half = pads->size() / 2;
  for (size_t i = 0; i < half; ++i) {
    const int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    if (axis < 2 && ((*pads)[i] != 0 || (*pads)[half + i] != 0)) return plainChoice(request);
  }
  return chooseChannelwise(request);
}

static LayoutChoice chooseResize(const Request& request, ir::ResizeOp op) {
  const RankedTensorType x = request.operand(0), y = request.result();
  const bool keepsChannels = hasKnownImage(y) && x.getRank() >= 3 &&
                             x.getDimSize(0) == y.getDimSize(0) &&
                             x.getDimSize(1) == y.getDimSize(1);
  // Axes that keep their size must have a scale that is known to be 1.
  const bool isKnown = !op.getScales() || isConstant(op.getScales());
  return keepsChannels && isKnown && !isCropped(op) ? chooseChannelwise(request)
                                                    : plainChoice(request);
}

/// Whether `op` computes its result, of the type of operand `x`, element by element.
static bool isElementwiseOn(Operation* op, Value x) {
  return isScalarOp(op) && op->getNumResults() == 1 &&
         cast<RankedTensorType>(op->getResult(0).getType()).getShape() ==
             cast<RankedTensorType>(x.getType()).getShape();
}

/// Whether a convolution reads `value` in blocks, perhaps through elementwise operators, or one of
/// these meets what is in blocks.
static bool isReadInBlocks(Value value, const CodeTarget& cpu) {
  constexpr size_t kMostOperators = 16;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size() && i < kMostOperators; ++i) {
    for (OpOperand& use : values[i].getUses()) {
      Operation* user = use.getOwner();
      if (isa<ir::ConvOp>(user) && use.getOperandNumber() == 0) {
        SmallVector<RankedTensorType> available;
        for (const Type type : user->getOperandTypes())
          available.push_back(cast<RankedTensorType>(type));
        const auto planned = plannedTypes(user, available, cpu);
        if (!planned.empty() && isBlockedAlong(planned.front().operands[0], 1, cpu.vectorLanes))
          return true;
      }
      if (!isElementwiseOn(user, values[i])) continue;
      const auto isBlocked = [&](Type type) {
        return type != values[i].getType() &&
               isBlockedAlong(cast<RankedTensorType>(type), 1, cpu.vectorLanes);
      };
      if (llvm::any_of(user->getOperandTypes(), isBlocked)) return true;
      values.insert(user->getResult(0));
    }
  }
  return false;
}

/// Rows of channels go to whole blocks without a detour where a convolution follows.
static LayoutChoice chooseTranspose(const Request& request, ir::TransposeOp op) {
  LayoutChoice choice = plainChoice(request);
  const RankedTensorType y = request.result();
  if (!areImages(y) || y.getRank() < 3 || y.getDimSize(1) % request.lanes() != 0 || !op.getPerm())
    return choice;
  SmallVector<int64_t> channelsFirst = {0, y.getRank() - 1};
  for (int64_t dim = 1; dim + 1 < y.getRank(); ++dim) channelsFirst.push_back(dim);
  if (ArrayRef(channelsFirst) != *op.getPerm() || !isReadInBlocks(op.getTransposed(), request.cpu))
    return choice;
  choice.results[0] = request.blocked(choice.results[0]);
  return choice;
}

static LayoutChoice chooseOrder(const Request& request) {
  return llvm::TypeSwitch<Operation*, LayoutChoice>(request.op)
      .Case<ir::ConvOp, ir::ConvTransposeOp, ir::GemmOp, ir::MatmulOp>(
          [&](auto) { return chooseContraction(request); })
      .Case([&](ir::ConcatOp concat) { return chooseConcat(request, concat); })
      .Case([&](ir::GatherOp gather) {
        return channelMovesOf(gather) ? chooseChannelwise(request) : plainChoice(request);
      })
      .Case([&](ir::CompositeOp composite) {
        const auto shuffled = shuffledInput(composite);
        return shuffled ? chooseChannelwise(request, *shuffled) : plainChoice(request);
      })
      .Case([&](ir::GroupNormOp) { return chooseGroupNorm(request); })
      .Case([&](ir::InstanceNormOp norm) { return chooseInstanceNorm(request, norm); })
      .Case([&](ir::LrnOp lrn) { return chooseLrn(request, lrn); })
      .Case([&](ir::PadOp pad) { return choosePad(request, pad); })
      .Case([&](ir::ResizeOp resize) { return chooseResize(request, resize); })
      .Case<ir::SliceOp, ir::SplitOp>([&](auto) { return chooseParts(request); })
      .Case([&](ir::TransposeOp transpose) { return chooseTranspose(request, transpose); })
      .Case<ir::MaxPoolOp, ir::AveragePoolOp>([&](auto) { return choosePool(request); })
      .Case<ir::GlobalAveragePoolOp, ir::GlobalMaxPoolOp>(
          [&](auto) { return chooseChannelwise(request); })
      .Case<ir::ReduceMeanOp, ir::ReduceSumOp, ir::ReduceMaxOp, ir::ReduceMinOp, ir::ReduceL2Op>(
          [&](auto) { return chooseReduce(request); })
      .Case([&](ir::BatchNormOp) { return chooseElementwise(request); })
      .Default([&](Operation* op) {
        return isScalarOp(op) ? chooseElementwise(request) : plainChoice(request);
      });
}

LayoutChoice chooseLayouts(Operation* op, ArrayRef<RankedTensorType> available,
                           const CodeTarget& cpu) {
  LayoutChoice choice = chooseOrder({.op = op, .available = available, .cpu = cpu});
  settlePadding(op, available, choice);
  return choice;
}

}  // namespace tessera::backend_native
