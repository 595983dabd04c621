#include "backends/native/compiler/contraction/open_product.h"

#include "backends/native/compiler/contraction/chain_emitter.h"
#include "compiler/ir/spec/einsum.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::StridedMatrices;

namespace {

/// An operand of a product: its sizes, and which of them are rows and columns.
struct Factor {
  Value buffer;
  Values sizes;
  bool isTransposed = false;

  size_t numBatch() const { return sizes.size() - 2; }
  size_t rowDim() const { return sizes.size() - (isTransposed ? 1 : 2); }
  size_t columnDim() const { return sizes.size() - (isTransposed ? 2 : 1); }
  Value rows() const { return sizes[rowDim()]; }
  Value columns() const { return sizes[columnDim()]; }
};

}  // namespace

static Factor factorOf(KernelBuilder& b, Value operand, Value buffer, bool isTransposed) {
  return {.buffer = buffer,
          .sizes = bufferSizes(b, cast<RankedTensorType>(operand.getType()), buffer),
          .isTransposed = isTransposed};
}

/// Entries of a batch of one are read again for each of the result's, of `numBatch` dimensions;
/// without any the rows are those of all entries.
static StridedMatrices matricesOf(KernelBuilder& b, const Factor& factor, size_t numBatch) {
  const Value inner = factor.sizes.back();
  StridedMatrices matrices{.memory = lowering::flattenMemRef(b, b.getLoc(), factor.buffer),
                           .offset = b.index(0),
                           .batchStrides = SmallVector<Value>(numBatch, b.index(0)),
                           .rowStride = factor.isTransposed ? b.index(1) : inner,
                           .columnStride = factor.isTransposed ? inner : b.index(1)};
  if (numBatch == 0) return matrices;
  Value stride = b.mul(factor.rows(), factor.columns());
  for (size_t i = factor.numBatch(); i-- > 0;) {
    const Value size = factor.sizes[i];
    matrices.batchStrides[i + numBatch - factor.numBatch()] =
        b.select(b.equal(size, 1), b.index(0), stride);
    stride = b.mul(stride, size);
  }
  return matrices;
}

/// The batch sizes of the result, with the requirement that the operands broadcast to them.
static Values batchOf(KernelBuilder& b, ArrayRef<Factor> factors, RankedTensorType result) {
  const auto numBatch = static_cast<size_t>(result.getRank() - 2);
  const auto sizeOf = [&](const Factor& factor, size_t d) {
    const size_t missing = numBatch - factor.numBatch();
    return d < missing ? Value() : factor.sizes[d - missing];
  };
  Values batch;
  for (size_t d = 0; d < numBatch; ++d) {
    Value size = b.index(1);
    for (const Factor& factor : factors) {
      if (const Value own = sizeOf(factor, d)) size = b.select(b.equal(size, 1), own, size);
    }
    for (auto [number, factor] : llvm::enumerate(factors)) {
      if (const Value own = sizeOf(factor, d))
        b.requireOneOr(own, size, "batch dimension " + Twine(d) + " of operand " + Twine(number));
    }
    batch.push_back(b.declaredOr(size, result.getDimSize(static_cast<unsigned>(d)),
                                 "batch dimension " + Twine(d) + " of the result"));
  }
  return batch;
}

void requireSummed(KernelBuilder& b, Operation* product, Value rows, Value columns) {
  const auto letter =
      dyn_cast_or_null<StringAttr>(product->getDiscardableAttr(ir::spec::kSummedLetterAttribute));
  if (letter)
    b.requireEqual(rows, columns, "the size of letter '" + letter.getValue() + "' in operand 1");
  else
    b.requireEqual(rows, columns, "the number of rows of operand 1");
}

OpenProduct openProductOf(KernelBuilder& b, Operation* op, Value left, Value right) {
  auto gemm = dyn_cast<ir::GemmOp>(op);
  const Factor factors[] = {factorOf(b, op->getOperand(0), left, gemm && gemm.getTransA() != 0),
                            factorOf(b, op->getOperand(1), right, gemm && gemm.getTransB() != 0)};
  const auto& [a, c] = factors;
  const auto result = cast<RankedTensorType>(op->getResult(0).getType());
  const int64_t rank = result.getRank();
  requireSummed(b, op, c.rows(), a.columns());
  OpenProduct made;
  made.sizes = batchOf(b, factors, result);
  made.sizes.push_back(
      b.declaredOr(a.rows(), result.getDimSize(rank - 2), "the number of rows of operand 0"));
  made.sizes.push_back(
      b.declaredOr(c.columns(), result.getDimSize(rank - 1), "the number of columns of operand 1"));
  lowering::OpenProduct& product = made.product;
  product.m = made.sizes[rank - 2];
  product.n = made.sizes[rank - 1];
  product.k = a.columns();
  const auto batch = ArrayRef(made.sizes).drop_back(2);
  // With one B for all, the batch of row-major A is just more rows.
  if (c.numBatch() == 0 && !a.isTransposed) {
    for (const Value size : batch) product.m = b.mul(product.m, size);
  } else {
    product.batch.assign(batch.begin(), batch.end());
  }
  product.a = matricesOf(b, a, product.batch.size());
  product.b = matricesOf(b, c, product.batch.size());
  return made;
}

}  // namespace tessera::backend_native
