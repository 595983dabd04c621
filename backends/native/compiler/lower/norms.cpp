// Normalisations: statistics over some dimensions, then one elementwise pass.
#include "backends/native/compiler/kernel/broadcast.h"
#include "backends/native/compiler/kernel/lines.h"
#include "backends/native/compiler/kernel/lrn.h"
#include "backends/native/compiler/kernel/moments.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tessera::backend_native {

using namespace mlir;

/// 1 / sqrt(variance + epsilon).
static Value inverseDeviation(KernelBuilder& b, Value variance, double epsilon) {
  const Type element = typeOf(variance).getElementType();
  return b.map(variance, element, [&](Elements v) { return 1 / sqrt(v[0] + epsilon); });
}

/// (x - mean) * inverse * scale + bias; mean, scale and bias may be absent.
static Value applyMoments(KernelBuilder& b, Value x, Value mean, Value inverse,
                          ArrayRef<int64_t> kept, const LineOperand& scale,
                          const LineOperand& bias) {
  SmallVector<LineOperand> operands = {
      LineOperand{.tensor = inverse, .loops = SmallVector<int64_t>(kept)}};
  for (const LineOperand& optional :
       {LineOperand{.tensor = mean, .loops = SmallVector<int64_t>(kept)}, scale, bias}) {
    if (optional.tensor) operands.push_back(optional);
  }
  return mapLines(b, x, operands, typeOf(x).getElementType(), [&](Elements v) {
    size_t next = 2;
    Element y = mean ? v[0] - v[next++] : v[0];
    y = y * v[1];
    if (scale.tensor) y = y * v[next++];
    return bias.tensor ? y + v[next] : y;
  });
}

/// A parameter that broadcasts to the last dimensions of x, a tensor of the same kind as `like`.
static LineOperand alignedRight(KernelBuilder& b, Value parameter, Value x, RankedTensorType like) {
  if (!parameter) return {};
  LineOperand operand{.tensor = b.get(parameter), .loops = {}};
  const int64_t rank = like.getRank();
  const auto type = cast<RankedTensorType>(parameter.getType());
  const int64_t missing = rank - type.getRank();
  const auto isOpen = [&](int64_t i) {
    return type.isDynamicDim(i) && !ir::isEqualSize(type, i, like, i + missing);
  };
  const bool mayBroadcast = llvm::any_of(llvm::seq<int64_t>(0, type.getRank()), isOpen);
  if (mayBroadcast) {
    const auto whole =
        RankedTensorType::get(like.getShape().drop_front(missing), type.getElementType());
    const Values sizes(ArrayRef(b.sizes(x)).drop_front(missing));
    operand.tensor = broadcast(
        b, operandOf(b, parameter), whole, kernelElement(type.getElementType()),
        [](Elements elements) { return elements[0]; }, sizes);
  }
  for (int64_t i = 0; i < type.getRank(); ++i)
    operand.loops.push_back(!mayBroadcast && type.getDimSize(i) == 1 ? -1 : i + missing);
  return operand;
}

LogicalResult lowerLayerNorm(KernelBuilder& b, Operation* op) {
  auto norm = cast<ir::LayerNormOp>(op);
  const Value x = b.get(norm.getX());
  const auto type = cast<RankedTensorType>(norm.getX().getType());
  const Type element = elementOf(norm.getX());
  const int64_t rank = typeOf(x).getRank(), axis = norm.getAxisNormalized();
  const SmallVector<int64_t> dims = dimRange(axis, rank), kept = dimRange(0, axis);
  const Moments moments = momentsOf(b, x, dims, /*isCentered=*/true);
  const Value inverse = inverseDeviation(b, moments.variance, norm.getEpsilon().convertToDouble());
  b.set(norm.getY(),
        applyMoments(b, x, moments.mean, inverse, kept, alignedRight(b, norm.getScale(), x, type),
                     alignedRight(b, norm.getB(), x, type)));
  const auto setStatistic = [&](Value result, Value statistic) {
    if (!result) return;
    const Type wanted = elementOf(result);
    if (wanted != element)
      statistic = b.map(statistic, wanted, [&](Elements v) { return convert(v[0], wanted); });
    b.set(result, keepDims(b, statistic, b.sizes(x), dims));
  };
  setStatistic(norm.getMean(), moments.mean);
  setStatistic(norm.getInvStdDev(), inverse);
  return success();
}

LogicalResult lowerRmsNorm(KernelBuilder& b, Operation* op) {
  auto norm = cast<ir::RmsNormOp>(op);
  const Value x = b.get(norm.getX());
  const auto type = cast<RankedTensorType>(norm.getX().getType());
  const int64_t rank = typeOf(x).getRank(), axis = norm.getAxisNormalized();
  const Moments moments = momentsOf(b, x, dimRange(axis, rank), /*isCentered=*/false);
  const Value inverse = inverseDeviation(b, moments.variance, norm.getEpsilon().convertToDouble());
  b.set(norm.getY(), applyMoments(b, x, {}, inverse, dimRange(0, axis),
                                  alignedRight(b, norm.getScale(), x, type), {}));
  return success();
}

/// The loops over the channels of an image of `rank` dimensions: one, or two where they are blocks.
static SmallVector<int64_t> channelLoops(Value x, int64_t rank) {
  return typeOf(x).getRank() > rank ? SmallVector<int64_t>{1, rank} : SmallVector<int64_t>{1};
}

LogicalResult lowerInstanceNorm(KernelBuilder& b, Operation* op) {
  auto norm = cast<ir::InstanceNormOp>(op);
  const Value x = b.get(norm.getInput());
  const int64_t rank = typeOf(norm.getY()).getRank();
  const SmallVector<int64_t> channels = channelLoops(x, rank);
  SmallVector<int64_t> kept = {0};
  kept.append(channels);
  const Moments moments = momentsOf(b, x, dimRange(2, rank), /*isCentered=*/true);
  const Value inverse = inverseDeviation(b, moments.variance, norm.getEpsilon().convertToDouble());
  b.set(norm.getY(), applyMoments(b, x, moments.mean, inverse, kept,
                                  {.tensor = b.get(norm.getScale()), .loops = channels},
                                  {.tensor = b.get(norm.getB()), .loops = channels}));
  return success();
}

/// Whether channels lie in blocks without padding.
static bool areWholeBlocks(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  return layout && layout.getBlockDims() == ArrayRef<int64_t>(1) &&
         type.getDimSize(1) % layout.getBlockSizes()[0] == 0;
}

/// Of channels in whole blocks, which groups may cut.
static Value normalizeBlocks(KernelBuilder& b, ir::GroupNormOp norm) {
  const Value x = b.get(norm.getX());
  const RankedTensorType type = typeOf(norm.getX());
  const auto groups = static_cast<int64_t>(norm.getNumGroups());
  const Moments channels = momentsOf(b, x, dimRange(2, type.getRank()), /*isCentered=*/true);
  const Values inBlocks = b.sizes(channels.mean);
  const Values inGroups = {inBlocks[0], b.index(groups), b.index(type.getDimSize(1) / groups)};
  const Value means = b.reshape(channels.mean, inGroups);
  const Moments moments =
      joinMoments(b, {.mean = means, .variance = b.reshape(channels.variance, inGroups)}, {2});
  const Value inverse = inverseDeviation(b, moments.variance, norm.getEpsilon().convertToDouble());
  // Each channel by itself, with the numbers of its group.
  const auto ofChannels = [&](Value values) {
    const LineOperand ofGroup = {.tensor = values, .loops = {0, 1}};
    const Value spread =
        mapLines(b, means, ofGroup, elementOf(values), [](Elements v) { return v[1]; });
    return b.reshape(spread, inBlocks);
  };
  const auto parameter = [&](Value value) {
    return LineOperand{.tensor = b.reshape(b.get(value), {inBlocks[1], inBlocks[2]}),
                       .loops = {1, type.getRank()}};
  };
  return applyMoments(b, x, ofChannels(moments.mean), ofChannels(inverse), {0, 1, type.getRank()},
                      parameter(norm.getScale()), parameter(norm.getBias()));
}

LogicalResult lowerGroupNorm(KernelBuilder& b, Operation* op) {
  auto norm = cast<ir::GroupNormOp>(op);
  if (areWholeBlocks(typeOf(norm.getX()))) {
    b.set(norm.getY(), normalizeBlocks(b, norm));
    return success();
  }
  const Value input = plainOf(b, norm.getX());
  const Values sizes = b.sizes(input);
  const Value groups = b.index(static_cast<int64_t>(norm.getNumGroups())),
              perGroup = b.floorDiv(sizes[1], groups);
  Values split = {sizes[0], groups, perGroup};
  split.append(sizes.begin() + 2, sizes.end());
  const Value x = b.reshape(input, split);
  const auto parameter = [&](Value value) {
    return LineOperand{.tensor = b.reshape(b.get(value), {groups, perGroup}), .loops = {1, 2}};
  };
  const Moments moments = momentsOf(b, x, dimRange(2, typeOf(x).getRank()), /*isCentered=*/true);
  const Value inverse = inverseDeviation(b, moments.variance, norm.getEpsilon().convertToDouble());
  const Value y = applyMoments(b, x, moments.mean, inverse, {0, 1}, parameter(norm.getScale()),
                               parameter(norm.getBias()));
  setPlain(b, norm.getY(), b.reshape(y, sizes));
  return success();
}

LogicalResult lowerMeanVarianceNorm(KernelBuilder& b, Operation* op) {
  auto norm = cast<ir::MeanVarianceNormOp>(op);
  const Value x = b.get(norm.getX());
  const Type element = elementOf(norm.getX());
  const SmallVector<int64_t> dims = norm.getReducedDims();
  const Moments moments = momentsOf(b, x, dims, /*isCentered=*/true);
  const SmallVector<int64_t> kept = otherDims(typeOf(x).getRank(), dims);
  const LineOperand operands[] = {{.tensor = moments.mean, .loops = kept},
                                  {.tensor = moments.variance, .loops = kept}};
  b.set(norm.getY(), mapLines(b, x, operands, element, [&](Elements v) {
          const Element deviation = sqrt(v[2]) + 1e-9;
          return (v[0] - v[1]) / deviation;
        }));
  return success();
}

LogicalResult lowerLpNorm(KernelBuilder& b, Operation* op) {
  auto norm = cast<ir::LpNormOp>(op);
  const Value x = b.get(norm.getInput());
  const Type element = elementOf(norm.getInput());
  const int64_t axis = norm.getAxisNormalized();
  const bool isEuclidean = norm.getP() == 2;
  const Value sums = reduceLines(b, x, {}, axis, b.scalar(element, 0), [&](Elements v) {
    return v[1] + (isEuclidean ? v[0] * v[0] : abs(v[0]));
  });
  // A line of zeros is divided by 1 and stays zeros.
  const Value divisors = b.map(sums, element, [&](Elements v) {
    const Element length = isEuclidean ? sqrt(v[0]) : v[0];
    return select(length == 0, 1, length);
  });
  const LineOperand lines = {.tensor = divisors, .loops = otherDims(typeOf(x).getRank(), axis)};
  b.set(norm.getY(), mapLines(b, x, lines, element, [](Elements v) { return v[0] / v[1]; }));
  return success();
}

/// Of each element, the sum of squares over `size` channels from `before` before its own on, by
/// loops over a copy whose channels are padded by zeros: windows need no test.
static Value sumWindows(KernelBuilder& b, Value x, int64_t size, int64_t before) {
  const Type element = typeOf(x).getElementType();
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  const Value zero = b.scalar(element, 0);
  // Loops: n, c, window, positions.
  const Values sizes = b.sizes(x);
  Values padded = sizes, offsets(rank, b.index(0));
  padded[1] = b.add(sizes[1], size - 1);
  offsets[1] = b.index(before);
  const Value source = b.insert(x, b.filled(zero, padded), offsets);
  SmallVector<AffineExpr> from, to;
  for (unsigned i = 0; i < rank; ++i) {
    const AffineExpr loop = b.getAffineDimExpr(i < 2 ? i : i + 1);
    from.push_back(i == 1 ? loop + b.getAffineDimExpr(2) : loop);
    to.push_back(loop);
  }
  Kinds kinds = parallelLoops(rank + 1);
  kinds[2] = utils::IteratorType::reduction;
  const auto mapOf = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(rank + 1, 0, results, b.getContext());
  };
  const Value window = b.empty(element, b.index(size));
  return b.generic({source, window}, {mapOf(from), mapOf(b.getAffineDimExpr(2)), mapOf(to)},
                   b.filled(zero, sizes), kinds, [](Elements v) { return v[2] + v[0] * v[0]; });
}

/// The same at one place, written out: nothing but x is read, and nothing written.
static Element sumWindow(KernelBuilder& b, Value x, int64_t size, int64_t before, ValueRange at) {
  const Value channels = b.size(x, 1);
  const Element zero = b.scalar(typeOf(x).getElementType(), 0);
  Element sum = zero;
  for (int64_t i = 0; i < size; ++i) {
    Values place(at);
    const Value channel = b.add(at[1], i - before);
    place[1] = b.larger(b.smaller(channel, b.sub(channels, 1)), b.index(0));
    const Element neighbour = select(b.isInside(channel, channels), b.load(x, place), zero);
    sum = sum + neighbour * neighbour;
  }
  return sum;
}

LogicalResult lowerLrn(KernelBuilder& b, Operation* op) {
  constexpr int64_t kMostWritten = 9;  // Channels.
  auto lrn = cast<ir::LrnOp>(op);
  const Value x = plainOf(b, lrn.getX());
  const Type element = typeOf(x).getElementType();
  const auto size = static_cast<int64_t>(lrn.getSize());
  const int64_t before = responseWindow(lrn).before;
  if (size <= kMostWritten) {
    setPlain(b, lrn.getY(), b.compute(b.sizes(x), element, [&](ValueRange at) {
      const Element own = b.load(x, at);
      return normalizeResponse(lrn, own, sumWindow(b, x, size, before, at), b.isExact());
    }));
    return success();
  }
  const Value sums = sumWindows(b, x, size, before);
  setPlain(b, lrn.getY(), b.map({x, sums}, element, [&](Elements v) {
    return normalizeResponse(lrn, v[0], v[1], b.isExact());
  }));
  return success();
}

}  // namespace tessera::backend_native
