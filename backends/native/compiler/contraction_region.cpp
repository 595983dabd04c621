#include "backends/native/compiler/contraction_region.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/emit_scalar.h"
#include "compiler/ir/constants.h"
#include "compiler/lowering/contraction/matmul.h"
#include "compiler/lowering/kernel_function.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::EpilogueContext;

namespace {

/// How the tail reads a value that is not computed in it.
enum class Access {
  kUnknown,
  kConstant,    ///< One element, known now.
  kScalar,      ///< One element of a buffer.
  kSamePlace,   ///< Shape and layout of the result.
  kPerChannel,  ///< Channels of a convolution, for each image or for all.
  kMatrix,      ///< Broadcasts to the static result of a product.
  kPerColumn,   ///< As kMatrix with sizes of 1 but for the last dimension; the result may be
                ///< dynamic.
};

struct Region {
  func::FuncOp function;
  Operation* anchor = nullptr;
  SmallVector<Operation*> tail;
  Value result;
  DenseMap<Value, Access> accesses;

  RankedTensorType resultType() const { return cast<RankedTensorType>(result.getType()); }
};

}  // namespace

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// True when both are surely equal at run time.
static bool isEqualSize(RankedTensorType a, RankedTensorType b, int64_t dim) {
  if (!a.isDynamicDim(dim)) return a.getDimSize(dim) == b.getDimSize(dim);
  const ir::LayoutAttr x = ir::layoutOf(a), y = ir::layoutOf(b);
  if (!b.isDynamicDim(dim) || !x || !y || x.getDims().empty() || y.getDims().empty()) return false;
  return x.getDims()[dim] == y.getDims()[dim] && !x.getDims()[dim].getValue().empty();
}

static bool isSamePlace(RankedTensorType type, RankedTensorType result) {
  if (type.getRank() != result.getRank()) return false;
  const ir::LayoutAttr a = ir::layoutOf(type), b = ir::layoutOf(result);
  const bool aPlain = !a || a.isPlainOrder(), bPlain = !b || b.isPlainOrder();
  if (aPlain != bPlain) return false;
  if (!aPlain && (a.getBlockDims() != b.getBlockDims() || a.getBlockSizes() != b.getBlockSizes()))
    return false;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!isEqualSize(type, result, d)) return false;
  }
  return true;
}

static bool isPerChannel(RankedTensorType type, RankedTensorType result, int64_t lanes) {
  const int64_t missing = result.getRank() - type.getRank(), channel = 1 - missing;
  if (channel < 0 || !type.hasStaticShape() || !isBlockedAlong(type, channel, lanes)) return false;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    const int64_t wanted = d == channel || d + missing == 0 ? result.getDimSize(d + missing) : 1;
    if (type.getDimSize(d) != wanted && type.getDimSize(d) != 1) return false;
  }
  return type.getDimSize(channel) == result.getDimSize(1);
}

static Access accessOf(Value value, const Region& region, int64_t lanes) {
  const RankedTensorType type = tensorType(value), result = region.resultType();
  if (auto constant = value.getDefiningOp<ir::ConstantOp>())
    return ir::constantScalar(value) && type.getNumElements() == 1 ? Access::kConstant
                                                                   : Access::kUnknown;
  if (!type.getElementType().isF32()) return Access::kUnknown;
  if (type.hasStaticShape() && ir::isPlain(type) && type.getNumElements() == 1)
    return Access::kScalar;
  if (isSamePlace(type, result)) return Access::kSamePlace;
  if (isa<ir::ConvOp>(region.anchor))
    return isPerChannel(type, result, lanes) ? Access::kPerChannel : Access::kUnknown;
  if (!ir::isPlain(type) || !type.hasStaticShape() || type.getRank() > result.getRank())
    return Access::kUnknown;
  const ArrayRef<int64_t> shape = type.getShape();
  const bool isColumn = shape.back() == result.getShape().back() &&
                        llvm::all_of(shape.drop_back(), [](int64_t s) { return s == 1; });
  if (isColumn) return Access::kPerColumn;
  return result.hasStaticShape() ? Access::kMatrix : Access::kUnknown;
}

/// The region's parts when it is a contraction and a tail that works on f32 accumulators.
static std::optional<Region> matchRegion(func::FuncOp function, int64_t lanes) {
  Region region;
  region.function = function;
  Block& body = function.getBody().front();
  if (function.getNumResults() != 1) return std::nullopt;
  region.result = body.getTerminator()->getOperand(0);
  if (!region.resultType().getElementType().isF32()) return std::nullopt;
  for (Operation& op : body.without_terminator()) {
    if (isa<ir::ConstantOp>(op)) continue;
    if (isa<ir::ConvOp, ir::GemmOp, ir::MatmulOp>(op)) {
      if (region.anchor) return std::nullopt;
      region.anchor = &op;
    } else if (region.anchor && isScalarOp(&op) && op.getNumResults() == 1) {
      region.tail.push_back(&op);
    } else {
      return std::nullopt;
    }
  }
  if (!region.anchor) return std::nullopt;
  const Value product = region.anchor->getResult(0);
  if (!isSamePlace(tensorType(product), region.resultType())) return std::nullopt;
  for (const Value operand : region.anchor->getOperands()) {
    if (!isa<BlockArgument>(operand)) return std::nullopt;
  }
  DenseSet<Value> computed = {product};
  for (Operation* op : region.tail) {
    for (const Value operand : op->getOperands()) {
      if (computed.contains(operand)) continue;
      const Access access = accessOf(operand, region, lanes);
      if (access == Access::kUnknown) return std::nullopt;
      region.accesses[operand] = access;
    }
    if (!isSamePlace(ir::withoutLayout(tensorType(op->getResult(0))),
                     ir::withoutLayout(region.resultType())) &&
        !isSamePlace(tensorType(op->getResult(0)), region.resultType()))
      return std::nullopt;
    computed.insert(op->getResult(0));
  }
  return computed.contains(region.result) ? std::optional<Region>(std::move(region)) : std::nullopt;
}

namespace {

/// Builds one kernel: buffers of arguments, and what the tail reads at one vector of accumulators.
class ContractionBuilder {
 public:
  ContractionBuilder(Region region, const lowering::CpuTarget& cpu)
      : region_(std::move(region)), cpu_(cpu) {}

  bool build(ModuleOp kernels, StringRef name);

 private:
  bool planConv(ir::ConvOp op);
  bool planMatmul(ir::MatmulOp op);
  bool planGemm(ir::GemmOp op);
  void emitAnchor(OpBuilder& b);
  MemRefType bufferType(Value value) const;
  Value bufferOf(Value value) const { return buffers_.lookup(value); }
  Value epilogue(const EpilogueContext& context);
  Value read(const EpilogueContext& context, Value value);
  Value readMatrix(const EpilogueContext& context, Value value);
  Value finishGemm(const EpilogueContext& context, ir::GemmOp op);

  Region region_;
  const lowering::CpuTarget& cpu_;
  DenseMap<Value, Value> buffers_;
  Value output_;
  std::optional<lowering::ConvShape> convShape_;
  lowering::ConvKind convKind_ = lowering::ConvKind::kBlocked;
  lowering::MatmulShape matmulShape_;
  Value bias_;                ///< Of the anchor, where the emitter adds it.
  int64_t numCollapsed_ = 0;  ///< Leading dimensions of A and the result that are one dimension m.
};

}  // namespace

bool ContractionBuilder::planConv(ir::ConvOp op) {
  convShape_ = convShapeOf(op);
  const RankedTensorType x = tensorType(op.getX()), w = tensorType(op.getW());
  if (!convShape_ || !isBlockedAlong(region_.resultType(), 1, cpu_.vectorLanes)) return false;
  const bool isPlainInput = ir::isPlain(x);
  if (!isPlainInput && !isBlockedAlong(x, 1, cpu_.vectorLanes)) return false;
  const auto kind = lowering::convKindFor(*convShape_, isPlainInput, cpu_.vectorLanes);
  if (!kind || kernelType(w) != kernelType(convWeightsType(w, *kind, cpu_.vectorLanes)))
    return false;
  convKind_ = *kind;
  if (op.getB()) {
    if (!isBlockedAlong(tensorType(op.getB()), 0, cpu_.vectorLanes)) return false;
    bias_ = op.getB();
  }
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
    numCollapsed_ = numBatch + 1;
    for (const int64_t size : shape.aBatch) shape.m *= size;
    shape.aBatch.clear();
    shape.bBatch.clear();
    return true;
  }
  for (int64_t i = 0; i < numBatch; ++i) {
    const int64_t p = shape.aBatch[i], q = shape.bBatch[i];
    if (p == 1 || q == 1 || (p == q && !ShapedType::isDynamic(p))) continue;
    // Whether a dynamic size is broadcast is not known here, unless both have one name.
    if (a.getRank() != b.getRank() || !isEqualSize(a, b, i)) return false;
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
  shape.isBPacked = !ir::isPlain(b);
  if (shape.isBPacked && kernelType(b) != kernelType(packedMatrixType(b, transB, cpu_.vectorLanes)))
    return false;
  shape.transB = transB && !shape.isBPacked;
  if (!op.getC() || op.getBeta().isZero()) return true;
  const Access access = accessOf(op.getC(), region_, cpu_.vectorLanes);
  if (access == Access::kUnknown) return false;
  const bool isUnscaled = op.getAlpha().isExactlyValue(1.0) && op.getBeta().isExactlyValue(1.0);
  if (isUnscaled && access == Access::kPerColumn)
    bias_ = op.getC();
  else
    region_.accesses[op.getC()] = access;
  return true;
}

/// The vector of the operand `value` at the accumulator's place in a matrix result.
Value ContractionBuilder::readMatrix(const EpilogueContext& context, Value value) {
  const ArrayRef<int64_t> shape = tensorType(value).getShape(),
                          result = region_.resultType().getShape();
  KernelBuilder b(context.loc, context.b.getInsertionBlock());
  b.restoreInsertionPoint(context.b.saveInsertionPoint());
  // Indices of all dimensions but the last; rows are counted through all batch entries.
  const int64_t numLeading = static_cast<int64_t>(result.size()) - 1;
  Values leading(numLeading);
  Value rest = context.row;
  for (int64_t d = numLeading; d-- > 0;) {
    leading[d] = d == 0 ? rest : b.rem(rest, result[d]);
    rest = b.floorDiv(rest, result[d]);
  }
  Value offset = b.index(0);
  const int64_t missing = static_cast<int64_t>(result.size() - shape.size());
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    offset = b.mul(offset, shape[d]);
    if (shape[d] != 1) offset = b.add(offset, leading[d + missing]);
  }
  const Value flat = lowering::flattenMemRef(b, context.loc, bufferOf(value));
  if (shape.back() == 1) {
    const Value element = b.create<memref::LoadOp>(flat, ValueRange{offset});
    context.b.restoreInsertionPoint(b.saveInsertionPoint());
    return b.create<vector::BroadcastOp>(VectorType::get({context.lanes}, b.getF32Type()), element);
  }
  offset = b.add(b.mul(offset, shape.back()), context.channelOffset);
  return lowering::loadLanes(b, context.loc, flat, offset, context.lanes, context.validLanes);
}

Value ContractionBuilder::read(const EpilogueContext& context, Value value) {
  OpBuilder& b = context.b;
  KernelBuilder kernel(context.loc, b.getInsertionBlock());
  kernel.restoreInsertionPoint(b.saveInsertionPoint());
  const Access access = region_.accesses.lookup(value);
  const Type element = kernelElement(tensorType(value).getElementType());
  const auto vector = VectorType::get({context.lanes}, element);
  switch (access) {
    case Access::kConstant:
      return kernel.scalar(vector, *ir::constantScalar(value));
    case Access::kScalar: {
      const Value flat = lowering::flattenMemRef(b, context.loc, bufferOf(value));
      return kernel.create<vector::BroadcastOp>(
          vector, kernel.create<memref::LoadOp>(flat, ValueRange{kernel.index(0)}));
    }
    case Access::kSamePlace:
      return lowering::loadSameShape(context, bufferOf(value));
    case Access::kPerColumn:
      return lowering::loadPerChannel(context, bufferOf(value));
    case Access::kMatrix:
      return readMatrix(context, value);
    case Access::kPerChannel: {
      const RankedTensorType type = tensorType(value);
      const bool isPerImage =
          type.getRank() == region_.resultType().getRank() && type.getDimSize(0) > 1;
      if (!isPerImage) return lowering::loadPerChannel(context, bufferOf(value));
      const int64_t channels = kernelType(type).getNumElements() / type.getDimSize(0);
      const Value flat = lowering::flattenMemRef(b, context.loc, bufferOf(value));
      const Value offset = kernel.add(kernel.mul(context.batch, channels), context.channelOffset);
      return lowering::loadLanes(kernel, context.loc, flat, offset, context.lanes,
                                 context.validLanes);
    }
    case Access::kUnknown:
      break;
  }
  return {};
}

/// alpha * accumulator + beta * c.
Value ContractionBuilder::finishGemm(const EpilogueContext& context, ir::GemmOp op) {
  KernelBuilder b(context.loc, context.b.getInsertionBlock());
  b.restoreInsertionPoint(context.b.saveInsertionPoint());
  Value y = context.accumulator;
  const auto scaled = [&](Value value, const APFloat& factor) {
    return factor.isExactlyValue(1.0)
               ? value
               : emitMul(b, value, b.scalar(value.getType(), factor.convertToDouble()));
  };
  y = scaled(y, op.getAlpha());
  if (!op.getC() || bias_ || op.getBeta().isZero()) return y;
  return emitAdd(b, y, scaled(read(context, op.getC()), op.getBeta()));
}

Value ContractionBuilder::epilogue(const EpilogueContext& context) {
  DenseMap<Value, Value> vectors;
  auto gemm = dyn_cast<ir::GemmOp>(region_.anchor);
  vectors[region_.anchor->getResult(0)] = gemm ? finishGemm(context, gemm) : context.accumulator;
  KernelBuilder b(context.loc, context.b.getInsertionBlock());
  for (Operation* op : region_.tail) {
    Values arguments;
    for (const Value operand : op->getOperands()) {
      Value& vector = vectors[operand];
      if (!vector) vector = read(context, operand);
      arguments.push_back(vector);
    }
    b.restoreInsertionPoint(context.b.saveInsertionPoint());
    vectors[op->getResult(0)] = emitScalar(b, op, arguments);
  }
  return vectors[region_.result];
}

void ContractionBuilder::emitAnchor(OpBuilder& b) {
  const Location loc = b.getUnknownLoc();
  const auto tail = [this](const EpilogueContext& context) { return epilogue(context); };
  if (auto conv = dyn_cast<ir::ConvOp>(region_.anchor)) {
    const lowering::ConvOperands operands = {bufferOf(conv.getX()), bufferOf(conv.getW()),
                                             bias_ ? bufferOf(bias_) : Value(), output_};
    return lowering::emitConv(b, loc, *convShape_, convKind_, operands, cpu_, tail);
  }
  const lowering::MatmulOperands operands = {bufferOf(region_.anchor->getOperand(0)),
                                             bufferOf(region_.anchor->getOperand(1)),
                                             bias_ ? bufferOf(bias_) : Value(), output_};
  lowering::emitMatmul(b, loc, matmulShape_, operands, cpu_, tail);
}

/// The shapes that the emitter expects: leading dimensions that are one row dimension joined, batch dimensions of both operands
/// of a product aligned.
MemRefType ContractionBuilder::bufferType(Value value) const {
  const RankedTensorType type = kernelType(tensorType(value));
  SmallVector<int64_t> shape(type.getShape());
  const bool isLeft = value == region_.anchor->getOperand(0), isRight = value == region_.anchor->getOperand(1);
  if (isa<ir::ConvOp>(region_.anchor)) return MemRefType::get(shape, type.getElementType());
  if (numCollapsed_ > 0 && (isLeft || value == region_.result)) {
    shape = {matmulShape_.m, shape.back()};
  } else if (isLeft || (isRight && !matmulShape_.isBPacked)) {
    const size_t rank = matmulShape_.aBatch.size() + 2;
    if (shape.size() < rank) shape.insert(shape.begin(), rank - shape.size(), 1);
  }
  return MemRefType::get(shape, type.getElementType());
}

bool ContractionBuilder::build(ModuleOp kernels, StringRef name) {
  const bool isPlanned = llvm::TypeSwitch<Operation*, bool>(region_.anchor)
                             .Case([&](ir::ConvOp op) { return planConv(op); })
                             .Case([&](ir::MatmulOp op) { return planMatmul(op); })
                             .Case([&](ir::GemmOp op) { return planGemm(op); })
                             .Default([](Operation*) { return false; });
  if (!isPlanned) return false;
  lowering::KernelSignature signature;
  for (const Value argument : region_.function.getArguments())
    signature.inputs.push_back(bufferType(argument));
  signature.outputs.push_back(bufferType(region_.result));
  lowering::KernelFunction kernel = lowering::createKernelFunction(kernels, name, signature);
  OpBuilder b = kernel.bodyBuilder();
  for (auto [argument, buffer] : llvm::zip_equal(region_.function.getArguments(), kernel.inputs))
    buffers_[argument] = buffer;
  output_ = kernel.outputs[0];
  if (!output_) {
    const Value a = bufferOf(region_.anchor->getOperand(0));
    SmallVector<Value> sizes;
    for (auto [d, size] : llvm::enumerate(signature.outputs[0].getShape())) {
      if (!ShapedType::isDynamic(size)) continue;
      // A dynamic size of the result is one of A, or a batch size of B.
      const int64_t fromA = static_cast<int64_t>(d) - (signature.outputs[0].getRank() -
                                                       cast<MemRefType>(a.getType()).getRank());
      const bool isOfA = fromA >= 0 && cast<MemRefType>(a.getType()).isDynamicDim(fromA);
      const Value source = isOfA ? a : bufferOf(region_.anchor->getOperand(1));
      const int64_t dim = static_cast<int64_t>(d) - (signature.outputs[0].getRank() -
                                                     cast<MemRefType>(source.getType()).getRank());
      sizes.push_back(b.create<memref::DimOp>(b.getUnknownLoc(), source, dim));
    }
    output_ = lowering::buildAllocOutput(b, b.getUnknownLoc(), kernel.function, 0,
                                         signature.outputs[0], sizes);
  }
  emitAnchor(b);
  return true;
}

bool buildContractionKernel(func::FuncOp region, ModuleOp kernels, StringRef name,
                            const lowering::CpuTarget& cpu) {
  std::optional<Region> matched = matchRegion(region, cpu.vectorLanes);
  return matched && ContractionBuilder(std::move(*matched), cpu).build(kernels, name);
}

}  // namespace tessera::backend_native
