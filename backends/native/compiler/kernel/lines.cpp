#include "backends/native/compiler/kernel/lines.h"

namespace tessera::backend_native {

using namespace mlir;

SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i) {
    if (!llvm::is_contained(dims, i)) others.push_back(i);
  }
  return others;
}

SmallVector<int64_t> dimRange(int64_t from, int64_t to) {
  return llvm::to_vector(llvm::seq(from, std::max(from, to)));
}

/// Inputs and maps of loops over x.
static void collect(KernelBuilder& b, Value x, ArrayRef<LineOperand> operands, Values& inputs,
                    Maps& maps) {
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  inputs.push_back(x);
  maps.push_back(identityMap(b, rank));
  for (const LineOperand& operand : operands) {
    inputs.push_back(operand.tensor);
    maps.push_back(loopMap(b, rank, operand.loops));
  }
}

Value mapLines(KernelBuilder& b, Value x, ArrayRef<LineOperand> operands, Type element,
               ElementBody body) {
  Values inputs;
  Maps maps;
  collect(b, x, operands, inputs, maps);
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  maps.push_back(identityMap(b, rank));
  return b.generic(inputs, maps, b.empty(element, b.sizes(x)), parallelLoops(rank),
                   [&](Elements elements) { return body(elements.drop_back()); });
}

Value reduceLines(KernelBuilder& b, Value x, ArrayRef<LineOperand> operands, ArrayRef<int64_t> dims,
                  Value init, ElementBody body) {
  Values inputs;
  Maps maps;
  collect(b, x, operands, inputs, maps);
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  const SmallVector<int64_t> kept = otherDims(rank, dims);
  const Values sizes = b.sizes(x);
  Values to;
  for (const int64_t dim : kept) to.push_back(sizes[dim]);
  Kinds kinds = parallelLoops(rank);
  for (const int64_t dim : dims) kinds[dim] = utils::IteratorType::reduction;
  maps.push_back(loopMap(b, rank, kept));
  return b.generic(inputs, maps, b.filled(init, to), kinds, body);
}

Value extremeOfLines(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, bool wantMax,
                     Type element) {
  const Type memory = kernelElement(element);
  const Signedness signedness = signednessOf(element);
  const Value start =
      wantMax ? Element::lowest(b, memory, signedness) : Element::highest(b, memory, signedness);
  return reduceLines(b, x, {}, dims, start, [&](Elements v) {
    const Element state = v[1].as(signedness), next = v[0].as(signedness);
    return wantMax ? larger(state, next) : smaller(state, next);
  });
}

Value sumLines(KernelBuilder& b, Value x, ArrayRef<int64_t> dims) {
  const Value zero = b.scalar(typeOf(x).getElementType(), 0);
  return reduceLines(b, x, {}, dims, zero, [](Elements v) { return v[1] + v[0]; });
}

Value sumSquares(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, Value shift) {
  const SmallVector<int64_t> kept = otherDims(typeOf(x).getRank(), dims);
  SmallVector<LineOperand> operands;
  if (shift) operands.push_back({.tensor = shift, .loops = kept});
  const Value zero = b.scalar(typeOf(x).getElementType(), 0);
  return reduceLines(b, x, operands, dims, zero, [&](Elements v) {
    const Element term = shift ? v[0] - v[1] : v[0];
    return v.back() + term * term;
  });
}

Element countLines(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, Type element) {
  const RankedTensorType type = typeOf(x);
  const Values sizes = b.sizes(x);
  int64_t known = 1;
  Value count = b.index(1);
  for (const int64_t dim : dims) {
    known *= type.isDynamicDim(dim) ? 1 : type.getDimSize(dim);
    count = b.mul(count, sizes[dim]);
  }
  const bool isStatic = llvm::none_of(dims, [&](int64_t dim) { return type.isDynamicDim(dim); });
  return isStatic ? b.scalar(element, static_cast<double>(known)) : b.fromIndex(count, element);
}

Value keepDims(KernelBuilder& b, Value reduced, ValueRange sizesBefore, ArrayRef<int64_t> dims) {
  Values sizes(sizesBefore);
  for (const int64_t dim : dims) sizes[dim] = b.index(1);
  return b.reshape(reduced, sizes);
}

}  // namespace tessera::backend_native
