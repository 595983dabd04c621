#include "backends/native/compiler/contraction/product_plan.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::Declined;

static std::optional<Declined> refuseOperands(StringRef name, const ContractionTypes& types) {
  const RankedTensorType a = types.operands[0], b = types.operands[1];
  if (!a.getElementType().isF32()) return Declined{name.str() + " is not of f32"};
  if (a.getRank() < 2 || b.getRank() < 2)
    return Declined{name.str() + " has a vector for an operand"};
  if (!ir::isPlain(a) || !ir::isPlain(types.result))
    return Declined{"an operand or the result of " + name.str() + " is not row-major"};
  return std::nullopt;
}

/// Whether a size of the matrices that strides depend on is known at run time only.
static bool hasOpenMatrices(RankedTensorType b, const lowering::MatmulShape& shape) {
  return ShapedType::isDynamic(shape.k) || ShapedType::isDynamic(shape.n) ||
         b.isDynamicDim(b.getRank() - 1) || b.isDynamicDim(b.getRank() - 2) ||
         (shape.transA && ShapedType::isDynamic(shape.m));
}

static OrDeclined<ContractionPlan> planOpenProduct(StringRef name, RankedTensorType b) {
  if (!ir::isPlain(b))
    return Declined{"the second operand of " + name.str() + " of open sizes is not row-major"};
  return ContractionPlan{.kernel = OpenProductPlan{}};
}

/// B must be row-major or in panels.
static std::optional<Declined> planMatrixB(StringRef name, RankedTensorType b, bool isTransposed,
                                           const CodeTarget& cpu, lowering::MatmulShape& shape) {
  shape.isBPacked = !ir::isPlain(b);
  if (shape.isBPacked &&
      kernelType(b) != kernelType(packedMatrixType(b, isTransposed, cpu.vectorLanes)))
    return Declined{"the second operand of " + name.str() + " is neither row-major nor packed"};
  return std::nullopt;
}

bool isMatrixTimesVector(Operation* product) {
  if (!isa<ir::GemmOp, ir::MatmulOp>(product)) return false;
  const RankedTensorType a = typeOf(product->getOperand(0)), b = typeOf(product->getOperand(1));
  if (!a.getElementType().isF32()) return false;
  if (a.getRank() == 1 || b.getRank() == 1) return true;
  auto gemm = dyn_cast<ir::GemmOp>(product);
  const int64_t columns = gemm && gemm.getTransB() != 0 ? b.getDimSize(0) : b.getShape().back();
  return columns == 1 && ir::isPlain(b);
}

/// Sizes of the batch dimensions of an operand, aligned with those of the result.
static SmallVector<int64_t> batchOf(RankedTensorType type, int64_t numBatch) {
  SmallVector<int64_t> sizes(numBatch - (type.getRank() - 2), 1);
  llvm::append_range(sizes, type.getShape().drop_back(2));
  return sizes;
}

/// Whether it is known which operand is broadcast: a dynamic size says so only if both have one
/// name.
static bool isBatchKnown(const ContractionTypes& types, const lowering::MatmulShape& shape) {
  const RankedTensorType a = types.operands[0], b = types.operands[1];
  for (auto [i, sizes] : llvm::enumerate(llvm::zip_equal(shape.aBatch, shape.bBatch))) {
    const auto [p, q] = sizes;
    const auto dim = static_cast<int64_t>(i);
    if (p == 1 || q == 1 || (p == q && !ShapedType::isDynamic(p))) continue;
    if (a.getRank() != b.getRank() || !ir::isEqualSize(a, dim, b, dim)) return false;
  }
  return true;
}

OrDeclined<ContractionPlan> planMatmul(const ContractionTypes& types, const CodeTarget& cpu) {
  if (auto declined = refuseOperands("matmul", types)) return std::move(*declined);
  const RankedTensorType a = types.operands[0], b = types.operands[1];
  ProductPlan product;
  lowering::MatmulShape& shape = product.shape;
  shape.m = a.getDimSize(a.getRank() - 2);
  shape.k = a.getShape().back();
  shape.n = b.getShape().back();
  if (hasOpenMatrices(b, shape)) return planOpenProduct("matmul", b);
  if (auto declined = planMatrixB("matmul", b, /*isTransposed=*/false, cpu, shape))
    return std::move(*declined);
  const int64_t numBatch = types.result.getRank() - 2;
  shape.aBatch = batchOf(a, numBatch);
  shape.bBatch = batchOf(b, numBatch);
  // One row dimension instead of a batch, where all entries have the same B.
  const bool sharesB = llvm::all_of(shape.bBatch, [](int64_t size) { return size == 1; });
  if (sharesB && numBatch > 0 && a.hasStaticShape()) {
    product.isCollapsed = true;
    for (const int64_t size : shape.aBatch) shape.m *= size;
    shape.aBatch.clear();
    shape.bBatch.clear();
  }
  if (!isBatchKnown(types, shape)) return planOpenProduct("matmul", b);
  return ContractionPlan{.kernel = std::move(product)};
}

/// The product of a Gemm without what is added.
static OrDeclined<ContractionPlan> planGemmProduct(ir::GemmOp op, const ContractionTypes& types,
                                                   const CodeTarget& cpu) {
  if (auto declined = refuseOperands("gemm", types)) return std::move(*declined);
  const RankedTensorType a = types.operands[0], b = types.operands[1];
  const bool transA = op.getTransA() != 0, transB = op.getTransB() != 0;
  ProductPlan product;
  lowering::MatmulShape& shape = product.shape;
  shape.m = a.getDimSize(transA ? 1 : 0);
  shape.k = a.getDimSize(transA ? 0 : 1);
  shape.n = b.getDimSize(transB ? 0 : 1);
  shape.transA = transA;
  if (hasOpenMatrices(b, shape)) return planOpenProduct("gemm", b);
  if (auto declined = planMatrixB("gemm", b, transB, cpu, shape)) return std::move(*declined);
  shape.transB = transB && !shape.isBPacked;
  return ContractionPlan{.kernel = std::move(product)};
}

OrDeclined<ContractionPlan> planGemm(ir::GemmOp op, const ContractionTypes& types,
                                     const CodeTarget& cpu) {
  auto planned = planGemmProduct(op, types, cpu);
  auto* plan = std::get_if<ContractionPlan>(&planned);
  if (!plan || !op.getC() || op.getBeta().isZero()) return planned;
  plan->biasAccess = tailAccessOf(types.operands[2], types.result, op, cpu.vectorLanes);
  if (plan->biasAccess == TailAccess::kUnknown)
    return Declined{"operand 2 of gemm cannot be read beside the accumulators"};
  const bool isUnscaled = op.getAlpha().isExactlyValue(1.0) && op.getBeta().isExactlyValue(1.0);
  const bool isForEmitter = isUnscaled && plan->biasAccess == TailAccess::kPerColumn &&
                            std::holds_alternative<ProductPlan>(plan->kernel);
  plan->bias = isForEmitter ? BiasPlace::kEmitter : BiasPlace::kTail;
  return planned;
}

}  // namespace tessera::backend_native
