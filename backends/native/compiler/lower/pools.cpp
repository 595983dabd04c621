// Pools over windows of any type, rank and sizes; the fast ones do not come here. They work on
// memory: channels in blocks are an inner loop over one vector.
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/window.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// The loops of a pool: n, c, all spatial output dimensions but the last, taps, the last spatial
/// dimension, the rest of a blocked layout. Innermost loops then walk along memory.
struct PoolLoops {
  SmallVector<AffineMap> maps;  ///< Input, taps, output.
  Kinds kinds;
  SmallVector<int64_t> outputs, taps;  ///< Loop of each spatial dimension.
};

}  // namespace

static PoolLoops loopsOf(KernelBuilder& b, const Window& window, int64_t memoryRank) {
  const auto spatial = static_cast<int64_t>(window.rank());
  const int64_t numInner = memoryRank - spatial - 2, numLoops = memoryRank + spatial;
  PoolLoops loops;
  for (int64_t d = 0; d < spatial; ++d) {
    loops.outputs.push_back(d + 1 < spatial ? 2 + d : 1 + 2 * spatial);
    loops.taps.push_back(1 + spatial + d);
  }
  SmallVector<AffineExpr> input, taps, output;
  const auto loop = [&](int64_t i) { return b.getAffineDimExpr(static_cast<unsigned>(i)); };
  for (int64_t i = 0; i < 2; ++i) {
    input.push_back(loop(i));
    output.push_back(loop(i));
  }
  for (int64_t d = 0; d < spatial; ++d) {
    input.push_back(loop(loops.outputs[d]) * window.strides[d] +
                    loop(loops.taps[d]) * window.dilations[d]);
    taps.push_back(loop(loops.taps[d]));
    output.push_back(loop(loops.outputs[d]));
  }
  for (int64_t i = 0; i < numInner; ++i) {
    input.push_back(loop(2 + 2 * spatial + i));
    output.push_back(loop(2 + 2 * spatial + i));
  }
  for (const auto& results : {input, taps, output})
    loops.maps.push_back(
        AffineMap::get(static_cast<unsigned>(numLoops), 0, results, b.getContext()));
  loops.kinds = parallelLoops(static_cast<unsigned>(numLoops));
  for (const int64_t tap : loops.taps) loops.kinds[tap] = utils::IteratorType::reduction;
  return loops;
}

template <typename PoolOp>
static Window poolWindow(KernelBuilder& b, PoolOp op) {
  Values kernel;
  for (const int64_t extent : op.getKernelShape()) kernel.push_back(b.index(extent));
  const Values sizes = b.sizes(b.get(op.getX()));
  return windowOf(b, op, kernel, ArrayRef(sizes).slice(2, kernel.size()),
                  cast<RankedTensorType>(op.getY().getType()));
}

/// A tensor whose shape is that of the window; only its shape matters.
static Value tapsOf(KernelBuilder& b, const Window& window, Type element) {
  return b.empty(element, window.kernel);
}

static Values outputSizes(KernelBuilder& b, Value x, const Window& window) {
  Values sizes = b.sizes(x);
  for (size_t d = 0; d < window.rank(); ++d) sizes[d + 2] = window.output[d];
  return sizes;
}

/// Accumulates body(x element, accumulator) over each window; `start` also surrounds the input.
static Value accumulate(KernelBuilder& b, Value x, const Window& window, Value start,
                        ElementBody body) {
  const PoolLoops loops = loopsOf(b, window, typeOf(x).getRank());
  const Value padded = padForWindow(b, x, window, start);
  return b.generic({padded, tapsOf(b, window, typeOf(x).getElementType())}, loops.maps,
                   b.filled(start, outputSizes(b, x, window)), loops.kinds,
                   [&](Elements v) { return body({v[0], v[2]}); });
}

/// Maximum and its flat index in the input of row-major order (column-major with storage_order =
/// 1).
static Values maxWithIndices(KernelBuilder& b, ir::MaxPoolOp op, Value x, const Window& window) {
  const PoolLoops loops = loopsOf(b, window, typeOf(x).getRank());
  const Type element = typeOf(x).getElementType(), i64 = b.getI64Type();
  const Signedness signedness = signednessOf(elementOf(op.getX()));
  const Value start = Element::lowest(b, element, signedness);
  const Value padded = padForWindow(b, x, window, start);
  const Values to = outputSizes(b, x, window), from = b.sizes(x);
  SmallVector<AffineMap> maps = loops.maps;
  maps.push_back(maps.back());
  const Values inits = {b.filled(start, to), b.filled(b.integer(i64, -1), to)};
  return b.genericMany(
      {padded, tapsOf(b, window, element)}, maps, inits, loops.kinds, [&](Elements v) -> Values {
        const auto loop = [&](int64_t i) {
          return b.term(b.create<linalg::IndexOp>(static_cast<uint64_t>(i)));
        };
        Condition inside(b, b.integer(b.getI1Type(), 1));
        SmallVector<Index> place;
        for (size_t d = 0; d < window.rank(); ++d) {
          const Index at = loop(loops.outputs[d]) * window.strides[d] +
                           loop(loops.taps[d]) * window.dilations[d] - window.padsBegin[d];
          inside = inside & ((b.term(0) <= at) & (at < window.input[d]));
          place.push_back(at);
        }
        Index inPlane = b.term(0);
        for (size_t i = 0; i < window.rank(); ++i) {
          const size_t d = op.getStorageOrder() ? window.rank() - 1 - i : i;
          inPlane = inPlane * window.input[d] + place[d];
        }
        const Index plane = loop(0) * from[1] + loop(1);
        const Element flat = b.fromIndex(plane * b.product(window.input) + inPlane, i64);
        const Condition isFirst = v[3] < 0;
        const Condition wins = inside & (isFirst | (v[0].as(signedness) > v[2].as(signedness)));
        return {select(wins, v[0], v[2]), select(wins, flat, v[3])};
      });
}

LogicalResult lowerMaxPool(KernelBuilder& b, Operation* op) {
  auto pool = cast<ir::MaxPoolOp>(op);
  const Value x = b.get(pool.getX());
  const Window window = poolWindow(b, pool);
  if (pool.getIndices()) {
    const Values results = maxWithIndices(b, pool, x, window);
    b.set(pool.getY(), results[0]);
    b.set(pool.getIndices(), results[1]);
    return success();
  }
  const Signedness signedness = signednessOf(elementOf(pool.getX()));
  const Value start = Element::lowest(b, typeOf(x).getElementType(), signedness);
  b.set(pool.getY(), accumulate(b, x, window, start, [&](Elements v) {
          return larger(v[1].as(signedness), v[0].as(signedness));
        }));
  return success();
}

/// For each output position along dimension d, how many taps count; at least 1, so that the mean of
/// padding alone is 0.
static Value countTaps(KernelBuilder& b, const Window& window, size_t d, bool countsPadding,
                       Type element) {
  return b.compute(window.output[d], element, [&](ValueRange at) {
    const int64_t dilation = window.dilations[d];
    const Index input = b.term(window.input[d]), zero = b.term(0);
    const Index start = b.term(at[0]) * window.strides[d] - window.padsBegin[d];
    // Taps behind the border (of the input, or of its explicit padding) and, without padding,
    // before the first element.
    const Index end = countsPadding ? input + window.padsEnd[d] : input;
    const Index last = smaller(ceilDiv(end - start, dilation), window.kernel[d]);
    const Index first = countsPadding ? zero : larger(ceilDiv(zero - start, dilation), zero);
    return b.fromIndex(larger(last - first, b.term(1)), element);
  });
}

/// True when every window lies inside the input (or the padding, where that counts).
static bool isAlwaysFull(KernelBuilder& b, const Window& window, size_t d, bool countsPadding) {
  const auto begin = getConstantIntValue(window.padsBegin[d]),
             end = getConstantIntValue(window.padsEnd[d]);
  const auto input = getConstantIntValue(window.input[d]),
             output = getConstantIntValue(window.output[d]);
  if (!begin || !end || !input || !output) return false;
  const int64_t reach = *getConstantIntValue(window.reach(b, d));
  const int64_t span = (*output - 1) * window.strides[d] + reach;
  return countsPadding ? span <= *input + *begin + *end : *begin == 0 && span <= *input;
}

LogicalResult lowerAveragePool(KernelBuilder& b, Operation* op) {
  auto pool = cast<ir::AveragePoolOp>(op);
  const Value x = b.get(pool.getX());
  const Type element = typeOf(x).getElementType();
  const Window window = poolWindow(b, pool);
  const bool countsPadding = pool.getCountIncludePad() != 0;
  const Value sums =
      accumulate(b, x, window, b.scalar(element, 0), [](Elements v) { return v[1] + v[0]; });
  // The count is a product of one factor for each dimension; those that never change are one
  // number.
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  Values inputs = {sums};
  Maps maps = {identityMap(b, rank)};
  double constant = 1;
  for (size_t d = 0; d < window.rank(); ++d) {
    if (isAlwaysFull(b, window, d, countsPadding)) {
      constant *= static_cast<double>(*getConstantIntValue(window.kernel[d]));
      continue;
    }
    inputs.push_back(countTaps(b, window, d, countsPadding, element));
    maps.push_back(loopMap(b, rank, static_cast<int64_t>(d + 2)));
  }
  maps.push_back(identityMap(b, rank));
  const auto average = [&](Elements v) {
    if (inputs.size() == 1) return v[0] * (1.0 / constant);
    Element count = b.scalar(element, constant);
    for (size_t i = 1; i < inputs.size(); ++i) count = count * v[i];
    return v[0] / count;
  };
  b.set(pool.getY(),
        b.generic(inputs, maps, b.empty(element, b.sizes(sums)), parallelLoops(rank), average));
  return success();
}

LogicalResult lowerLpPool(KernelBuilder& b, Operation* op) {
  auto pool = cast<ir::LpPoolOp>(op);
  const Value x = b.get(pool.getX());
  const Type element = typeOf(x).getElementType();
  const auto p = static_cast<double>(pool.getP());
  const Value sums = accumulate(b, x, poolWindow(b, pool), b.scalar(element, 0), [&](Elements v) {
    return v[1] + (p == 2 ? v[0] * v[0] : pow(abs(v[0]), p));
  });
  b.set(pool.getY(),
        b.map(sums, element, [&](Elements v) { return p == 2 ? sqrt(v[0]) : pow(v[0], 1 / p); }));
  return success();
}

}  // namespace tessera::backend_native
