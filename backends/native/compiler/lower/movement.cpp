// Operators that move elements along rules of their own: permuted, joined, cut, repeated, padded,
// rearranged. They work on memory: concat and split along a blocked dimension count in blocks.
#include "backends/native/compiler/contraction/channel_moves.h"
#include "backends/native/compiler/kernel/broadcast.h"
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/slice.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

static RankedTensorType resultType(Operation* op, unsigned result = 0) {
  return cast<RankedTensorType>(op->getResult(result).getType());
}

LogicalResult lowerTranspose(KernelBuilder& b, Operation* op) {
  auto transpose = cast<ir::TransposeOp>(op);
  SmallVector<int64_t> perm;
  if (transpose.getPerm()) {
    perm.assign(transpose.getPerm()->begin(), transpose.getPerm()->end());
  } else {
    for (int64_t i = resultType(op).getRank(); i-- > 0;) perm.push_back(i);
  }
  setPlain(b, transpose.getTransposed(), b.transpose(b.get(transpose.getData()), perm));
  return success();
}

LogicalResult lowerConcat(KernelBuilder& b, Operation* op) {
  auto concat = cast<ir::ConcatOp>(op);
  const int64_t axis = concat.getAxisNormalized();
  // Whole blocks are joined as they are.
  const bool areBlocksCut = movesBlockedChannels(op);
  SmallVector<Value> parts;
  for (const Value input : concat.getInputs())
    parts.push_back(areBlocksCut ? plainOf(b, input) : b.get(input));
  const auto finish = [&](Value result) {
    areBlocksCut ? setPlain(b, op->getResult(0), result) : b.set(op->getResult(0), result);
    return success();
  };
  if (parts.size() == 1) return finish(parts[0]);
  Values sizes = b.sizes(parts[0]);
  const Values first = sizes;
  for (auto [number, part] : llvm::enumerate(ArrayRef(parts).drop_front())) {
    for (auto [i, size] : llvm::enumerate(b.sizes(part))) {
      if (static_cast<int64_t>(i) != axis)
        b.requireEqual(size, first[i],
                       "dimension " + Twine(i) + " of operand " + Twine(number + 1));
    }
    sizes[axis] = b.add(sizes[axis], b.size(part, axis));
  }
  Value result = b.empty(typeOf(parts[0]).getElementType(), sizes);
  Values offsets(sizes.size(), b.index(0));
  for (const Value part : parts) {
    result = b.insert(part, result, offsets);
    offsets[axis] = b.add(offsets[axis], b.size(part, axis));
  }
  return finish(result);
}

LogicalResult lowerSplit(KernelBuilder& b, Operation* op) {
  auto split = cast<ir::SplitOp>(op);
  const bool areBlocksCut = movesBlockedChannels(op);
  const Value input = areBlocksCut ? plainOf(b, split.getInput()) : b.get(split.getInput());
  const int64_t axis = split.getAxisNormalized();
  const auto numParts = static_cast<int64_t>(op->getNumResults());
  Values lengths = b.readInts(split.getSplit(), numParts);
  if (lengths.empty()) {
    // Equal parts, the last possibly smaller.
    const Value whole = b.size(input, axis), part = b.ceilDiv(whole, numParts);
    if (!split.getNumOutputs())
      b.require(b.equal(b.rem(whole, numParts), 0), whole, b.index(numParts),
                "a dimension of {0} elements is cut into {1} equal parts");
    lengths.assign(numParts, part);
    lengths.back() = b.term(whole) - b.mul(part, numParts - 1);
  }
  Values sizes = b.sizes(input), offsets(sizes.size(), b.index(0));
  Value sum = b.index(0);
  for (const Value length : lengths) {
    b.requireAtLeast(length, 0, "the length of a part");
    b.requireAtMost(length, sizes[axis], "the length of a part");
    sum = b.add(sum, length);
  }
  b.requireEqual(sum, sizes[axis], "the length of all parts");
  for (int64_t i = 0; i < numParts; ++i) {
    const RankedTensorType type = resultType(op, i);
    sizes[axis] =
        b.declaredOr(lengths[i], (areBlocksCut ? type : kernelType(type)).getDimSize(axis),
                     "the length of part " + Twine(i));
    const Value part = b.slice(input, offsets, sizes);
    areBlocksCut ? setPlain(b, op->getResult(i), part) : b.set(op->getResult(i), part);
    offsets[axis] = b.add(offsets[axis], sizes[axis]);
  }
  return success();
}

/// How many dimensions a slice cuts; nothing when no operand tells.
static std::optional<int64_t> numCuts(ir::SliceOp slice) {
  for (const Value list : {slice.getStarts(), slice.getEnds(), slice.getAxes(), slice.getSteps()}) {
    const auto type = list ? cast<RankedTensorType>(list.getType()) : RankedTensorType();
    if (type && type.hasStaticShape()) return type.getNumElements();
  }
  return std::nullopt;
}

std::optional<std::string> refuseSlice(Operation* op) {
  if (!numCuts(cast<ir::SliceOp>(op))) return "the number of axes is not known";
  return std::nullopt;
}

namespace {

/// What a slice takes of one dimension; null where it takes all.
struct Cut {
  Value start, end, step;
};

}  // namespace

/// One entry for each dimension.
static SmallVector<Cut> cutsOf(KernelBuilder& b, ir::SliceOp slice, int64_t rank) {
  const auto count = numCuts(slice);
  const Values starts = b.readInts(slice.getStarts(), count),
               ends = b.readInts(slice.getEnds(), count),
               steps = b.readInts(slice.getSteps(), count);
  const auto axes = ir::spec::constantAxes(slice.getAxes(), rank);
  const Values openAxes = axes ? Values() : b.readInts(slice.getAxes(), count);
  SmallVector<Cut> cuts(rank);
  for (size_t i = 0; i < starts.size(); ++i) {
    const Cut cut = {
        .start = starts[i], .end = ends[i], .step = steps.empty() ? b.index(1) : steps[i]};
    if (openAxes.empty()) {
      cuts[axes ? (*axes)[i] : static_cast<int64_t>(i)] = cut;
      continue;
    }
    const Value axis = ir::spec::normalizedAxis(b.term(openAxes[i]), rank);
    b.requireAtLeast(axis, 0, "an axis");
    b.requireAtMost(axis, b.index(rank - 1), "an axis");
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (!cuts[dim].start)
        cuts[dim] = {.start = b.index(0), .end = b.index(INT64_MAX), .step = b.index(1)};
      const Condition isHere = b.equal(axis, dim);
      cuts[dim] = {.start = b.select(isHere, cut.start, cuts[dim].start),
                   .end = b.select(isHere, cut.end, cuts[dim].end),
                   .step = b.select(isHere, cut.step, cuts[dim].step)};
    }
  }
  return cuts;
}

LogicalResult lowerSlice(KernelBuilder& b, Operation* op) {
  auto slice = cast<ir::SliceOp>(op);
  const bool areBlocksCut = movesBlockedChannels(op);
  const Value data = areBlocksCut ? plainOf(b, slice.getData()) : b.get(slice.getData());
  const auto finish = [&](Value result) {
    areBlocksCut ? setPlain(b, op->getResult(0), result) : b.set(op->getResult(0), result);
    return success();
  };
  Values sizes = b.sizes(data), offsets(sizes.size(), b.index(0)),
         strides(sizes.size(), b.index(1));
  const Value zero = b.index(0);
  bool isForward = true;
  for (auto [axis, cut] : llvm::enumerate(cutsOf(b, slice, typeOf(data).getRank()))) {
    if (!cut.start) continue;
    const Value step = cut.step;
    b.require(!b.equal(step, zero), step, zero, "a step is {0}, expected any other number");
    const auto range =
        ir::spec::sliceRange(b.term(sizes[axis]), b.term(cut.start), b.term(cut.end), b.term(step));
    offsets[axis] = range.start;
    strides[axis] = step;
    sizes[axis] = b.declaredOr(range.length, resultType(op).getDimSize(static_cast<unsigned>(axis)),
                               "dimension " + Twine(axis));
    isForward &= getConstantIntValue(step).value_or(-1) > 0;
  }
  if (isForward) return finish(b.slice(data, offsets, sizes, strides));
  return finish(b.compute(sizes, typeOf(data).getElementType(), [&](ValueRange indices) {
    Values from;
    for (auto [i, index] : llvm::enumerate(indices))
      from.push_back(b.term(offsets[i]) + b.mul(index, strides[i]));
    return b.load(data, from);
  }));
  return success();
}

std::optional<std::string> refuseExpand(Operation* op) {
  if (ir::constantInts(op->getOperand(1))) return std::nullopt;
  if (!cast<RankedTensorType>(op->getOperand(1).getType()).hasStaticShape())
    return "the rank of the result is not known";
  return std::nullopt;
}

LogicalResult lowerExpand(KernelBuilder& b, Operation* op) {
  const RankedTensorType type = resultType(op);
  Values sizes;
  if (!type.hasStaticShape() || !ir::constantInts(op->getOperand(1))) {
    const Values shapes[] = {b.sizes(b.get(op->getOperand(0))), b.readInts(op->getOperand(1))};
    sizes = broadcastSizes(b, shapes);
    b.requireShape(shapes[1]);
    b.requireShape(sizes);
    requireBroadcast(b, shapes[1], sizes, 1);
    for (auto [size, extent] : llvm::zip_equal(sizes, type.getShape()))
      size = b.declaredOr(size, extent, "a size of the result");
  }
  b.set(op->getResult(0),
        broadcast(
            b, operandOf(b, op->getOperand(0)), type, kernelElement(type.getElementType()),
            [](Elements elements) { return elements[0]; }, sizes));
  return success();
}

/// How often each dimension is repeated.
static Values repeatsOf(KernelBuilder& b, Operation* op, ValueRange from) {
  const RankedTensorType type = resultType(op), input = typeOf(b.get(op->getOperand(0)));
  Values repeats;
  const bool areKnown = type.hasStaticShape() && input.hasStaticShape();
  if (areKnown && !llvm::is_contained(input.getShape(), 0)) {
    for (auto [extent, size] : llvm::zip_equal(type.getShape(), input.getShape()))
      repeats.push_back(b.index(extent / size));
    return repeats;
  }
  repeats = b.readInts(op->getOperand(1), type.getRank());
  Values factors(from);
  for (const Value count : repeats) {
    b.requireAtLeast(count, 0, "a number of repeats");
    factors.push_back(count);
  }
  b.requireShape(factors);
  return repeats;
}

/// A dimension that is repeated is two, of which the outer one says nothing about the input: no
/// index has to be divided.
LogicalResult lowerTile(KernelBuilder& b, Operation* op) {
  const Value input = b.get(op->getOperand(0));
  const Values from = b.sizes(input);
  Values to, apart;
  SmallVector<size_t> places;  // Of the input's dimensions among those apart.
  for (auto [size, count] : llvm::zip_equal(from, repeatsOf(b, op, from))) {
    to.push_back(b.mul(size, count));
    if (getConstantIntValue(count) != 1) apart.push_back(count);
    places.push_back(apart.size());
    apart.push_back(size);
  }
  const Value tiled = b.compute(apart, typeOf(input).getElementType(), [&](ValueRange indices) {
    return b.load(input, llvm::map_to_vector(places, [&](size_t d) { return indices[d]; }));
  });
  b.set(op->getResult(0), b.reshape(tiled, to));
  return success();
}

/// out[n, c, h, w] from the input's indices that `source` gives.
static LogicalResult rearrange(KernelBuilder& b, Operation* op,
                               function_ref<Values(ValueRange, ValueRange)> source,
                               ValueRange sizes) {
  const Value input = b.get(op->getOperand(0));
  b.set(op->getResult(0), b.compute(sizes, typeOf(input).getElementType(), [&](ValueRange indices) {
    return b.load(input, source(indices, sizes));
  }));
  return success();
}

static void requireMultiple(KernelBuilder& b, Value size, int64_t factor, const Twine& what) {
  b.require(b.term(size) % factor == 0, size, b.index(factor),
            what + " is {0}, expected a multiple of {1}");
}

LogicalResult lowerDepthToSpace(KernelBuilder& b, Operation* op) {
  auto move = cast<ir::DepthToSpaceOp>(op);
  const auto block = static_cast<int64_t>(move.getBlocksize());
  const bool isDepthFirst = move.getMode() == ir::DepthOrder::BlocksFirst;
  const Values from = b.sizes(b.get(move.getInput()));
  requireMultiple(b, from[1], block * block, "the number of channels");
  const Values to = {from[0], b.floorDiv(from[1], block * block), b.mul(from[2], block),
                     b.mul(from[3], block)};
  return rearrange(
      b, op,
      [&](ValueRange at, ValueRange sizes) -> Values {
        const Index inner = b.term(at[1]), row = b.term(at[2]), column = b.term(at[3]);
        const Index offset = row % block * block + column % block;
        const Index channel =
            isDepthFirst ? offset * sizes[1] + inner : inner * (block * block) + offset;
        return {at[0], channel, floorDiv(row, block), floorDiv(column, block)};
      },
      to);
}

LogicalResult lowerSpaceToDepth(KernelBuilder& b, Operation* op) {
  auto move = cast<ir::SpaceToDepthOp>(op);
  const auto block = static_cast<int64_t>(move.getBlocksize());
  const Values from = b.sizes(b.get(move.getInput()));
  for (const Value size : {from[2], from[3]})
    requireMultiple(b, size, block, "a spatial dimension");
  const Values to = {from[0], b.mul(from[1], block * block), b.floorDiv(from[2], block),
                     b.floorDiv(from[3], block)};
  return rearrange(
      b, op,
      [&](ValueRange at, ValueRange) -> Values {
        const Index channel = b.term(at[1]), row = b.term(at[2]), column = b.term(at[3]);
        const Index offset = floorDiv(channel, from[1]);
        return {at[0], channel % from[1], row * block + floorDiv(offset, block),
                column * block + offset % block};
      },
      to);
}

LogicalResult lowerReverseSequence(KernelBuilder& b, Operation* op) {
  auto reverse = cast<ir::ReverseSequenceOp>(op);
  const Value lengths = b.get(reverse.getSequenceLens());
  const auto time = static_cast<int64_t>(reverse.getTimeAxis());
  const auto batch = static_cast<int64_t>(reverse.getBatchAxis());
  const Values sizes = b.sizes(b.get(reverse.getInput()));
  b.requireEqual(b.size(lengths, 0), sizes[batch], "the number of sequence lengths");
  requireElements(b, lengths, b.index(0), sizes[time], "a sequence length");
  return rearrange(
      b, op,
      [&](ValueRange at, ValueRange) -> Values {
        const Index length = b.toIndex(b.load(lengths, at[batch])), step = b.term(at[time]);
        Values from(at);
        from[time] = select(step < length, length - 1 - step, step);
        return from;
      },
      b.sizes(b.get(reverse.getInput())));
}

}  // namespace tessera::backend_native
