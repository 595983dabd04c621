// The loop nests of KernelBuilder.
#include "backends/native/compiler/kernel/kernel_builder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

int64_t estimatedElements(Value tensor) {
  constexpr int64_t kUnknown = int64_t{1} << 20;
  const RankedTensorType type = typeOf(tensor);
  return type.hasStaticShape() ? type.getNumElements() : kUnknown;
}

AffineMap identityMap(KernelBuilder& b, unsigned rank) { return b.getMultiDimIdentityMap(rank); }

AffineMap loopMap(KernelBuilder& b, unsigned numLoops, ArrayRef<int64_t> loops) {
  SmallVector<AffineExpr> results;
  for (const int64_t loop : loops)
    results.push_back(loop < 0 ? b.getAffineConstantExpr(0)
                               : b.getAffineDimExpr(static_cast<unsigned>(loop)));
  return AffineMap::get(numLoops, 0, results, b.getContext());
}

/// All tensors that a loop walks along have one size there.
static void requireOneSizePerLoop(KernelBuilder& b, ValueRange inputs, ValueRange inits,
                                  ArrayRef<AffineMap> maps) {
  Values loopSizes(maps[0].getNumDims());
  Values tensors(inits);  // First: they are of the size of the result.
  tensors.append(inputs.begin(), inputs.end());
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    const size_t position = i < inits.size() ? inputs.size() + i : i - inits.size();
    for (auto [dim, size] : llvm::enumerate(b.sizes(tensor))) {
      const auto loop = dyn_cast<AffineDimExpr>(maps[position].getResult(dim));
      if (!loop) continue;
      Value& known = loopSizes[loop.getPosition()];
      if (known) b.requireEqual(size, known, "dimension " + Twine(dim));
      if (!known) known = size;
    }
  }
}

Values KernelBuilder::genericMany(ValueRange inputs, ArrayRef<AffineMap> maps, ValueRange inits,
                                  ArrayRef<utils::IteratorType> kinds,
                                  function_ref<Values(Elements)> body) {
  SmallVector<Values> known;
  for (const Value init : inits) known.push_back(sizes(init));
  requireOneSizePerLoop(*this, inputs, inits, maps);
  auto op = create<linalg::GenericOp>(inits.getTypes(), inputs, inits, maps, kinds);
  {
    const OpBuilder::InsertionGuard guard(*this);
    SmallVector<Type> elements;
    for (const Value tensor : llvm::concat<const Value>(Values(inputs), Values(inits)))
      elements.push_back(getElementTypeOrSelf(tensor.getType()));
    const SmallVector<Location> locations(elements.size(), getLoc());
    Block* block = createBlock(&op.getRegion(), {}, elements, locations);
    setInsertionPointToStart(block);
    const auto arguments = llvm::map_to_vector(block->getArguments(),
                                               [&](Value argument) { return element(argument); });
    create<linalg::YieldOp>(body(arguments));
  }
  for (auto [result, extents] : llvm::zip_equal(op.getResults(), known)) setSizes(result, extents);
  return Values(op.getResults());
}

Value KernelBuilder::generic(ValueRange inputs, ArrayRef<AffineMap> maps, Value init,
                             ArrayRef<utils::IteratorType> kinds, ElementBody body) {
  return genericMany(inputs, maps, init, kinds,
                     [&](Elements elements) { return Values{body(elements)}; })[0];
}

Value KernelBuilder::compute(ValueRange sizes, Type element, PlaceBody body) {
  const auto rank = static_cast<unsigned>(sizes.size());
  return generic({}, {identityMap(*this, rank)}, empty(element, sizes), parallelLoops(rank),
                 [&](Elements) {
                   Values indices;
                   for (unsigned i = 0; i < rank; ++i)
                     indices.push_back(create<linalg::IndexOp>(i));
                   return body(indices);
                 });
}

Value KernelBuilder::map(ValueRange inputs, Type element, ElementBody body) {
  const auto rank = static_cast<unsigned>(typeOf(inputs[0]).getRank());
  const Maps maps(inputs.size() + 1, identityMap(*this, rank));
  return generic(inputs, maps, empty(element, sizes(inputs[0])), parallelLoops(rank),
                 [&](Elements elements) { return body(elements.drop_back()); });
}

Value KernelBuilder::transpose(Value tensor, ArrayRef<int64_t> perm) {
  const Values from = sizes(tensor);
  Values to;
  SmallVector<int64_t> inverse(perm.size());
  for (auto [i, dim] : llvm::enumerate(perm)) {
    to.push_back(from[dim]);
    inverse[dim] = static_cast<int64_t>(i);
  }
  const auto rank = static_cast<unsigned>(perm.size());
  return generic(tensor, {loopMap(*this, rank, inverse), identityMap(*this, rank)},
                 empty(typeOf(tensor).getElementType(), to), parallelLoops(rank),
                 [](Elements elements) { return elements[0]; });
}

Values KernelBuilder::forEach(ValueRange sizes, ValueRange initial,
                              function_ref<Values(ValueRange, ValueRange)> body) {
  const OpBuilder::InsertionGuard guard(*this);
  const Value zero = index(0), one = index(1);
  Values indices, state(initial);
  SmallVector<scf::ForOp> loops;
  for (const Value size : sizes) {
    auto loop = create<scf::ForOp>(zero, size, one, state);
    loops.push_back(loop);
    indices.push_back(loop.getInductionVar());
    const Values outer = state;
    state.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    for (auto [inside, outside] : llvm::zip_equal(state, outer)) {
      if (isa<RankedTensorType>(outside.getType())) setSizes(inside, this->sizes(outside));
    }
    setInsertionPointToStart(loop.getBody());
  }
  Values results = body(indices, state);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    setInsertionPointToEnd(loop.getBody());
    create<scf::YieldOp>(results);
    results.assign(loop.getResults().begin(), loop.getResults().end());
  }
  for (auto [result, start] : llvm::zip_equal(results, initial)) {
    if (isa<RankedTensorType>(start.getType())) setSizes(result, this->sizes(start));
  }
  return results;
}

Values KernelBuilder::choose(Value condition, function_ref<Values()> then,
                             function_ref<Values()> otherwise) {
  Values sample;
  const auto branch = [&](function_ref<Values()> body) {
    return [this, body, &sample](OpBuilder& inner, Location) {
      const OpBuilder::InsertionGuard guard(*this);
      restoreInsertionPoint(inner.saveInsertionPoint());
      sample = body();
      create<scf::YieldOp>(sample);
    };
  };
  auto choice = create<scf::IfOp>(condition, branch(then), branch(otherwise));
  for (auto [result, made] : llvm::zip_equal(choice.getResults(), sample)) {
    if (isa<RankedTensorType>(made.getType()) && typeOf(made).hasStaticShape())
      setSizes(result, sizes(made));
  }
  return Values(choice.getResults());
}

// Fewer steps than this are not worth a second thread.
static constexpr int64_t kParallelWork = 16384;

Values KernelBuilder::forEachPart(ValueRange sizes, ValueRange results, int64_t work,
                                  function_ref<SmallVector<Part>(ValueRange)> places,
                                  function_ref<Values(ValueRange, ValueRange)> body) {
  // The parts as they are after `body`, and where they go.
  const auto change = [&](ValueRange at, ValueRange wholes) {
    const SmallVector<Part> parts = places(at);
    Values before;
    for (auto [whole, part] : llvm::zip_equal(wholes, parts))
      before.push_back(slice(whole, part.offsets, part.sizes));
    return std::pair(body(at, before), parts);
  };
  if (work < kParallelWork || sizes.empty()) {
    return forEach(sizes, results, [&](ValueRange at, ValueRange wholes) {
      Values next;
      const auto [after, parts] = change(at, wholes);
      for (auto [whole, value, part] : llvm::zip_equal(wholes, after, parts))
        next.push_back(insert(value, whole, part.offsets));
      return next;
    });
  }
  auto loop = create<scf::ForallOp>(getAsOpFoldResult(sizes), results, std::nullopt);
  for (auto [inside, outside] : llvm::zip_equal(loop.getRegionIterArgs(), results))
    setSizes(inside, this->sizes(outside));
  const OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  const auto [after, parts] = change(loop.getInductionVars(), loop.getRegionIterArgs());
  setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [whole, value, part] : llvm::zip_equal(loop.getRegionIterArgs(), after, parts)) {
    const SmallVector<OpFoldResult> steps(part.offsets.size(), getIndexAttr(1));
    create<tensor::ParallelInsertSliceOp>(value, whole, getAsOpFoldResult(part.offsets),
                                          getAsOpFoldResult(part.sizes), steps);
  }
  for (auto [result, start] : llvm::zip_equal(loop.getResults(), results))
    setSizes(result, this->sizes(start));
  return Values(loop.getResults());
}

}  // namespace tessera::backend_native
