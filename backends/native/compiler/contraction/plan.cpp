#include "backends/native/compiler/contraction/plan.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/contraction/channel_moves.h"
#include "backends/native/compiler/contraction/open_window.h"
#include "backends/native/compiler/contraction/product_plan.h"
#include "backends/native/compiler/contraction/resampling.h"
#include "backends/native/compiler/contraction/schedule.h"
#include "backends/native/compiler/kernel/kernel_builder.h"
#include "backends/native/compiler/kernel/lrn.h"
#include "compiler/lowering/contraction/row_major_conv.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::Declined;
using lowering::ConvKind;

static bool isConstant(Value value) { return value && value.getDefiningOp<ir::ConstantOp>(); }

ContractionTypes typesOf(Operation* contraction) {
  ContractionTypes types;
  for (const Value operand : contraction->getOperands()) types.operands.push_back(typeOf(operand));
  types.result = typeOf(contraction->getResult(0));
  return types;
}

// ---- convolutions

static bool isWinogradFast(const lowering::ConvShape& shape, const CodeTarget& cpu) {
  return mayBeWinograd(shape, cpu) && lowering::isForWinograd(shape, cpu.vectorLanes);
}

bool mayBeWinograd(const lowering::ConvShape& shape, const CodeTarget& cpu) {
  return !cpu.isExact && !cpu.isLean && lowering::canBeWinograd(shape);
}

/// A row-major convolution without window: for each image and group the product of the weights with
/// the channels, whose columns are all positions. For groups that are no multiple of a block.
static ContractionPlan planPointwise(ir::ConvOp op, const ContractionTypes& types) {
  const lowering::ConvShape shape = *convShapeOf(op);
  ProductPlan product;
  product.a = 1;
  product.b = 0;
  product.numColumnDims = types.result.getRank() - 2;
  product.shape.aBatch = {1, shape.groups};
  product.shape.bBatch = {shape.batch, shape.groups};
  product.shape.m = shape.outChannels / shape.groups;
  product.shape.k = shape.inChannels / shape.groups;
  product.shape.n = shape.productOfOuter(&lowering::ConvAxis::in) * shape.inDepth * shape.inHeight *
                    shape.inWidth;
  return ContractionPlan{.kernel = std::move(product),
                         .bias = op.getB() ? BiasPlace::kRows : BiasPlace::kNone};
}

/// Whether the one window of each image is all of it.
static bool hasOnePosition(const lowering::ConvShape& shape) {
  const int64_t positions = shape.outDepth() * shape.outHeight() * shape.outWidth();
  const bool isUnpadded = shape.padFront == 0 && shape.padTop == 0 && shape.padLeft == 0 &&
                          shape.padBack == 0 && shape.padBottom == 0 && shape.padRight == 0;
  return shape.groups == 1 && !shape.isTransposed && shape.outer.empty() && positions == 1 &&
         isUnpadded && shape.kernelSize() == shape.inDepth * shape.inHeight * shape.inWidth;
}

/// Such a convolution, row-major: the product of the images and the transposed weights.
static ContractionPlan planOnePosition(ir::ConvOp op, const ContractionTypes& types) {
  const lowering::ConvShape shape = *convShapeOf(op);
  ProductPlan product;
  product.numColumnDims = types.result.getRank() - 1;
  product.shape.m = shape.batch;
  product.shape.k = shape.inChannels * shape.kernelSize();
  product.shape.n = shape.outChannels;
  product.shape.transB = true;
  return ContractionPlan{.kernel = std::move(product),
                         .bias = op.getB() ? BiasPlace::kEmitter : BiasPlace::kNone};
}

/// To a row-major result.
static OrDeclined<ContractionPlan> planRowMajor(Operation* op, const ContractionTypes& types,
                                                int64_t lanes) {
  const std::string name = op->getName().stripDialect().str();
  if (!ir::isPlain(types.operands[0]) || !ir::isPlain(types.operands[1]))
    return Declined{"the result of " + name + " is row-major and its operands are not"};
  const lowering::ConvShape shape = *convShapeOf(op);
  auto conv = dyn_cast<ir::ConvOp>(op);
  if (conv && hasOnePosition(shape)) return planOnePosition(conv, types);
  // Of many channels a matrix of positions is read again and again: packed once.
  if (conv && isPointwise(conv) && shape.outChannels / shape.groups > lanes)
    return planPointwise(conv, types);
  if (!lowering::canBeRowMajor(shape))
    return Declined{"the result of " + name + " is row-major and its steps or windows are long"};
  return ContractionPlan{.kernel = ConvPlan{.shape = shape, .kind = ConvKind::kRowMajor},
                         .bias = op->getNumOperands() > 2 ? BiasPlace::kRows : BiasPlace::kNone};
}

/// What computes it to blocks.
static std::optional<ConvKind> blockedKindFor(const lowering::ConvShape& shape, bool isPlainInput,
                                              int64_t lanes) {
  const auto kind = lowering::convKindFor(shape, isPlainInput, lanes);
  // In memory the weights of a transposed one have groups inside of their blocks.
  return kind && shape.isTransposed && shape.groups > 1 ? ConvKind::kBanded : kind;
}

/// Of sizes of images that are known at run time only.
static OrDeclined<ContractionPlan> planOpenConv(Operation* op, const ContractionTypes& types) {
  const std::string name = op->getName().stripDialect().str();
  if (auto reason = whyNoOpenConv(op)) return Declined{name + " " + *reason};
  if (!llvm::all_of(types.operands, ir::isPlain) || !ir::isPlain(types.result))
    return Declined{"an operand or the result of " + name + " of open sizes is not row-major"};
  return ContractionPlan{.kernel = OpenConvPlan{},
                         .bias = op->getNumOperands() > 2 ? BiasPlace::kRows : BiasPlace::kNone};
}

/// Of a convolution or a transposed one.
static OrDeclined<ContractionPlan> planConv(Operation* op, const ContractionTypes& types,
                                            const CodeTarget& cpu) {
  const std::string name = op->getName().stripDialect().str();
  if (hasOpenImage(op)) return planOpenConv(op, types);
  if (auto reason = whyNoConvShape(op)) return Declined{name + " " + *reason};
  const int64_t lanes = cpu.vectorLanes;
  if (ir::isPlain(types.result)) return planRowMajor(op, types, lanes);
  const RankedTensorType x = types.operands[0], w = types.operands[1];
  const std::string blocks = "blocks of " + std::to_string(lanes) + " channels";
  if (!isBlockedAlong(types.result, 1, lanes))
    return Declined{"the result of " + name + " does not lie in " + blocks};
  const bool isPlainInput = ir::isPlain(x);
  if (!isPlainInput && !isBlockedAlong(x, 1, lanes))
    return Declined{"the input of " + name + " is neither row-major nor in " + blocks};
  const lowering::ConvShape shape = *convShapeOf(op);
  const bool hasBias = op->getNumOperands() > 2;
  if (hasBias && !isBlockedAlong(types.operands[2], 0, lanes))
    return Declined{"the bias of " + name + " does not lie in " + blocks};
  const BiasPlace bias = hasBias ? BiasPlace::kEmitter : BiasPlace::kNone;
  const auto kind = blockedKindFor(shape, isPlainInput, lanes);
  if (!kind)
    return Declined{"the input of " + name + " is row-major, and it has groups or is transposed"};
  const bool arePacked =
      lowering::readsPreparedWeights(*kind)
          ? ir::isPlain(w)
          : kernelType(w) == kernelType(convWeightsType(w, *kind, shape.isTransposed, lanes));
  if (!arePacked) return Declined{"the weights of " + name + " are not packed in " + blocks};
  const bool isWinograd = *kind == ConvKind::kBlocked && isWinogradFast(shape, cpu);
  return ContractionPlan{
      .kernel = ConvPlan{.shape = shape, .kind = *kind, .isWinograd = isWinograd}, .bias = bias};
}

static OrDeclined<ContractionPlan> planOpenPool(Operation* op, const ContractionTypes& types) {
  const std::string name = op->getName().stripDialect().str();
  if (auto reason = whyNoOpenPool(op)) return Declined{name + " " + *reason};
  if (!ir::isPlain(types.operands[0]) || !ir::isPlain(types.result))
    return Declined{"the input or result of " + name + " of open sizes is not row-major"};
  return ContractionPlan{.kernel = OpenPoolPlan{}};
}

static OrDeclined<ContractionPlan> planPool(Operation* op, const ContractionTypes& types,
                                            const CodeTarget& cpu) {
  const std::string name = op->getName().stripDialect().str();
  if (hasOpenImage(op)) return planOpenPool(op, types);
  const auto geometry = poolGeometryOf(op);
  if (!geometry) return Declined{name + " is not of f32 in one to three dimensions of known size"};
  const bool isPlain = ir::isPlain(types.operands[0]) && ir::isPlain(types.result) &&
                       lowering::isForPlainPool(geometry->shape, cpu.vectorLanes);
  for (const RankedTensorType type : {types.operands[0], types.result}) {
    if (!isPlain && !isBlockedAlong(type, 1, cpu.vectorLanes))
      return Declined{"the input or result of " + name + " does not lie in blocks of " +
                      std::to_string(cpu.vectorLanes) + " channels"};
  }
  return ContractionPlan{
      .kernel = PoolPlan{.shape = geometry->shape, .pool = geometry->pool, .isPlain = isPlain}};
}

static OrDeclined<ContractionPlan> planChannels(Operation* op, const ContractionTypes& types,
                                                const CodeTarget& cpu) {
  const std::string name = op->getName().stripDialect().str();
  auto moves = channelMovesOf(op);
  if (!moves) return Declined{name + " does not move the channels of f32 images of known sizes"};
  const auto images = ArrayRef(types.operands).take_front(movedImages(op).size());
  const auto isBlocked = [&](RankedTensorType type) {
    return isBlockedAlong(type, 1, cpu.vectorLanes);
  };
  if (!llvm::all_of(images, isBlocked) || !isBlocked(types.result))
    return Declined{"the inputs or result of " + name + " do not lie in blocks of " +
                    std::to_string(cpu.vectorLanes) + " channels"};
  return ContractionPlan{.kernel = ChannelPlan{.moves = std::move(*moves)}};
}

static OrDeclined<ContractionPlan> planResponse(ir::LrnOp op, const ContractionTypes& types,
                                                const CodeTarget& cpu) {
  const int64_t lanes = cpu.vectorLanes;
  const RankedTensorType x = types.operands[0];
  if (!isBlockedAlong(x, 1, lanes) || !isBlockedAlong(types.result, 1, lanes))
    return Declined{"the input or result of lrn does not lie in blocks of " +
                    std::to_string(lanes) + " channels"};
  const ResponseWindow window = responseWindow(op);
  if (!x.getElementType().isF32() || !hasKnownImage(x) || imageElements(x) == 0)
    return Declined{"lrn is not of f32 images of known sizes"};
  if (window.after > lanes || !isResponseBounded(op))
    return Declined{
        "the window of lrn is wider than two blocks, or its sum may be 0 or less, or its power "
        "infinite"};
  return ContractionPlan{
      .kernel = ResponsePlan{.windows = {.channels = x.getDimSize(1),
                                         .positions = imageElements(x) / x.getDimSize(1),
                                         .before = window.before,
                                         .after = window.after},
                             .isExact = cpu.isExact}};
}

static OrDeclined<ContractionPlan> planResize(ir::ResizeOp op, const ContractionTypes& types,
                                              const CodeTarget& cpu) {
  if (!ir::isPlain(types.operands[0]) || !ir::isPlain(types.result))
    return Declined{"the input or result of resize is not row-major"};
  auto resampling = resamplingOf(op);
  if (!resampling)
    return Declined{"resize is not of f32 along one or two last dimensions of known sizes"};
  if (!lowering::isForResampling(*resampling, cpu.vectorLanes))
    return Declined{"neighbours in the result of resize lie far apart in its input"};
  return ContractionPlan{.kernel = ResizePlan{.resampling = std::move(*resampling)}};
}

OrDeclined<ContractionPlan> planContraction(Operation* contraction, const ContractionTypes& types,
                                            const CodeTarget& cpu) {
  if (isa<ir::ConvOp, ir::ConvTransposeOp>(contraction) &&
      contraction->getOperand(0) == contraction->getOperand(1) &&
      types.operands[0] == types.operands[1])  // In other layouts they are two.
    return Declined{"both operands of " + contraction->getName().stripDialect().str() +
                    " are one value"};
  return llvm::TypeSwitch<Operation*, OrDeclined<ContractionPlan>>(contraction)
      .Case<ir::ConvOp, ir::ConvTransposeOp>([&](auto op) { return planConv(op, types, cpu); })
      .Case<ir::AveragePoolOp, ir::MaxPoolOp>([&](auto op) { return planPool(op, types, cpu); })
      .Case<ir::ConcatOp, ir::GatherOp, ir::SliceOp>(
          [&](auto op) { return planChannels(op, types, cpu); })
      .Case([&](ir::LrnOp op) { return planResponse(op, types, cpu); })
      .Case([&](ir::ResizeOp op) { return planResize(op, types, cpu); })
      .Case([&](ir::MatmulOp) { return planMatmul(types, cpu); })
      .Case([&](ir::GemmOp op) { return planGemm(op, types, cpu); })
      .Default([](Operation* op) {
        return Declined{op->getName().stripDialect().str() + " has no emitter"};
      });
}

/// Whether an emitter makes the inputs of such a contraction where it reads them.
static bool canHaveHead(const ContractionPlan& plan) {
  const auto* conv = std::get_if<ConvPlan>(&plan.kernel);
  return conv && conv->kind == ConvKind::kBlocked && !conv->isWinograd &&
         lowering::canHavePrologue(conv->shape);
}

bool isForHead(Operation* contraction, const CodeTarget& cpu) {
  const auto planned = planContraction(contraction, typesOf(contraction), cpu);
  const auto* plan = std::get_if<ContractionPlan>(&planned);
  return plan && canHaveHead(*plan) &&
         lowering::isForPrologue(std::get<ConvPlan>(plan->kernel).shape, cpu);
}

/// Whether the emitter of such a contraction takes `pool` behind it, of blocks as it is.
static bool canPool(const ContractionPlan& plan, Operation* pool, const CodeTarget& cpu) {
  const auto* conv = std::get_if<ConvPlan>(&plan.kernel);
  if (!conv || !conv->isWinograd) return false;
  const auto planned = planContraction(pool, typesOf(pool), cpu);
  const auto* plannedPool = std::get_if<ContractionPlan>(&planned);
  if (!plannedPool) return false;
  const auto& [windows, pooling, isPlain] = std::get<PoolPlan>(plannedPool->kernel);
  const bool coversResult = windows.inHeight == conv->shape.outHeight() &&
                            windows.inWidth == conv->shape.outWidth() &&
                            windows.inChannels == conv->shape.outChannels;
  return !isPlain && coversResult && lowering::canPoolSquares(windows);
}

bool isPooledResult(Operation* op, Operation* contraction, const CodeTarget& cpu) {
  if (!isContraction(contraction) || !isa<ir::AveragePoolOp, ir::MaxPoolOp>(op)) return false;
  const auto planned = planContraction(contraction, typesOf(contraction), cpu);
  const auto* plan = std::get_if<ContractionPlan>(&planned);
  return plan && canPool(*plan, op, cpu);
}

OrDeclined<RegionPlan> planRegion(func::FuncOp function, const CodeTarget& cpu) {
  return planRegion(function, cpu, scheduleOf(function));
}

OrDeclined<RegionPlan> planRegion(func::FuncOp function, const CodeTarget& cpu,
                                  const Schedule& schedule) {
  auto matched = matchContraction(function, cpu.vectorLanes);
  if (auto* declined = std::get_if<Declined>(&matched)) return std::move(*declined);
  auto& region = std::get<ContractionRegion>(matched);
  auto planned = planContraction(region.anchor, typesOf(region.anchor), cpu);
  if (auto* declined = std::get_if<Declined>(&planned)) return std::move(*declined);
  const auto& plan = std::get<ContractionPlan>(planned);
  if (region.hasHead() && !canHaveHead(plan))
    return Declined{region.anchor->getName().stripDialect().str() +
                    " is computed in a way that takes nothing in front of it"};
  if (region.pool && !canPool(plan, region.pool, cpu))
    return Declined{region.anchor->getName().stripDialect().str() +
                    " is computed in a way that takes no such pool behind it"};
  if (plan.bias == BiasPlace::kTail)
    region.tail.accesses[region.anchor->getOperand(2)] = plan.biasAccess;
  RegionPlan result{.region = std::move(region), .contraction = plan};
  applySchedule(schedule, cpu, result);
  return result;
}

// ---- layouts

/// Images with at most this many channels enter the first convolution as they are.
static constexpr int64_t kFewChannels = 4;

static ContractionTypes convTypes(const ContractionTypes& plain, ConvKind kind, bool isTransposed,
                                  int64_t lanes) {
  ContractionTypes types = plain;
  if (kind != ConvKind::kPlainInput) types.operands[0] = blockedAlong(types.operands[0], 1, lanes);
  types.operands[1] = convWeightsType(types.operands[1], kind, isTransposed, lanes);
  if (types.operands.size() > 2) types.operands[2] = blockedAlong(types.operands[2], 0, lanes);
  types.result = blockedAlong(types.result, 1, lanes);
  return types;
}

/// Types worth planning for, best first; weights are packed where that can be done once.
static SmallVector<ContractionTypes> candidates(Operation* contraction,
                                                const ContractionTypes& plain, bool comesBlocked,
                                                const CodeTarget& cpu) {
  const int64_t lanes = cpu.vectorLanes;
  SmallVector<ContractionTypes> all;
  if (isa<ir::ConvOp, ir::ConvTransposeOp>(contraction)) {
    const bool isTransposed = isa<ir::ConvTransposeOp>(contraction);
    const bool isNarrow =
        !comesBlocked && !isTransposed && plain.operands[0].getDimSize(1) <= kFewChannels;
    if (const auto shape = convShapeOf(contraction)) {
      const lowering::BlockedChoice blocked = {
          .kind = blockedKindFor(*shape, isNarrow, lanes).value_or(ConvKind::kBlocked),
          .isWinograd = !isNarrow && isWinogradFast(*shape, cpu),
          .packsWeights = !isConstant(contraction->getOperand(1))};
      // Weights that are read once are not worth packing.
      const bool readsOnce = blocked.packsWeights && hasOnePosition(*shape);
      if (readsOnce || lowering::isForRowMajor(*shape, blocked, comesBlocked, lanes))
        all.push_back(plain);
    }
    if (isNarrow) all.push_back(convTypes(plain, ConvKind::kPlainInput, isTransposed, lanes));
    for (const ConvKind kind : {ConvKind::kBlocked, ConvKind::kDepthwise})
      all.push_back(convTypes(plain, kind, isTransposed, lanes));
    // Weights that are prepared: at load, or in each run, where rows as they lie are better.
    ContractionTypes prepared = convTypes(plain, ConvKind::kBlocked, isTransposed, lanes);
    prepared.operands[1] = plain.operands[1];
    if (!isConstant(contraction->getOperand(1))) all.push_back(plain);
    all.push_back(std::move(prepared));
  } else if (const RankedTensorType b = plain.operands[1]; isConstant(contraction->getOperand(1)) &&
                                                           b.getRank() >= 2 && b.hasStaticShape() &&
                                                           b.getNumElements() > 0) {
    // A column is read where it lies, along the rows of A: in a panel it would be one lane of many.
    if (!isMatrixTimesVector(contraction)) {
      auto gemm = dyn_cast<ir::GemmOp>(contraction);
      ContractionTypes types = plain;
      types.operands[1] = packedMatrixType(b, gemm && gemm.getTransB() != 0, lanes);
      all.push_back(std::move(types));
    }
  }
  all.push_back(plain);
  return all;
}

SmallVector<ContractionTypes> plannedTypes(Operation* contraction,
                                           ArrayRef<RankedTensorType> available,
                                           const CodeTarget& cpu) {
  ContractionTypes plain = typesOf(contraction);
  for (auto [type, source] : llvm::zip_equal(plain.operands, available))
    type = ir::withBlocks(source, {}, {});
  plain.result = ir::withBlocks(plain.result, {}, {});
  const bool comesBlocked = isBlockedAlong(available[0], 1, cpu.vectorLanes);
  SmallVector<ContractionTypes> planned = candidates(contraction, plain, comesBlocked, cpu);
  llvm::erase_if(planned, [&](const ContractionTypes& types) {
    return std::holds_alternative<Declined>(planContraction(contraction, types, cpu));
  });
  return planned;
}

}  // namespace tessera::backend_native
