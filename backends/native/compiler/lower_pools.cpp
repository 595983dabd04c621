// Pools over windows. They work on memory: channels in blocks are an inner loop over one vector.
#include "backends/native/compiler/emit_scalar.h"
#include "backends/native/compiler/lowerings.h"
#include "backends/native/compiler/window.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

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
                   [&](ValueRange v) { return body({v[0], v[2]}); });
}

/// Maximum and its flat index in the input of row-major order (column-major with storage_order =
/// 1).
static Values maxWithIndices(KernelBuilder& b, ir::MaxPoolOp op, Value x, const Window& window) {
  const PoolLoops loops = loopsOf(b, window, typeOf(x).getRank());
  const Type element = typeOf(x).getElementType(), i64 = b.getI64Type();
  const bool isUnsignedElement = isUnsigned(elementOf(op.getX()));
  const Value start = b.lowest(element, isUnsignedElement);
  const Value padded = padForWindow(b, x, window, start);
  const Values to = outputSizes(b, x, window), from = b.sizes(x);
  SmallVector<AffineMap> maps = loops.maps;
  maps.push_back(maps.back());
  const Values inits = {b.filled(start, to), b.filled(b.integer(i64, -1), to)};
  return b.genericMany(
      {padded, tapsOf(b, window, element)}, maps, inits, loops.kinds, [&](ValueRange v) -> Values {
        const auto loop = [&](int64_t i) -> Value {
          return b.create<linalg::IndexOp>(static_cast<uint64_t>(i));
        };
        Value inside = b.integer(b.getI1Type(), 1);
        SmallVector<Value> place;
        for (size_t d = 0; d < window.rank(); ++d) {
          const Value at = b.sub(b.add(b.mul(loop(loops.outputs[d]), window.strides[d]),
                                       b.mul(loop(loops.taps[d]), window.dilations[d])),
                                 window.padsBegin[d]);
          inside =
              b.both(inside, b.both(b.lessOrEqual(b.index(0), at), b.less(at, window.input[d])));
          place.push_back(at);
        }
        Value flat = b.index(0);
        for (size_t i = 0; i < window.rank(); ++i) {
          const size_t d = op.getStorageOrder() ? window.rank() - 1 - i : i;
          flat = b.add(b.mul(flat, window.input[d]), place[d]);
        }
        const Value plane = b.add(b.mul(loop(0), from[1]), loop(1));
        flat = b.fromIndex(b.add(b.mul(plane, b.product(window.input)), flat), i64);
        const Value isFirst = emitCompare(b, Compare::kLess, v[3], b.integer(i64, 0));
        const Value beats = b.create<arith::OrIOp>(
            isFirst, emitCompare(b, Compare::kGreater, v[0], v[2], isUnsignedElement));
        const Value wins = b.both(inside, beats);
        return {b.select(wins, v[0], v[2]), b.select(wins, flat, v[3])};
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
  const bool isUnsignedElement = isUnsigned(elementOf(pool.getX()));
  const Value start = b.lowest(typeOf(x).getElementType(), isUnsignedElement);
  b.set(pool.getY(), accumulate(b, x, window, start, [&](ValueRange v) {
          return emitMax(b, v[1], v[0], isUnsignedElement);
        }));
  return success();
}

/// For each output position along dimension d, how many taps count.
static Value countTaps(KernelBuilder& b, const Window& window, size_t d, bool countsPadding,
                       Type element) {
  return b.compute(window.output[d], element, [&](ValueRange at) {
    const int64_t dilation = window.dilations[d];
    const Value start = b.sub(b.mul(at[0], window.strides[d]), window.padsBegin[d]);
    // Taps behind the border (of the input, or of its explicit padding) and, without padding,
    // before the first element.
    const Value end = countsPadding ? b.add(window.input[d], window.padsEnd[d]) : window.input[d];
    const Value last = b.smaller(b.ceilDiv(b.sub(end, start), dilation), window.kernel[d]);
    const Value first = countsPadding
                            ? b.index(0)
                            : b.larger(b.ceilDiv(b.sub(b.index(0), start), dilation), b.index(0));
    return b.fromIndex(b.sub(last, first), element);
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
  const Value sums = accumulate(b, x, window, b.scalar(element, 0),
                                [&](ValueRange v) { return emitAdd(b, v[1], v[0]); });
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
  b.set(pool.getY(), b.generic(inputs, maps, b.empty(element, b.sizes(sums)), parallelLoops(rank),
                               [&](ValueRange v) {
                                 if (inputs.size() == 1)
                                   return emitMul(b, v[0], b.scalar(element, 1.0 / constant));
                                 Value count = b.scalar(element, constant);
                                 for (size_t i = 1; i < inputs.size(); ++i)
                                   count = emitMul(b, count, v[i]);
                                 return emitDiv(b, v[0], count, false);
                               }));
  return success();
}

LogicalResult lowerLpPool(KernelBuilder& b, Operation* op) {
  auto pool = cast<ir::LpPoolOp>(op);
  const Value x = b.get(pool.getX());
  const Type element = typeOf(x).getElementType();
  const auto p = static_cast<double>(pool.getP());
  const Value sums = accumulate(b, x, poolWindow(b, pool), b.scalar(element, 0), [&](ValueRange v) {
    const Value size = b.create<math::AbsFOp>(v[0]);
    const Value power = p == 2 ? emitMul(b, v[0], v[0])
                               : b.create<math::PowFOp>(size, b.scalar(element, p)).getResult();
    return emitAdd(b, v[1], power);
  });
  b.set(pool.getY(), b.map(sums, element, [&](ValueRange v) -> Value {
    if (p == 2) return b.create<math::SqrtOp>(v[0]);
    return b.create<math::PowFOp>(v[0], b.scalar(element, 1 / p));
  }));
  return success();
}

}  // namespace tessera::backend_native
