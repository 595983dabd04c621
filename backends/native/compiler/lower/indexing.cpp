// Reading and writing at positions that a tensor gives. Positions outside are refused, after which
// nothing is read; that they are moved to the border as well keeps the loops safe by themselves.
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

LogicalResult lowerGather(KernelBuilder& b, Operation* op) {
  auto gather = cast<ir::GatherOp>(op);
  const Value data = plainOf(b, gather.getData()), positions = b.get(gather.getIndices());
  const int64_t axis = gather.getAxisNormalized(), depth = typeOf(positions).getRank();
  const Values from = b.sizes(data), chosen = b.sizes(positions);
  requireIndices(b, gather.getIndices(), from[axis]);
  Values to(from.begin(), from.begin() + axis);
  to.append(chosen);
  to.append(from.begin() + axis + 1, from.end());
  const Value chosenSlices = b.compute(to, typeOf(data).getElementType(), [&](ValueRange at) {
    const Value position = b.toIndex(b.load(positions, at.slice(axis, depth)));
    Values source(at.take_front(axis));
    source.push_back(wrapIndex(b, position, from[axis]));
    llvm::append_range(source, at.drop_front(axis + depth));
    return b.load(data, source);
  });
  setPlain(b, op->getResult(0), chosenSlices);
  return success();
}

/// No dimension but `axis` is larger than that of the data.
static void requireSmaller(KernelBuilder& b, ValueRange sizes, ValueRange data, int64_t axis) {
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (static_cast<int64_t>(i) != axis && !b.isSameSize(size, data[i]))
      b.requireAtMost(size, data[i], "dimension " + Twine(i) + " of the indices");
  }
}

LogicalResult lowerGatherElements(KernelBuilder& b, Operation* op) {
  auto gather = cast<ir::GatherElementsOp>(op);
  const Value data = b.get(gather.getData()), positions = b.get(gather.getIndices());
  const int64_t axis = gather.getAxisNormalized();
  const Value extent = b.size(data, axis);
  requireIndices(b, gather.getIndices(), extent);
  requireSmaller(b, b.sizes(positions), b.sizes(data), axis);
  b.set(op->getResult(0),
        b.compute(b.sizes(positions), typeOf(data).getElementType(), [&](ValueRange at) {
          Values source(at);
          source[axis] = wrapIndex(b, b.toIndex(b.load(positions, at)), extent);
          return b.load(data, source);
        }));
  return success();
}

std::optional<std::string> refuseGatherNd(Operation* op) {
  const auto indices = cast<RankedTensorType>(op->getOperand(1).getType());
  if (indices.isDynamicDim(indices.getRank() - 1))
    return "the length of the index tuples is not known";
  return std::nullopt;
}

/// The index tuple at `row` of `positions`, each entry moved into data's dimensions from `first`
/// on.
static Values readTuple(KernelBuilder& b, Value positions, ValueRange row, ValueRange extents,
                        int64_t first) {
  const int64_t depth = typeOf(positions).getShape().back();
  Values tuple;
  for (int64_t i = 0; i < depth; ++i) {
    Values at(row);
    at.push_back(b.index(i));
    tuple.push_back(wrapIndex(b, b.toIndex(b.load(positions, at)), extents[first + i]));
  }
  return tuple;
}

LogicalResult lowerGatherNd(KernelBuilder& b, Operation* op) {
  auto gather = cast<ir::GatherNdOp>(op);
  const Value data = b.get(gather.getData()), positions = b.get(gather.getIndices());
  const auto numBatch = static_cast<int64_t>(gather.getBatchDims());
  const int64_t depth = typeOf(positions).getShape().back();
  const int64_t numRows = typeOf(positions).getRank() - 1;
  const Values from = b.sizes(data);
  Values to = b.sizes(positions);
  for (int64_t i = 0; i < numBatch; ++i)
    b.requireEqual(to[i], from[i], "batch dimension " + Twine(i) + " of the indices");
  requireTuples(b, positions, from, numBatch);
  to.pop_back();
  to.append(from.begin() + numBatch + depth, from.end());
  b.set(op->getResult(0), b.compute(to, typeOf(data).getElementType(), [&](ValueRange at) {
    Values source(at.take_front(numBatch));
    source.append(readTuple(b, positions, at.take_front(numRows), from, numBatch));
    llvm::append_range(source, at.drop_front(numRows));
    return b.load(data, source);
  }));
  return success();
}

/// The new element where `update` meets `old`.
static Element combine(ir::ScatterReduction reduction, const Element& old, const Element& update) {
  switch (reduction) {
    case ir::ScatterReduction::None:
      return update;
    case ir::ScatterReduction::Add:
      return old + update;
    case ir::ScatterReduction::Mul:
      return old * update;
    case ir::ScatterReduction::Max:
      return larger(old, update);
    case ir::ScatterReduction::Min:
      return smaller(old, update);
  }
  return update;
}

/// `state` with what `updates` has for a place in its dimensions before `slice`, combined with what
/// is there: elements, or slices of sizes `slice`.
static Value update(KernelBuilder& b, Value state, Value updates, ValueRange row, ValueRange place,
                    ValueRange slice,
                    function_ref<Element(const Element& old, const Element& update)> combined) {
  if (slice.empty()) {
    const Element element = combined(b.load(state, place), b.load(updates, row));
    return b.create<tensor::InsertOp>(Value(element), state, place);
  }
  const auto partOf = [&](Value tensor, ValueRange at) {
    Values offsets(at), sizes(at.size(), b.index(1));
    offsets.append(slice.size(), b.index(0));
    sizes.append(slice.begin(), slice.end());
    return std::pair(b.slice(tensor, offsets, sizes), offsets);
  };
  const auto [old, offsets] = partOf(state, place);
  const Value part = b.reshape(partOf(updates, row).first, b.sizes(old));
  const auto rank = static_cast<unsigned>(typeOf(old).getRank());
  const Value combination =
      b.generic(part, {identityMap(b, rank), identityMap(b, rank)}, old, parallelLoops(rank),
                [&](Elements v) { return combined(v[1], v[0]); });
  return b.insert(combination, state, offsets);
}

/// What a Scatter does: `target` gives the place of an update by the first `numRows` dimensions,
/// the others are slices.
struct Scatter {
  Value data, updates;
  int64_t numRows;
  bool replaces;  ///< What is there before does not count.
  function_ref<Element(const Element& old, const Element& update)> combined;
  function_ref<Values(ValueRange)> target;
};

/// Ranges of a dimension that are worked on at once.
static constexpr int64_t kRanges = 16;

/// The number of a place in a tensor of these sizes.
static Index flatten(KernelBuilder& b, ValueRange place, ValueRange sizes) {
  Index number = b.term(int64_t{0});
  for (auto [position, size] : llvm::zip_equal(place, sizes)) number = number * size + position;
  return number;
}

/// `state` behind all updates, in order.
static Value updateAll(KernelBuilder& b, const Scatter& scatter, Value state) {
  const Values sizes = b.sizes(scatter.updates);
  const ValueRange rows = ValueRange(sizes).take_front(scatter.numRows);
  const ValueRange slice = ValueRange(sizes).drop_front(scatter.numRows);
  return b.forEach(rows, state, [&](ValueRange at, ValueRange now) -> Values {
    return {update(b, now[0], scatter.updates, at, scatter.target(at), slice, scatter.combined)};
  })[0];
}

/// The number of the last update of each place, -1 where there is none; `places` are the sizes of
/// the dimensions that tuples are for.
static Value lastUpdates(KernelBuilder& b, const Scatter& scatter, ValueRange places) {
  const Values sizes = b.sizes(scatter.updates);
  const ValueRange rows = ValueRange(sizes).take_front(scatter.numRows);
  const Type i64 = b.getI64Type();
  const Value none = b.filled(b.integer(i64, -1), places);
  return b.forEach(rows, none, [&](ValueRange at, ValueRange now) -> Values {
    const Value last = b.fromIndex(flatten(b, at, rows), i64);
    return {b.create<tensor::InsertOp>(last, now[0], scatter.target(at))};
  })[0];
}

/// Slices that replace others, in one pass: each of the result is copied from where it comes from.
static Value replaceSlices(KernelBuilder& b, const Scatter& scatter, int64_t depth) {
  const Values sizes = b.sizes(scatter.data);
  const ValueRange places = ValueRange(sizes).take_front(depth),
                   slice = ValueRange(sizes).drop_front(depth);
  const Value last = lastUpdates(b, scatter, places);
  Values each = {b.product(ArrayRef(b.sizes(scatter.updates)).take_front(scatter.numRows))};
  llvm::append_range(each, slice);
  const Value updates = b.reshape(scatter.updates, each);
  const auto partAt = [&](ValueRange at) {
    Part part{.offsets = Values(at), .sizes = Values(at.size(), b.index(1))};
    part.offsets.append(slice.size(), b.index(0));
    llvm::append_range(part.sizes, slice);
    return part;
  };
  const auto rank = static_cast<unsigned>(sizes.size());
  const auto sliceAt = [&](Value from, ValueRange at) {
    const Part part = partAt(at);
    return b.reshape(b.slice(from, part.offsets, part.sizes), partAt(places).sizes);
  };
  const auto copied = [&](Value from, Value to) -> Values {
    return {b.generic(from, {identityMap(b, rank), identityMap(b, rank)}, to, parallelLoops(rank),
                      [](Elements v) { return v[0]; })};
  };
  const Value result = b.empty(typeOf(scatter.data).getElementType(), sizes);
  return b.forEachPart(
      places, result, estimatedElements(scatter.data),
      [&](ValueRange at) { return SmallVector<Part>{partAt(at)}; },
      [&](ValueRange at, ValueRange parts) {
        const Index number = b.toIndex(b.load(last, at));
        const Value old = sliceAt(scatter.data, at),
                    fresh = sliceAt(updates, Value(larger(number, 0)));
        return b.choose(
            number < b.index(0), [&] { return copied(old, parts[0]); },
            [&] { return copied(fresh, parts[0]); });
      })[0];
}

/// Range `number` of the `count` elements of a dimension that are shared out.
struct Range {
  Index begin, size;
};
static Range rangeOf(KernelBuilder& b, Value count, Value number) {
  const Index each = ceilDiv(b.term(count), kRanges), begin = b.term(number) * each;
  const std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known % kRanges == 0) return {.begin = begin, .size = each};
  return {.begin = begin, .size = larger(smaller(b.term(count) - begin, each), 0)};
}

static int64_t workOf(const Scatter& scatter) {
  return std::max(estimatedElements(scatter.data), estimatedElements(scatter.updates));
}

/// A copy of the part of `data` at `offsets`, in `to`.
static Value copyPart(KernelBuilder& b, Value data, ValueRange offsets, Value to) {
  const auto rank = static_cast<unsigned>(typeOf(to).getRank());
  return b.generic(b.slice(data, offsets, b.sizes(to)),
                   {identityMap(b, rank), identityMap(b, rank)}, to, parallelLoops(rank),
                   [](Elements v) { return v[0]; });
}

/// Slices that are combined with others: several ranges of places at once, for each of which all
/// updates are gone through in order.
static Value combineSlices(KernelBuilder& b, const Scatter& scatter, int64_t depth) {
  const Values sizes = b.sizes(scatter.data), rows = b.sizes(scatter.updates);
  const ValueRange extents = ValueRange(sizes).take_front(depth);
  const Value places = b.product(extents), length = b.product(ArrayRef(sizes).drop_front(depth));
  const ValueRange numbers = ValueRange(rows).take_front(scatter.numRows);
  const Value data = b.reshape(scatter.data, {places, length}),
              updates = b.reshape(scatter.updates, {b.product(numbers), length}),
              result = b.empty(typeOf(data).getElementType(), {places, length});
  const auto partOf = [&](ValueRange at) {
    const Range range = rangeOf(b, places, at[0]);
    return Part{.offsets = {range.begin, b.index(0)}, .sizes = {range.size, length}};
  };
  const auto change = [&](ValueRange at, ValueRange parts) {
    const Part part = partOf(at);
    const Value copy = copyPart(b, data, part.offsets, parts[0]);
    return b.forEach(numbers, copy, [&](ValueRange row, ValueRange now) {
      const Index place = flatten(b, scatter.target(row), extents) - part.offsets[0];
      const Condition isHere = b.isInside(place, part.sizes[0]);
      // A loop of one step or none: a branch that leaves the part as it is would copy it.
      const Value times = b.select(isHere, b.index(1), b.index(0));
      return b.forEach(times, now, [&](ValueRange, ValueRange state) -> Values {
        return {update(b, state[0], updates, Value(flatten(b, row, numbers)), Value(place), length,
                       scatter.combined)};
      });
    });
  };
  const Value combined = b.forEachPart(
      b.index(kRanges), result, workOf(scatter),
      [&](ValueRange at) { return SmallVector<Part>{partOf(at)}; }, change)[0];
  return b.reshape(combined, sizes);
}

/// Elements that are moved along one dimension: several ranges of another one at once.
static Value updateRanges(KernelBuilder& b, const Scatter& scatter, int64_t dim) {
  const Values sizes = b.sizes(scatter.data), rows = b.sizes(scatter.updates);
  const Value result = b.empty(typeOf(scatter.data).getElementType(), sizes);
  const auto partOf = [&](ValueRange at) {
    const Range range = rangeOf(b, sizes[dim], at[0]);
    Part part{.offsets = Values(sizes.size(), b.index(0)), .sizes = sizes};
    part.offsets[dim] = range.begin;
    part.sizes[dim] = range.size;
    return part;
  };
  const auto change = [&](ValueRange at, ValueRange parts) {
    const Part part = partOf(at);
    const Value begin = part.offsets[dim];
    Values counts = rows;
    counts[dim] = larger(smaller(b.term(rows[dim]) - begin, part.sizes[dim]), 0);
    const Value copy = copyPart(b, scatter.data, part.offsets, parts[0]);
    return b.forEach(counts, copy, [&](ValueRange here, ValueRange now) -> Values {
      Values row(here);
      row[dim] = b.add(row[dim], begin);
      Values place = scatter.target(row);
      place[dim] = here[dim];
      return {update(b, now[0], scatter.updates, row, place, {}, scatter.combined)};
    });
  };
  return b.forEachPart(
      b.index(kRanges), result, workOf(scatter),
      [&](ValueRange at) { return SmallVector<Part>{partOf(at)}; }, change)[0];
}

/// Whether slices have at least `least` elements.
static bool hasSlicesOf(const Scatter& scatter, int64_t least) {
  const ArrayRef<int64_t> slice = typeOf(scatter.updates).getShape().drop_front(scatter.numRows);
  return !ShapedType::isDynamicShape(slice) && ShapedType::getNumElements(slice) >= least;
}

static Value scatterSlices(KernelBuilder& b, const Scatter& scatter, int64_t depth) {
  // Beside a number for each place; beside looking at each update in each range, of which some are
  // empty where there are few places.
  constexpr int64_t kLeastReplaced = 16, kLeastOfMany = 64, kLeastOfFew = 1024;
  const ArrayRef<int64_t> extents = typeOf(scatter.data).getShape().take_front(depth);
  const bool areFew =
      !ShapedType::isDynamicShape(extents) && ShapedType::getNumElements(extents) < kRanges;
  const int64_t leastCombined = areFew ? kLeastOfFew : kLeastOfMany;
  if (depth == 0) return updateAll(b, scatter, scatter.data);
  if (scatter.replaces && hasSlicesOf(scatter, kLeastReplaced))
    return replaceSlices(b, scatter, depth);
  if (!scatter.replaces && hasSlicesOf(scatter, leastCombined))
    return combineSlices(b, scatter, depth);
  return updateAll(b, scatter, scatter.data);
}

/// The dimension whose ranges are shared out: the largest beside `axis` and the innermost one, of
/// which ranges would be short pieces; that one where it is long and the others have one element.
static int64_t sharedDim(const Scatter& scatter, int64_t axis) {
  constexpr int64_t kLong = 16 * kRanges;
  const ArrayRef<int64_t> shape = typeOf(scatter.data).getShape();
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  int64_t largest = axis == 0 ? 1 : 0;
  for (int64_t dim = largest; dim < last; ++dim) {
    if (dim == axis) continue;
    if (ShapedType::isDynamic(shape[dim])) return dim;
    if (shape[dim] > shape[largest]) largest = dim;
  }
  return shape[largest] == 1 && axis != last && shape[last] >= kLong ? last : largest;
}

LogicalResult lowerScatterElements(KernelBuilder& b, Operation* op) {
  auto write = cast<ir::ScatterElementsOp>(op);
  const Value data = b.get(write.getData()), positions = b.get(write.getIndices());
  const int64_t axis = write.getAxisNormalized();
  const Value extent = b.size(data, axis);
  requireIndices(b, write.getIndices(), extent);
  const Values updates = b.sizes(b.get(write.getUpdates()));
  requireSmaller(b, b.sizes(positions), b.sizes(data), axis);
  for (auto [i, size] : llvm::enumerate(b.sizes(positions)))
    b.requireEqual(updates[i], size, "dimension " + Twine(i) + " of the updates");
  const auto target = [&](ValueRange at) {
    Values place(at);
    place[axis] = wrapIndex(b, b.toIndex(b.load(positions, at)), extent);
    return place;
  };
  const Signedness signedness = signednessOf(elementOf(write.getData()));
  const auto combined = [&](const Element& old, const Element& update) {
    return combine(write.getReduction(), old.as(signedness), update.as(signedness));
  };
  const Scatter scatter{.data = data,
                        .updates = b.get(write.getUpdates()),
                        .numRows = typeOf(positions).getRank(),
                        .replaces = write.getReduction() == ir::ScatterReduction::None,
                        .combined = combined,
                        .target = target};
  const bool isLine = scatter.numRows < 2;
  b.set(op->getResult(0),
        isLine ? updateAll(b, scatter, data) : updateRanges(b, scatter, sharedDim(scatter, axis)));
  return success();
}

LogicalResult lowerScatterNd(KernelBuilder& b, Operation* op) {
  auto write = cast<ir::ScatterNdOp>(op);
  const Value data = b.get(write.getData()), positions = b.get(write.getIndices());
  const int64_t numRows = typeOf(positions).getRank() - 1;
  const Values extents = b.sizes(data), rows = b.sizes(positions),
               updates = b.sizes(b.get(write.getUpdates()));
  const int64_t depth = typeOf(positions).getShape().back();
  requireTuples(b, positions, extents, 0);
  for (auto [i, size] : llvm::enumerate(updates)) {
    const auto dim = static_cast<int64_t>(i);
    b.requireEqual(size, dim < numRows ? rows[dim] : extents[dim - numRows + depth],
                   "dimension " + Twine(i) + " of the updates");
  }
  const auto target = [&](ValueRange at) { return readTuple(b, positions, at, extents, 0); };
  const Signedness signedness = signednessOf(elementOf(write.getData()));
  const auto combined = [&](const Element& old, const Element& update) {
    return combine(write.getReduction(), old.as(signedness), update.as(signedness));
  };
  const Scatter scatter{.data = data,
                        .updates = b.get(write.getUpdates()),
                        .numRows = numRows,
                        .replaces = write.getReduction() == ir::ScatterReduction::None,
                        .combined = combined,
                        .target = target};
  b.set(op->getResult(0), scatterSlices(b, scatter, depth));
  return success();
}

}  // namespace tessera::backend_native
