#include "backends/native/compiler/contraction_region.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/contraction_match.h"
#include "backends/native/compiler/contraction_tail.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/lowering/contraction/matmul.h"
#include "compiler/lowering/kernel_function.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::backend_native {

using namespace mlir;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// Builds one kernel.
class ContractionBuilder {
 public:
  ContractionBuilder(ContractionRegion region, const lowering::CpuTarget& cpu)
      : region_(std::move(region)), cpu_(cpu), tail_(region_) {}

  bool build(ModuleOp kernels, StringRef name);

 private:
  bool planConv(ir::ConvOp op);
  bool planPointwise(ir::ConvOp op);
  bool planMatmul(ir::MatmulOp op);
  bool planGemm(ir::GemmOp op);
  MemRefType bufferType(Value value) const;
  Value allocateOutput(OpBuilder& b, func::FuncOp kernel, MemRefType type);
  void requireSizes(lowering::KernelFunction& kernel);
  void requireProductSizes(KernelBuilder& b);
  void emitAnchor(OpBuilder& b);

  ContractionRegion region_;
  const lowering::CpuTarget& cpu_;
  ContractionTail tail_;
  Value output_;
  std::optional<lowering::ConvShape> convShape_;  ///< Where emitConv is used, else emitMatmul.
  lowering::ConvKind convKind_ = lowering::ConvKind::kBlocked;
  lowering::MatmulShape matmulShape_;
  Value left_, right_;        ///< Arguments that are A and B of the product.
  Value bias_;                ///< Of the anchor, where the emitter adds it.
  bool isCollapsed_ = false;  ///< Leading dimensions of A and the result are one dimension m.
};

}  // namespace

bool ContractionBuilder::planConv(ir::ConvOp op) {
  const RankedTensorType x = tensorType(op.getX()), w = tensorType(op.getW());
  const auto shape = convShapeOf(op);
  if (!shape) return false;
  if (ir::isPlain(region_.resultType())) return planPointwise(op);
  if (!isBlockedAlong(region_.resultType(), 1, cpu_.vectorLanes)) return false;
  const bool isPlainInput = ir::isPlain(x);
  if (!isPlainInput && !isBlockedAlong(x, 1, cpu_.vectorLanes)) return false;
  const auto kind = lowering::convKindFor(*shape, isPlainInput, cpu_.vectorLanes);
  if (!kind || kernelType(w) != kernelType(convWeightsType(w, *kind, cpu_.vectorLanes)))
    return false;
  if (op.getB()) {
    if (!isBlockedAlong(tensorType(op.getB()), 0, cpu_.vectorLanes)) return false;
    bias_ = op.getB();
  }
  convShape_ = shape;
  convKind_ = *kind;
  return true;
}

/// A row-major convolution without window: for each image and group the product of the weights with
/// the channels, whose columns are all positions. For groups that are no multiple of a block.
bool ContractionBuilder::planPointwise(ir::ConvOp op) {
  if (!isPointwise(op) || !ir::isPlain(tensorType(op.getX())) ||
      !ir::isPlain(tensorType(op.getW())))
    return false;
  const lowering::ConvShape shape = *convShapeOf(op);
  matmulShape_.aBatch = {1, shape.groups};
  matmulShape_.bBatch = {shape.batch, shape.groups};
  matmulShape_.m = shape.outChannels / shape.groups;
  matmulShape_.k = shape.inChannels / shape.groups;
  matmulShape_.n = shape.inHeight * shape.inWidth;
  left_ = op.getW();
  right_ = op.getX();
  tail_.setNumColumnDims(region_.resultType().getRank() - 2);
  if (op.getB()) tail_.setRowBias(op.getB());
  return true;
}

bool ContractionBuilder::planMatmul(ir::MatmulOp op) {
  const RankedTensorType a = tensorType(op.getA()), b = tensorType(op.getB()),
                         y = tensorType(op.getY());
  if (!a.getElementType().isF32() || a.getRank() < 2 || b.getRank() < 2 || !ir::isPlain(a) ||
      !ir::isPlain(y))
    return false;
  lowering::MatmulShape& shape = matmulShape_;
  shape.m = a.getDimSize(a.getRank() - 2);
  shape.k = a.getShape().back();
  shape.n = b.getShape().back();
  if (ShapedType::isDynamic(shape.k) || ShapedType::isDynamic(shape.n)) return false;
  if (b.isDynamicDim(b.getRank() - 2)) return false;  // Would have to be tested first.
  shape.isBPacked = !ir::isPlain(b);
  if (shape.isBPacked && kernelType(b) != kernelType(packedMatrixType(b, false, cpu_.vectorLanes)))
    return false;
  const int64_t numBatch = y.getRank() - 2;
  const auto batchOf = [&](RankedTensorType type) {
    SmallVector<int64_t> sizes(numBatch - (type.getRank() - 2), 1);
    llvm::append_range(sizes, type.getShape().drop_back(2));
    return sizes;
  };
  shape.aBatch = batchOf(a);
  shape.bBatch = batchOf(b);
  // One row dimension instead of a batch, where all entries have the same B.
  const bool sharesB = llvm::all_of(shape.bBatch, [](int64_t size) { return size == 1; });
  if (sharesB && numBatch > 0 && a.hasStaticShape()) {
    isCollapsed_ = true;
    for (const int64_t size : shape.aBatch) shape.m *= size;
    shape.aBatch.clear();
    shape.bBatch.clear();
    return true;
  }
  for (int64_t i = 0; i < numBatch; ++i) {
    const int64_t p = shape.aBatch[i], q = shape.bBatch[i];
    if (p == 1 || q == 1 || (p == q && !ShapedType::isDynamic(p))) continue;
    // Whether a dynamic size is broadcast is not known here, unless both have one name.
    if (a.getRank() != b.getRank() || !ir::isEqualSize(a, i, b, i)) return false;
  }
  return true;
}

bool ContractionBuilder::planGemm(ir::GemmOp op) {
  const RankedTensorType a = tensorType(op.getA()), b = tensorType(op.getB());
  if (!a.getElementType().isF32() || !ir::isPlain(a) || !ir::isPlain(region_.resultType()))
    return false;
  lowering::MatmulShape& shape = matmulShape_;
  const bool transA = op.getTransA(), transB = op.getTransB();
  shape.m = a.getDimSize(transA ? 1 : 0);
  shape.k = a.getDimSize(transA ? 0 : 1);
  shape.n = b.getDimSize(transB ? 0 : 1);
  shape.transA = transA;
  if (ShapedType::isDynamic(shape.k) || ShapedType::isDynamic(shape.n)) return false;
  if (transA && ShapedType::isDynamic(shape.m)) return false;
  if (b.isDynamicDim(transB ? 1 : 0)) return false;  // Would have to be tested first.
  shape.isBPacked = !ir::isPlain(b);
  if (shape.isBPacked && kernelType(b) != kernelType(packedMatrixType(b, transB, cpu_.vectorLanes)))
    return false;
  shape.transB = transB && !shape.isBPacked;
  if (!op.getC() || op.getBeta().isZero()) return true;
  const TailAccess access = tailAccessOf(op.getC(), region_, cpu_.vectorLanes);
  if (access == TailAccess::kUnknown) return false;
  const bool isUnscaled = op.getAlpha().isExactlyValue(1.0) && op.getBeta().isExactlyValue(1.0);
  if (isUnscaled && access == TailAccess::kPerColumn)
    bias_ = op.getC(), tail_.setBiasIsAdded();
  else
    region_.accesses[op.getC()] = access;
  return true;
}

/// The shapes that the emitter expects: leading dimensions that are one row dimension joined, batch
/// dimensions of both operands of a product aligned.
MemRefType ContractionBuilder::bufferType(Value value) const {
  const RankedTensorType type = kernelType(tensorType(value));
  SmallVector<int64_t> shape(type.getShape());
  const lowering::MatmulShape& product = matmulShape_;
  const auto matrices = [](ArrayRef<int64_t> batch, int64_t rows, int64_t columns) {
    SmallVector<int64_t> sizes(batch);
    sizes.append({rows, columns});
    return sizes;
  };
  if (convShape_) return MemRefType::get(shape, type.getElementType());
  if (value == left_)
    shape = product.transA ? matrices(product.aBatch, product.k, product.m)
                           : matrices(product.aBatch, product.m, product.k);
  else if (value == right_ && !product.isBPacked)
    shape = product.transB ? matrices(product.bBatch, product.n, product.k)
                           : matrices(product.bBatch, product.k, product.n);
  else if (value == region_.result && isCollapsed_)
    shape = {product.m, product.n};
  return MemRefType::get(shape, type.getElementType());
}

/// A dynamic size of the result is one of A, or a batch size of B.
Value ContractionBuilder::allocateOutput(OpBuilder& b, func::FuncOp kernel, MemRefType type) {
  const auto alignedDim = [&](Value buffer, int64_t d) {
    return d - (type.getRank() - cast<MemRefType>(buffer.getType()).getRank());
  };
  const Value a = tail_.bufferOf(left_);
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) continue;
    const int64_t fromA = alignedDim(a, static_cast<int64_t>(d));
    const bool isOfA = fromA >= 0 && cast<MemRefType>(a.getType()).isDynamicDim(fromA);
    const Value source = isOfA ? a : tail_.bufferOf(right_);
    sizes.push_back(b.create<memref::DimOp>(b.getUnknownLoc(), source,
                                            alignedDim(source, static_cast<int64_t>(d))));
  }
  return lowering::buildAllocOutput(b, b.getUnknownLoc(), kernel, 0, type, sizes);
}

/// The anchor computes the sizes that its result is declared with, and the tail's operands fit it.
void ContractionBuilder::requireSizes(lowering::KernelFunction& kernel) {
  OpBuilder start = kernel.bodyBuilder();
  KernelBuilder b(start.getUnknownLoc(), start.getInsertionBlock());
  b.restoreInsertionPoint(start.saveInsertionPoint());
  func::FuncOp function = region_.function;
  llvm::DenseMap<Operation*, uint32_t> nodes;
  for (auto [op, node] : llvm::zip_equal(function.getBody().front().without_terminator(),
                                         backend_api::nodeNumbers(function)))
    nodes[&op] = node;
  b.setNode(nodes.at(region_.anchor));
  if (!isa<ir::ConvOp>(region_.anchor)) requireProductSizes(b);
  tail_.prepare(b, output_, nodes);
}

/// Both operands of a product have the batch sizes of the result, or 1; A has its rows.
void ContractionBuilder::requireProductSizes(KernelBuilder& b) {
  const auto sizeOf = [&](Value buffer, int64_t d) -> Value {
    const auto type = cast<MemRefType>(buffer.getType());
    if (!type.isDynamicDim(d)) return b.index(type.getDimSize(d));
    return b.create<memref::DimOp>(buffer, d);
  };
  const int64_t rank = cast<MemRefType>(output_.getType()).getRank();
  for (const auto& [number, operand] : llvm::enumerate(ValueRange{left_, right_})) {
    const Value buffer = tail_.bufferOf(operand);
    const int64_t own = cast<MemRefType>(buffer.getType()).getRank();
    if (number == 1 && matmulShape_.isBPacked) continue;
    const int64_t numMatched = number == 0 && !matmulShape_.transA ? own - 1 : own - 2;
    for (int64_t d = 0; d < numMatched; ++d) {
      if (d + rank - own < 0) continue;
      b.requireOneOr(sizeOf(buffer, d), sizeOf(output_, d + rank - own),
                     "dimension " + Twine(d) + " of operand " + Twine(number));
    }
  }
}

void ContractionBuilder::emitAnchor(OpBuilder& b) {
  const Location loc = b.getUnknownLoc();
  const Value bias = bias_ ? tail_.bufferOf(bias_) : Value();
  const auto epilogue = [this](const lowering::EpilogueContext& context) {
    return tail_.emit(context);
  };
  if (convShape_) {
    auto conv = cast<ir::ConvOp>(region_.anchor);
    const lowering::ConvOperands operands = {tail_.bufferOf(conv.getX()),
                                             tail_.bufferOf(conv.getW()), bias, output_};
    return lowering::emitConv(b, loc, *convShape_, convKind_, operands, cpu_, epilogue);
  }
  const lowering::MatmulOperands operands = {tail_.bufferOf(left_), tail_.bufferOf(right_), bias,
                                             output_};
  lowering::emitMatmul(b, loc, matmulShape_, operands, cpu_, epilogue);
}

bool ContractionBuilder::build(ModuleOp kernels, StringRef name) {
  if (!isa<ir::ConvOp>(region_.anchor)) {
    left_ = region_.anchor->getOperand(0);
    right_ = region_.anchor->getOperand(1);
  }
  const bool isPlanned = llvm::TypeSwitch<Operation*, bool>(region_.anchor)
                             .Case([&](ir::ConvOp op) { return planConv(op); })
                             .Case([&](ir::MatmulOp op) { return planMatmul(op); })
                             .Case([&](ir::GemmOp op) { return planGemm(op); })
                             .Default([](Operation*) { return false; });
  if (!isPlanned || (left_ && left_ == right_)) return false;
  lowering::KernelSignature signature;
  for (const Value argument : region_.function.getArguments())
    signature.inputs.push_back(bufferType(argument));
  signature.outputs.push_back(bufferType(region_.result));
  lowering::KernelFunction kernel = lowering::createKernelFunction(kernels, name, signature);
  OpBuilder b = kernel.bodyBuilder();
  for (auto [argument, buffer] : llvm::zip_equal(region_.function.getArguments(), kernel.inputs))
    tail_.setBuffer(argument, buffer);
  output_ = kernel.outputs[0];
  if (!output_) output_ = allocateOutput(b, kernel.function, signature.outputs[0]);
  requireSizes(kernel);
  b = kernel.bodyBuilder();
  emitAnchor(b);
  return true;
}

bool buildContractionKernel(func::FuncOp region, ModuleOp kernels, StringRef name,
                            const lowering::CpuTarget& cpu) {
  std::optional<ContractionRegion> matched = matchContraction(region, cpu.vectorLanes);
  return matched && ContractionBuilder(std::move(*matched), cpu).build(kernels, name);
}

}  // namespace tessera::backend_native
