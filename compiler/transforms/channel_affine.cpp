#include "compiler/transforms/channel_affine.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/io/new_bytes.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/join_constants.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

namespace tessera::transforms {

/// Weights up to this size are copied although others use them as well.
static constexpr int64_t kSmallWeightBytes = 1 << 16;

std::optional<int64_t> channelDim(Operation* producer) {
  if (isa_and_present<ir::ConvOp, ir::ConvTransposeOp, ir::GemmOp>(producer)) return 1;
  return std::nullopt;
}

std::optional<std::vector<float>> perChannel(Value value, RankedTensorType type, int64_t dim) {
  const RankedTensorType shape = staticType(value);
  const int64_t channels = type.getDimSize(dim);
  if (!shape || ShapedType::isDynamic(channels) || shape.getRank() > type.getRank()) {
    return std::nullopt;
  }
  const int64_t offset = type.getRank() - shape.getRank();
  for (int64_t d = 0; d < shape.getRank(); ++d) {
    const bool isChannel = d + offset == dim;
    if (shape.getDimSize(d) != 1 && !(isChannel && shape.getDimSize(d) == channels)) {
      return std::nullopt;
    }
  }
  const std::optional<Floats> floats = constantFloats(value);
  if (!floats) return std::nullopt;
  const std::span<const float> values = floats->values();
  if (values.size() == 1) return std::vector<float>(channels, values[0]);
  return std::vector<float>(values.begin(), values.end());
}

/// Where the elements of one output channel lie in the weights: element i belongs to channel
/// (i / inner) % count, plus `count` for each group of input channels.
struct WeightOrder {
  int64_t inner;
  int64_t count;
  int64_t groupElements;
};

static WeightOrder weightOrder(Operation* producer, RankedTensorType weights) {
  const auto shape = weights.getShape();
  const int64_t total = weights.getNumElements();
  if (isa<ir::ConvOp>(producer))
    return {.inner = total / shape[0], .count = shape[0], .groupElements = total};
  if (auto transposed = dyn_cast<ir::ConvTransposeOp>(producer)) {
    return {.inner = total / (shape[0] * shape[1]),
            .count = shape[1],
            .groupElements = total / static_cast<int64_t>(transposed.getGroup())};
  }
  const bool isTransposed = cast<ir::GemmOp>(producer).getTransB() == 1;
  return {.inner = isTransposed ? shape[1] : 1,
          .count = isTransposed ? shape[0] : shape[1],
          .groupElements = total};
}

/// weight * factor, but not zero unless one of them is: with an infinite input a zero gives NaN.
static float scaleWeight(float weight, float factor) {
  const float scaled = weight * factor;
  if (scaled != 0 || weight == 0 || factor == 0) return scaled;
  return std::copysign(std::numeric_limits<float>::denorm_min(), scaled);
}

/// Elements that one thread scales at a time, at least.
static constexpr int64_t kRunElements = 1 << 15;

/// Nothing when a weight would not be finite. A pass over large weights is bound by memory: one
/// does it all, on the threads of the context.
static std::optional<ir::NewBytes> scaleWeights(Operation* producer, RankedTensorType type,
                                                std::span<const float> weights,
                                                std::span<const float> scale) {
  ir::NewBytes scaled = ir::allocateBytes(weights.size_bytes());
  if (weights.empty()) return scaled;
  const WeightOrder order = weightOrder(producer, type);
  auto* to = reinterpret_cast<float*>(scaled.bytes.data());
  std::atomic<bool> areFinite = true;
  const int64_t numRuns = static_cast<int64_t>(weights.size()) / order.inner;  // Of one channel.
  const int64_t runsAtOnce = std::max<int64_t>(1, kRunElements / order.inner);
  const int64_t numPieces = llvm::divideCeil(numRuns, runsAtOnce);
  const auto scalePiece = [&](int64_t piece) {
    bool isFinite = true;
    const int64_t end = std::min(numRuns, (piece + 1) * runsAtOnce);
    for (int64_t run = piece * runsAtOnce; run < end; ++run) {
      const int64_t first = run * order.inner;
      const float factor = scale[run % order.count + first / order.groupElements * order.count];
      for (int64_t i = first; i < first + order.inner; ++i) {
        to[i] = scaleWeight(weights[i], factor);
        isFinite = isFinite && std::isfinite(to[i]);
      }
    }
    if (!isFinite) areFinite = false;
  };
  parallelFor(type.getContext(), 0, numPieces, scalePiece);
  if (!areFinite) return std::nullopt;
  return scaled;
}

static Value biasOf(Operation* producer) {
  return producer->getNumOperands() > 2 ? producer->getOperand(2) : Value();
}

/// The producer's present bias for each channel; a Gemm's is scaled by beta.
static std::optional<std::vector<float>> presentBias(Operation* producer, int64_t channels) {
  const Value bias = biasOf(producer);
  if (!bias) return std::vector<float>(channels, 0);
  auto gemm = dyn_cast<ir::GemmOp>(producer);
  const auto outputType = tensorType(producer->getResult(0));
  auto values = gemm ? perChannel(bias, outputType, 1) : std::nullopt;
  if (!gemm) {
    const std::optional<Floats> floats = constantFloats(bias);
    if (!floats) return std::nullopt;
    values.emplace(floats->values().begin(), floats->values().end());
  }
  if (gemm && values) {
    const float beta = gemm.getBeta().convertToFloat();
    // As in BLAS, what is left out may hold anything.
    for (float& value : *values) value = beta == 0 ? 0 : value * beta;
  }
  return values;
}

static Operation* cloneWithWeights(Operation* producer, Operation* consumer, Value weights,
                                   Value bias, PatternRewriter& rewriter) {
  OperationState state(fusedLocation({producer, consumer}), producer->getName());
  state.addOperands({producer->getOperand(0), weights, bias});
  state.addTypes(consumer->getResult(0).getType());
  state.addAttributes(producer->getAttrs());
  Operation* clone = rewriter.create(state);
  if (auto gemm = dyn_cast<ir::GemmOp>(clone)) gemm.setBeta(llvm::APFloat(1.0f));
  return clone;
}

LogicalResult foldIntoProducer(Operation* producer, Operation* consumer,
                               const ChannelAffine& affine, PatternRewriter& rewriter) {
  if (!producer->hasOneUse()) {
    return rewriter.notifyMatchFailure(consumer, "the producer has other users");
  }
  const Value weightsValue = producer->getOperand(1);
  const std::optional<Floats> weights = constantFloats(weightsValue);
  if (!weights) return rewriter.notifyMatchFailure(consumer, "the weights are no f32 constant");
  const RankedTensorType weightsType = tensorType(weightsValue);
  if (!weightsValue.hasOneUse() && ir::physicalSizeBytes(weightsType) > kSmallWeightBytes) {
    return rewriter.notifyMatchFailure(consumer, "the weights have other users");
  }
  const auto channels = static_cast<int64_t>(affine.scale.size());
  std::optional<std::vector<float>> bias = presentBias(producer, channels);
  if (!bias || static_cast<int64_t>(bias->size()) != channels) {
    return rewriter.notifyMatchFailure(consumer, "the bias is no f32 constant for each channel");
  }
  for (int64_t c = 0; c < channels; ++c) {
    (*bias)[c] = (*bias)[c] * affine.scale[c] + affine.shift[c];
  }
  const bool isScaled = llvm::any_of(affine.scale, [](float factor) { return factor != 1; });
  std::optional<ir::NewBytes> scaled;
  if (isScaled) scaled = scaleWeights(producer, weightsType, weights->values(), affine.scale);
  if ((isScaled && !scaled) || !areFinite(*bias)) {
    return rewriter.notifyMatchFailure(consumer, "a folded weight would not be finite");
  }
  Value newWeights = weightsValue;
  if (isScaled) {
    const auto type = RankedTensorType::get(weightsType.getShape(), rewriter.getF32Type());
    newWeights = ir::createConstant(rewriter, weightsValue.getLoc(), type, scaled->blob());
  }
  const Location loc = fusedLocation({producer, consumer});
  const Value newBias = createFloats(rewriter, loc, {channels}, *bias);
  Operation* folded = cloneWithWeights(producer, consumer, newWeights, newBias, rewriter);
  rewriter.replaceOp(consumer, folded);
  rewriter.eraseOp(producer);
  return success();
}

}  // namespace tessera::transforms
