#include "backends/csource/compiler/loop_dims.h"

#include "compiler/ir/tsr.h"

namespace tessera::backend_csource {

using namespace mlir;

Ints stridesOf(ArrayRef<int64_t> shape) {
  Ints strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
int64_t countOf(Value value) { return productOf(typeOf(value).getShape()); }

/// Parameters of a batch normalisation lie along dimension 1.
static bool isChannelParameter(Operation* op, unsigned index) {
  return isa<ir::BatchNormOp>(op) && index > 0;
}

Ints operandStrides(Operation* op, unsigned index) {
  const auto shape = typeOf(op->getResult(0)).getShape();
  const auto operand = typeOf(op->getOperand(index)).getShape();
  Ints strides(shape.size(), 0);
  if (isChannelParameter(op, index)) {
    strides[1] = 1;
    return strides;
  }
  const Ints own = stridesOf(operand);
  // Sizes of 1 in front of an operand's shape change nothing.
  for (size_t i = 0; i < std::min(operand.size(), shape.size()); ++i) {
    const size_t d = operand.size() - 1 - i;
    if (operand[d] != 1) strides[shape.size() - 1 - i] = own[d];
  }
  return strides;
}

LoopDims cutDims(ArrayRef<int64_t> shape, ArrayRef<int64_t> cuts) {
  LoopDims loops;
  int64_t first = 0;
  const auto add = [&](int64_t last) {
    loops.push_back({first, last, productOf(shape.slice(first, last - first))});
    first = last;
  };
  for (const int64_t cut : cuts) add(cut);
  add(static_cast<int64_t>(shape.size()));
  return loops;
}

/// Whether a walk over dimension d + 1 to its end goes on in dimension d.
static bool isJoined(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, size_t outer,
                     size_t inner) {
  return strides[outer] == shape[inner] * strides[inner];
}

LoopDims fewestDims(ArrayRef<int64_t> shape, ArrayRef<Ints> operands) {
  LoopDims loops;
  std::optional<size_t> outer;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const auto at = static_cast<int64_t>(d);
    const bool joins = outer && llvm::all_of(operands, [&](const Ints& strides) {
                         return isJoined(shape, strides, *outer, d);
                       });
    if (joins) {
      loops.back().last = at + 1;
      loops.back().extent *= shape[d];
    } else {
      loops.push_back({at, at + 1, shape[d]});
    }
    outer = d;
  }
  if (loops.empty()) loops.push_back({0, static_cast<int64_t>(shape.size()), 1});
  return loops;
}

std::optional<Ints> loopStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                                ArrayRef<LoopDim> loops) {
  Ints result;
  for (const LoopDim& loop : loops) {
    std::optional<size_t> inner;
    int64_t stride = 0;
    for (auto d = static_cast<size_t>(loop.last); d-- > static_cast<size_t>(loop.first);) {
      if (shape[d] == 1) continue;
      if (!inner)
        stride = strides[d];
      else if (!isJoined(shape, strides, d, *inner))
        return std::nullopt;
      inner = d;
    }
    result.push_back(stride);
  }
  return result;
}

}  // namespace tessera::backend_csource
