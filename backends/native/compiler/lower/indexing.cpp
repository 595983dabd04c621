// Reading and writing at positions that a tensor gives. Positions outside are refused, after which
// nothing is read; that they are moved to the border as well keeps the loops safe by themselves.
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

/// Goes through all updates in order: of their first `numRows` dimensions `target` gives the place,
/// the others are slices.
static LogicalResult scatter(KernelBuilder& b, Operation* op, Value updates, int64_t numRows,
                             ir::ScatterReduction reduction,
                             function_ref<Values(ValueRange)> target) {
  const Value data = b.get(op->getOperand(0));
  const Signedness signedness = signednessOf(getElementTypeOrSelf(op->getOperand(0).getType()));
  const Values sizes = b.sizes(updates);
  const ValueRange rows = ValueRange(sizes).take_front(numRows);
  const ValueRange slice = ValueRange(sizes).drop_front(numRows);
  const Values result = b.forEach(rows, data, [&](ValueRange at, ValueRange state) -> Values {
    return {update(b, state[0], updates, at, target(at), slice,
                   [&](const Element& old, const Element& update) {
                     return combine(reduction, old.as(signedness), update.as(signedness));
                   })};
  });
  b.set(op->getResult(0), result[0]);
  return success();
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
  return scatter(b, op, b.get(write.getUpdates()), typeOf(positions).getRank(),
                 write.getReduction(), [&](ValueRange at) {
                   Values place(at);
                   place[axis] = wrapIndex(b, b.toIndex(b.load(positions, at)), extent);
                   return place;
                 });
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
  return scatter(b, op, b.get(write.getUpdates()), numRows, write.getReduction(),
                 [&](ValueRange at) { return readTuple(b, positions, at, extents, 0); });
}

}  // namespace tessera::backend_native
