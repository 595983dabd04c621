// Convolutions of any rank, type and shape as plain loops; the fast ones do not come here. Loops:
// n, group, m, all spatial output dimensions but the last, c, taps, the last spatial dimension: the
// innermost walks along memory.
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "backends/native/compiler/lower/window.h"
#include "compiler/ir/spec/window.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// Weights as [group, m, c, taps...] where `loop` of each dimension of the tensor is given.
struct Weights {
  Value tensor;
  bool isTransposed = false;  ///< In memory [group, c, m, taps...].
};

}  // namespace

/// y[n, g, m, o...] = bias[g, m] + sum of x[n, g, c, o * stride + k * dilation] * w[g, m, c, k...].
static Value convolve(KernelBuilder& b, Value padded, const Weights& weights, Value bias,
                      const Window& window, int64_t groups) {
  const auto spatial = static_cast<int64_t>(window.rank());
  const Type element = typeOf(padded).getElementType();
  const Values in = b.sizes(padded), w = b.sizes(weights.tensor);
  const Value groupCount = b.index(groups);
  const Value inChannels = weights.isTransposed ? b.floorDiv(w[0], groups) : w[1];
  b.requireEqual(in[1], b.mul(inChannels, groups), "the number of channels");
  const Value outChannels = weights.isTransposed ? w[1] : b.floorDiv(w[0], groups);
  const auto split = [&](Value tensor, ValueRange leading, ValueRange rest) {
    Values sizes(leading);
    sizes.append(rest.begin(), rest.end());
    return b.reshape(tensor, sizes);
  };
  const Value x = split(padded, {in[0], groupCount, inChannels}, ArrayRef(in).drop_front(2));
  const Value kernel = split(weights.tensor,
                             weights.isTransposed ? ValueRange{groupCount, inChannels, outChannels}
                                                  : ValueRange{groupCount, outChannels, inChannels},
                             ArrayRef(w).drop_front(2));
  Values outSizes = {in[0], groupCount, outChannels};
  outSizes.append(window.output);

  const int64_t numLoops = 4 + 2 * spatial, channel = 2 + spatial;
  const auto loop = [&](int64_t i) { return b.getAffineDimExpr(static_cast<unsigned>(i)); };
  SmallVector<AffineExpr> from = {loop(0), loop(1), loop(channel)},
                          to = {loop(0), loop(1), loop(2)};
  SmallVector<AffineExpr> by = {loop(1), loop(weights.isTransposed ? channel : 2),
                                loop(weights.isTransposed ? 2 : channel)};
  Kinds kinds = parallelLoops(static_cast<unsigned>(numLoops));
  kinds[channel] = utils::IteratorType::reduction;
  for (int64_t d = 0; d < spatial; ++d) {
    const int64_t output = d + 1 < spatial ? 3 + d : 3 + 2 * spatial, tap = channel + 1 + d;
    kinds[tap] = utils::IteratorType::reduction;
    from.push_back(loop(output) * window.strides[d] + loop(tap) * window.dilations[d]);
    by.push_back(loop(tap));
    to.push_back(loop(output));
  }
  const auto mapOf = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(static_cast<unsigned>(numLoops), 0, results, b.getContext());
  };
  Value start;
  if (bias) {
    b.requireEqual(b.size(bias, 0), b.mul(groupCount, outChannels), "dimension 0 of operand 2");
    const auto rank = static_cast<unsigned>(outSizes.size());
    start = b.generic(b.reshape(bias, {groupCount, outChannels}),
                      {loopMap(b, rank, {1, 2}), identityMap(b, rank)}, b.empty(element, outSizes),
                      parallelLoops(rank), [](Elements v) { return v[0]; });
  } else {
    start = b.filled(b.scalar(element, 0), outSizes);
  }
  const Value y = b.generic({x, kernel}, {mapOf(from), mapOf(by), mapOf(to)}, start, kinds,
                            [](Elements v) { return v[2] + v[0] * v[1]; });
  Values joined = {in[0], b.mul(groupCount, outChannels)};
  joined.append(window.output);
  return b.reshape(y, joined);
}

/// The spatial sizes of the weights, which are those of the attribute where it is given.
static Values kernelOf(KernelBuilder& b, std::optional<ArrayRef<int64_t>> given, Value weights) {
  Values kernel(ArrayRef(b.sizes(weights)).drop_front(2));
  if (given) {
    for (auto [i, extent] : llvm::enumerate(*given))
      b.requireEqual(kernel[i], b.index(extent), "dimension " + Twine(i + 2) + " of the weights");
  }
  return kernel;
}

LogicalResult lowerConv(KernelBuilder& b, Operation* op) {
  auto conv = cast<ir::ConvOp>(op);
  const Value x = plainOf(b, conv.getX());
  const Values sizes = b.sizes(x),
               kernel = kernelOf(b, conv.getKernelShape(), plainOf(b, conv.getW()));
  const Window window = windowOf(b, conv, kernel, ArrayRef(sizes).drop_front(2),
                                 cast<RankedTensorType>(conv.getType()));
  const Value padded = padForWindow(b, x, window, b.scalar(typeOf(x).getElementType(), 0));
  setPlain(b, conv.getY(),
           convolve(b, padded, {.tensor = plainOf(b, conv.getW())}, plainOf(b, conv.getB()), window,
                    static_cast<int64_t>(conv.getGroup())));
  return success();
}

/// The input with stride - 1 zeros between its elements, so that a plain convolution with reversed
/// taps gives the result.
static Value spreadInput(KernelBuilder& b, Value x, const Window& window) {
  const Values sizes = b.sizes(x);
  Values spread = sizes, first(sizes.size(), b.index(0)), count = sizes, offsets = first;
  Values steps(sizes.size(), b.index(1));
  for (size_t d = 0; d < window.rank(); ++d) {
    const int64_t stride = window.strides[d];
    // Element i lands at lead + i * stride; those that fall outside are not needed.
    const Index border = b.term(window.reach(b, d)) - 1, zero = b.term(0);
    const Index lead = border - window.padsBegin[d];
    const Index length = b.term(window.output[d]) + border;
    const Index begin = larger(ceilDiv(zero - lead, stride), zero);
    const Index end = smaller(ceilDiv(length - lead, stride), sizes[d + 2]);
    spread[d + 2] = length;
    first[d + 2] = begin;
    count[d + 2] = larger(end - begin, zero);
    offsets[d + 2] = lead + begin * stride;
    steps[d + 2] = b.index(stride);
  }
  const Value zeros = b.filled(b.scalar(typeOf(x).getElementType(), 0), spread);
  return b.insert(b.slice(x, first, count), zeros, offsets, steps);
}

/// The weights with their taps in reverse order. Index expressions with negative steps would do,
/// but tiling them is wrong.
static Value reverseTaps(KernelBuilder& b, Value weights, const Window& window) {
  return b.compute(b.sizes(weights), typeOf(weights).getElementType(), [&](ValueRange at) {
    Values from(at);
    for (size_t d = 0; d < window.rank(); ++d)
      from[d + 2] = b.term(window.kernel[d]) - 1 - at[d + 2];
    return b.load(weights, from);
  });
}

LogicalResult lowerConvTranspose(KernelBuilder& b, Operation* op) {
  auto conv = cast<ir::ConvTransposeOp>(op);
  const Value x = plainOf(b, conv.getX());
  const Values sizes = b.sizes(x),
               kernel = kernelOf(b, conv.getKernelShape(), plainOf(b, conv.getW()));
  Window window = transposedWindow(b, conv, kernel, ArrayRef(sizes).drop_front(2));
  const Value spread = spreadInput(b, x, window);
  window.strides.assign(window.rank(), 1);
  const Weights weights = {.tensor = reverseTaps(b, plainOf(b, conv.getW()), window),
                           .isTransposed = true};
  setPlain(b, conv.getY(),
           convolve(b, spread, weights, plainOf(b, conv.getB()), window,
                    static_cast<int64_t>(conv.getGroup())));
  return success();
}

}  // namespace tessera::backend_native
