// Matrix products of any type and shape as plain loops; the fast ones do not come here.
#include "backends/native/compiler/contraction/open_product.h"
#include "backends/native/compiler/kernel/broadcast.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "base/whole_number.h"
#include "compiler/ir/spec/einsum.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// One operand of a product: the loop of each dimension, -1 where it stays at index 0. A dimension
/// that may turn out to be 1 is `open` and is read at a computed index.
struct Factor {
  Value tensor;
  SmallVector<int64_t> loops;
  SmallVector<bool> isOpen;
};

}  // namespace

/// Loops of the batch dimensions of an operand against the batch sizes of the result.
static void bindBatch(KernelBuilder& b, Factor& factor, size_t numBatch, ValueRange batch) {
  const Values sizes = b.sizes(factor.tensor);
  for (size_t i = 0; i < numBatch; ++i) {
    const size_t loop = i + batch.size() - numBatch;
    const bool same = b.isSameSize(sizes[i], batch[loop]);
    factor.loops.push_back(
        !same && getConstantIntValue(sizes[i]) == 1 ? -1 : static_cast<int64_t>(loop));
    factor.isOpen.push_back(!same && !getConstantIntValue(sizes[i]));
  }
}

/// Sum over reduction loops of the product of all factors, into `start`; `extents` are the loops'
/// sizes.
static Value contract(KernelBuilder& b, ArrayRef<Factor> factors, Value start,
                      ArrayRef<int64_t> outputLoops, const Kinds& kinds, ValueRange extents) {
  const auto numLoops = static_cast<unsigned>(kinds.size());
  Values inputs;
  Maps maps;
  for (const Factor& factor : factors) {
    if (llvm::is_contained(factor.isOpen, true)) continue;
    inputs.push_back(factor.tensor);
    maps.push_back(loopMap(b, numLoops, factor.loops));
  }
  if (inputs.size() < factors.size()) {
    // The sizes of loops come from operands: here from one that is never read.
    inputs.push_back(b.empty(typeOf(start).getElementType(), extents));
    maps.push_back(identityMap(b, numLoops));
  }
  maps.push_back(loopMap(b, numLoops, outputLoops));
  return b.generic(inputs, maps, start, kinds, [&](Elements elements) {
    Element product;
    size_t next = 0;
    for (const Factor& factor : factors) {
      Element element;
      if (!llvm::is_contained(factor.isOpen, true)) {
        element = elements[next++];
      } else {
        const Values sizes = b.sizes(factor.tensor);
        Values at;
        for (auto [i, loop] : llvm::enumerate(factor.loops)) {
          Value index =
              loop < 0 ? b.index(0) : Value(b.create<linalg::IndexOp>(static_cast<uint64_t>(loop)));
          if (factor.isOpen[i]) index = openPosition(b, index, sizes[i]);
          at.push_back(index);
        }
        element = b.load(factor.tensor, at);
      }
      product = product ? product * element : element;
    }
    return elements.back() + product;
  });
}

/// Loops: batch, m, k, n; the innermost walks along a row of b and of the result.
LogicalResult lowerMatmul(KernelBuilder& b, Operation* op) {
  auto matmul = cast<ir::MatmulOp>(op);
  Factor left{.tensor = plainOf(b, matmul.getA()), .loops = {}, .isOpen = {}},
      right{.tensor = plainOf(b, matmul.getB()), .loops = {}, .isOpen = {}};
  const Values a = b.sizes(left.tensor), c = b.sizes(right.tensor);
  const bool hasM = a.size() > 1, hasN = c.size() > 1;
  requireSummed(b, op, c[hasN ? c.size() - 2 : 0], a.back());
  const size_t leftBatch = hasM ? a.size() - 2 : 0, rightBatch = hasN ? c.size() - 2 : 0;
  const Values shapes[] = {Values(ArrayRef(a).take_front(leftBatch)),
                           Values(ArrayRef(c).take_front(rightBatch))};
  Values sizes = broadcastSizes(b, shapes);
  for (auto [number, shape] : llvm::enumerate(shapes)) requireBroadcast(b, shape, sizes, number);
  const Values batch = sizes;
  bindBatch(b, left, leftBatch, batch);
  bindBatch(b, right, rightBatch, batch);
  auto numLoops = static_cast<int64_t>(batch.size());
  Values extents = batch;
  SmallVector<int64_t> output = llvm::to_vector(llvm::seq<int64_t>(0, numLoops));
  Kinds kinds = parallelLoops(static_cast<unsigned>(numLoops));
  const auto addLoop = [&](utils::IteratorType kind, Value extent) {
    kinds.push_back(kind);
    extents.push_back(extent);
    return numLoops++;
  };
  const auto bind = [](Factor& factor, int64_t loop) {
    factor.loops.push_back(loop);
    factor.isOpen.push_back(false);
  };
  if (hasM) {
    const int64_t m = addLoop(utils::IteratorType::parallel, a[a.size() - 2]);
    bind(left, m);
    output.push_back(m);
    sizes.push_back(a[a.size() - 2]);
  }
  const int64_t k = addLoop(utils::IteratorType::reduction, a.back());
  bind(left, k);
  bind(right, k);
  if (hasN) {
    const int64_t n = addLoop(utils::IteratorType::parallel, c.back());
    bind(right, n);
    output.push_back(n);
    sizes.push_back(c.back());
  }
  const Type element = typeOf(left.tensor).getElementType();
  const Factor factors[] = {left, right};
  b.set(op->getResult(0),
        contract(b, factors, b.filled(b.scalar(element, 0), sizes), output, kinds, extents));
  return success();
}

/// Loops: m, k, n, or m, n, k where rows of b are walked along k.
LogicalResult lowerGemm(KernelBuilder& b, Operation* op) {
  auto gemm = cast<ir::GemmOp>(op);
  const Value a = plainOf(b, gemm.getA()), c = plainOf(b, gemm.getB());
  const Type element = typeOf(a).getElementType();
  const Values aSizes = b.sizes(a), cSizes = b.sizes(c);
  const bool transA = gemm.getTransA() != 0, transB = gemm.getTransB() != 0;
  b.requireEqual(cSizes[transB ? 1 : 0], aSizes[transA ? 0 : 1],
                 "dimension " + Twine(transB ? 1 : 0) + " of operand 1");
  const Values sizes = {aSizes[transA ? 1 : 0], cSizes[transB ? 0 : 1]};
  const int64_t m = 0, k = transB ? 2 : 1, n = transB ? 1 : 2;
  Kinds kinds = parallelLoops(3);
  kinds[k] = utils::IteratorType::reduction;
  const SmallVector<bool> closed(2, false);
  const Factor factors[] = {
      {.tensor = a,
       .loops = transA ? SmallVector<int64_t>{k, m} : SmallVector<int64_t>{m, k},
       .isOpen = closed},
      {.tensor = c,
       .loops = transB ? SmallVector<int64_t>{n, k} : SmallVector<int64_t>{k, n},
       .isOpen = closed},
  };
  const Value product =
      contract(b, factors, b.filled(b.scalar(element, 0), sizes), {m, n}, kinds, {});
  const double alpha = gemm.getAlpha().convertToDouble(), beta = gemm.getBeta().convertToDouble();
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<BroadcastOperand> operands = {{.tensor = product, .type = type}};
  if (gemm.getC()) {
    const BroadcastOperand added = operandOf(b, gemm.getC());
    requireBroadcast(b, b.sizes(added.tensor), sizes, 2);
    // As in BLAS, what is left out may hold anything.
    if (beta != 0) operands.push_back(added);
  }
  const auto sum = [&](Elements v) {
    const auto scaled = [](const Element& value, double factor) {
      return factor == 1 ? value : value * factor;
    };
    const auto scaledSum = [&](const Element& product, const Element& added) {
      const Element y = scaled(product, alpha);
      return added ? y + scaled(added, beta) : y;
    };
    const Element added = v.size() > 1 ? v[1] : Element();
    if (v[0].isFloat() || (base::isWhole(alpha) && (!added || base::isWhole(beta))))
      return scaledSum(v[0], added);
    // Integers are scaled in floating point, as the attributes are.
    const auto real = [&](const Element& value) { return convert(value, b.getF64Type()); };
    return convert(scaledSum(real(v[0]), added ? real(added) : Element()), element);
  };
  b.set(op->getResult(0), broadcast(b, operands, type, element, sum, sizes));
  return success();
}

/// The size of each label, with the requirement that the operands agree on it.
static std::map<int, Value> einsumSizes(KernelBuilder& b, ir::EinsumOp einsum,
                                        const ir::spec::EinsumSpec& equation) {
  std::map<int, Value> sizes;
  for (auto [labels, input] : llvm::zip_equal(equation.inputs, einsum.getInputs())) {
    for (auto [label, size] : llvm::zip_equal(labels, b.sizes(b.get(input)))) {
      Value& known = sizes.try_emplace(label, size).first->second;
      if (getConstantIntValue(known) == 1) known = size;
    }
  }
  // Letters have one size; dimensions of an ellipsis broadcast.
  for (auto [number, input] : llvm::enumerate(einsum.getInputs())) {
    for (auto [i, size] : llvm::enumerate(b.sizes(b.get(input)))) {
      const int label = equation.inputs[number][i];
      Value& whole = sizes[label];
      if (ir::spec::EinsumSpec::isLetter(label))
        b.requireEqual(size, whole,
                       "the size of letter '" + Twine(static_cast<char>(label)) + "' in operand " +
                           Twine(number));
      else if (!getConstantIntValue(whole))
        whole = select(b.term(whole) == 1, b.term(size), whole);
    }
  }
  for (auto [number, input] : llvm::enumerate(einsum.getInputs())) {
    for (auto [i, size] : llvm::enumerate(b.sizes(b.get(input)))) {
      const int label = equation.inputs[number][i];
      if (!ir::spec::EinsumSpec::isLetter(label))
        b.requireOneOr(size, sizes[label],
                       "dimension " + Twine(i) + " of operand " + Twine(number));
    }
  }
  return sizes;
}

/// Loops: the output's labels but the last, the summed labels, the output's last label.
LogicalResult lowerEinsum(KernelBuilder& b, Operation* op) {
  auto einsum = cast<ir::EinsumOp>(op);
  SmallVector<int64_t> ranks;
  for (const Value input : einsum.getInputs())
    ranks.push_back(cast<RankedTensorType>(input.getType()).getRank());
  auto parsed = ir::spec::EinsumSpec::parse(einsum.getEquation(), ranks);
  if (!parsed) return op->emitOpError() << parsed.error().message;
  const ir::spec::EinsumSpec equation = std::move(*parsed);
  const Type element = kernelElement(getElementTypeOrSelf(op->getResult(0).getType()));
  std::map<int, Value> sizes = einsumSizes(b, einsum, equation);
  SmallVector<int> order(equation.output);
  SmallVector<int> summed;
  for (const auto& [label, size] : sizes) {
    if (!llvm::is_contained(equation.output, label)) summed.push_back(label);
  }
  order.insert(order.empty() ? order.end() : std::prev(order.end()), summed.begin(), summed.end());
  std::map<int, int64_t> loopOf;
  for (auto [i, label] : llvm::enumerate(order)) loopOf[label] = static_cast<int64_t>(i);
  SmallVector<Factor> factors;
  for (auto [labels, input] : llvm::zip_equal(equation.inputs, einsum.getInputs())) {
    Factor factor{.tensor = b.get(input), .loops = {}, .isOpen = {}};
    for (auto [label, size] : llvm::zip_equal(labels, b.sizes(factor.tensor))) {
      const bool same = b.isSameSize(size, sizes[label]);
      factor.loops.push_back(!same && getConstantIntValue(size) == 1 ? -1 : loopOf[label]);
      factor.isOpen.push_back(!same && !getConstantIntValue(size));
    }
    factors.push_back(std::move(factor));
  }
  Kinds kinds = parallelLoops(static_cast<unsigned>(order.size()));
  for (const int label : summed) kinds[loopOf[label]] = utils::IteratorType::reduction;
  Values to, extents;
  for (const int label : order) extents.push_back(sizes[label]);
  SmallVector<int64_t> outputLoops;
  for (const int label : equation.output) {
    to.push_back(sizes[label]);
    outputLoops.push_back(loopOf[label]);
  }
  b.set(op->getResult(0),
        contract(b, factors, b.filled(b.scalar(element, 0), to), outputLoops, kinds, extents));
  return success();
}

}  // namespace tessera::backend_native
