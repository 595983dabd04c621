#include "backends/native/compiler/contraction/chain_emitter.h"

#include <cmath>

#include "backends/native/compiler/kernel/emit_scalar.h"
#include "backends/native/compiler/kernel/lrn.h"
#include "compiler/ir/io/constants.h"
#include "compiler/lowering/lanes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::EpilogueContext;

ChainEmitter::ChainEmitter(const ContractionRegion& region, const ContractionPlan& plan)
    : chain_(region.tail), anchor_(region.anchor), bias_(plan.bias) {
  if (const auto* product = std::get_if<ProductPlan>(&plan.kernel))
    numColumnDims_ = product->numColumnDims;
  else if (std::holds_alternative<OpenProductPlan>(plan.kernel))
    numColumnDims_ = 1;
  else
    numColumnDims_ = chain_.resultType().getRank() - 2;
  if (const auto* response = std::get_if<ResponsePlan>(&plan.kernel)) isExact_ = response->isExact;
}

/// A kernel builder where the epilogue builds.
static KernelBuilder builderAt(const EpilogueContext& context) {
  KernelBuilder b(context.loc, context.b.getInsertionBlock());
  b.restoreInsertionPoint(context.b.saveInsertionPoint());
  return b;
}

static Element spread(KernelBuilder& b, const EpilogueContext& context, Value flat, Value offset) {
  const Value element = b.create<memref::LoadOp>(flat, ValueRange{offset});
  const auto type = VectorType::get({context.lanes}, element.getType());
  return b.element(b.create<vector::BroadcastOp>(type, element));
}

/// One element for all channels of a result in blocks: those that pad the last one have none, as it
/// need not be finite, and what is multiplied by zeros later must be.
static Value ofChannels(KernelBuilder& b, const EpilogueContext& context, Value all,
                        RankedTensorType result) {
  const int64_t channels = ir::isPlain(result) ? 0 : result.getDimSize(1);
  if (channels % context.lanes == 0) return all;
  const Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(all.getType()));
  return b.create<arith::SelectOp>(
      lowering::lanesBelow(b, context.loc, context.lanes, b.term(channels) - context.channelOffset),
      all, zero);
}

/// The first of the operators that reads `value`; the anchor where only that does, as its bias.
static Operation* firstUser(Value value, ArrayRef<Operation*> operators, Operation* anchor) {
  const auto* const first = llvm::find_if(
      operators, [&](Operation* op) { return llvm::is_contained(op->getOperands(), value); });
  return first != operators.end() ? *first : anchor;
}

Values bufferSizes(KernelBuilder& b, RankedTensorType type, Value buffer) {
  Values sizes;
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    const bool isDynamic = ShapedType::isDynamic(extent);
    sizes.push_back(isDynamic ? Value(b.create<memref::DimOp>(buffer, static_cast<int64_t>(d)))
                              : b.index(extent));
  }
  return sizes;
}

void ChainEmitter::prepare(KernelBuilder& b, const Values& resultSizes,
                           const DenseMap<Operation*, uint32_t>& nodes) {
  const RankedTensorType result = chain_.resultType();
  resultSizes_ = resultSizes;
  for (const auto& [value, access] : chain_.accesses) {
    if (access != TailAccess::kMatrix && access != TailAccess::kSamePlace) continue;
    Operation* user = firstUser(value, chain_.operators, anchor_);
    b.setNode(nodes.at(user));
    const auto number =
        std::distance(user->operand_begin(), llvm::find(user->getOperands(), value));
    const RankedTensorType type = chain_.typeOf(value);
    const Values sizes = bufferSizes(b, type, bufferOf(value));
    const int64_t missing = result.getRank() - type.getRank();
    for (int64_t d = 0; d < type.getRank(); ++d) {
      const auto what = [&] {
        return "dimension " + std::to_string(d) + " of operand " + std::to_string(number);
      };
      if (access == TailAccess::kSamePlace)
        b.requireEqual(sizes[d], resultSizes_[d + missing], what());
      else
        b.requireOneOr(sizes[d], resultSizes_[d + missing], what());
    }
    if (access == TailAccess::kMatrix) sizes_[value] = sizes;
  }
}

/// The vector of an operand that broadcasts to the matrix of results.
Value ChainEmitter::readMatrix(const EpilogueContext& context, Value value) {
  KernelBuilder b = builderAt(context);
  const RankedTensorType type = chain_.typeOf(value);
  const auto rank = static_cast<int64_t>(resultSizes_.size());
  const int64_t missing = rank - type.getRank(), numRowDims = rank - numColumnDims_;
  // Indices of the row dimensions from the row's number.
  Values indices(context.rowIndices.begin(), context.rowIndices.end());
  const bool areKnown = !indices.empty();
  indices.resize(numRowDims);
  Value rest = context.row;
  for (int64_t d = numRowDims; !areKnown && d-- > 0;) {
    indices[d] = d == 0 ? rest : b.rem(rest, resultSizes_[d]);
    rest = b.floorDiv(rest, resultSizes_[d]);
  }
  const Values sizes = sizes_.lookup(value);
  Index offset = b.term(0);
  for (int64_t d = 0; d + missing < numRowDims && d < type.getRank(); ++d) {
    offset = offset * sizes[d];
    const Condition isOne = b.equal(sizes[d], 1);
    offset = offset + b.select(isOne, b.index(0), indices[d + missing]);
  }
  Value columns = b.index(1);
  for (int64_t d = std::max<int64_t>(numRowDims - missing, 0); d < type.getRank(); ++d)
    columns = b.mul(columns, sizes[d]);
  const Value flat = lowering::flattenMemRef(b, context.loc, bufferOf(value));
  if (getConstantIntValue(columns) == 1) return spread(b, context, flat, offset);
  const Index first = offset * columns;
  if (!type.isDynamicDim(type.getRank() - 1))
    return lowering::loadLanes(context, flat, first + context.channelOffset);
  // One element for all columns, or one for each.
  const Condition isWide = !b.equal(columns, 1);
  EpilogueContext wide = context;
  const auto lanes = VectorType::get({context.lanes}, b.getI1Type());
  const Value all = b.create<vector::BroadcastOp>(lanes, Value(isWide));
  wide.laneMask = context.laneMask ? Value(b.create<arith::AndIOp>(all, context.laneMask)) : all;
  const Value each =
      lowering::loadLanes(wide, flat, first + b.select(isWide, context.channelOffset, b.index(0)));
  return b.select(isWide, each, spread(b, context, flat, first));
}

/// The channels' elements, which each image may have its own of.
Value ChainEmitter::readChannels(const EpilogueContext& context, Value value) {
  const RankedTensorType type = chain_.typeOf(value);
  const bool isPerImage =
      type.getRank() == chain_.resultType().getRank() && type.getDimSize(0) != 1;
  if (!isPerImage) return lowering::loadPerChannel(context, bufferOf(value));
  KernelBuilder b = builderAt(context);
  int64_t channels = 1;
  for (const int64_t size : kernelType(type).getShape().drop_front()) channels *= size;
  const Value flat = lowering::flattenMemRef(b, context.loc, bufferOf(value));
  return lowering::loadLanes(context, flat,
                             b.term(context.batch) * channels + context.channelOffset);
}

/// The element of a position, for all channels.
Value ChainEmitter::readPosition(const EpilogueContext& context, Value value) {
  KernelBuilder b = builderAt(context);
  const RankedTensorType type = chain_.typeOf(value), result = chain_.resultType();
  const int64_t missing = result.getRank() - type.getRank();
  Value rest = b.floorDiv(context.outputOffset, context.lanes);
  Index offset = b.term(0);
  Value stride = b.index(1);
  for (int64_t d = type.getRank() - 1; d >= std::max<int64_t>(2 - missing, 0); --d) {
    const Value size = resultSizes_[d + missing];
    const Value at = b.rem(rest, size);
    rest = b.floorDiv(rest, size);
    if (type.getDimSize(d) == 1) continue;
    offset = offset + b.term(at) * stride;
    stride = b.mul(stride, size);
  }
  if (missing == 0 && type.getDimSize(0) != 1) offset = offset + b.term(context.batch) * stride;
  const Value flat = lowering::flattenMemRef(b, context.loc, bufferOf(value));
  return ofChannels(b, context, spread(b, context, flat, offset), result);
}

/// Conditions lie in memory as bytes.
Value ChainEmitter::read(const EpilogueContext& context, Value value) {
  const Value elements = readMemory(context, value);
  if (!elementOf(elements).isInteger(8)) return elements;
  KernelBuilder b = builderAt(context);
  return b.element(elements) != 0;
}

Value ChainEmitter::readMemory(const EpilogueContext& context, Value value) {
  KernelBuilder b = builderAt(context);
  const RankedTensorType type = chain_.typeOf(value);
  switch (chain_.accesses.lookup(value)) {
    case TailAccess::kConstant: {
      const double constant = *ir::constantScalar(value);
      const Value all = b.scalar(
          VectorType::get({context.lanes}, kernelElement(type.getElementType())), constant);
      return std::isfinite(constant) ? all : ofChannels(b, context, all, chain_.resultType());
    }
    case TailAccess::kScalar:
      return ofChannels(
          b, context,
          spread(b, context, lowering::flattenMemRef(b, context.loc, bufferOf(value)), b.index(0)),
          chain_.resultType());
    case TailAccess::kSamePlace:
      return lowering::loadSameShape(context, bufferOf(value));
    case TailAccess::kPerColumn:
      return lowering::loadPerChannel(context, bufferOf(value));
    case TailAccess::kMatrix:
      return readMatrix(context, value);
    case TailAccess::kPerChannel:
      return readChannels(context, value);
    case TailAccess::kPerPosition:
      return readPosition(context, value);
    case TailAccess::kUnknown:
      break;
  }
  return {};
}

/// The anchor's own result: accumulator plus bias, for gemm alpha * accumulator + beta * c, for lrn
/// what its formula makes of the sum.
Value ChainEmitter::anchorResult(const EpilogueContext& context) {
  KernelBuilder b = builderAt(context);
  Element y = b.element(context.accumulator);
  if (auto lrn = dyn_cast<ir::LrnOp>(anchor_)) {
    const Value x = lowering::loadSameShape(context, bufferOf(lrn.getX()));
    b.restoreInsertionPoint(context.b.saveInsertionPoint());
    return normalizeResponse(lrn, b.element(x), y, isExact_);
  }
  if (bias_ == BiasPlace::kRows) {
    const Value channels = resultSizes_[1];
    const Value bias = bufferOf(anchor_->getOperand(2));
    const Value flat = lowering::flattenMemRef(b, context.loc, bias);
    return y + spread(b, context, flat, b.rem(context.row, channels));
  }
  auto gemm = dyn_cast<ir::GemmOp>(anchor_);
  if (!gemm) return y;
  const auto scaled = [](const Element& value, const APFloat& factor) {
    return factor.isExactlyValue(1.0) ? value : value * factor.convertToDouble();
  };
  y = scaled(y, gemm.getAlpha());
  if (bias_ != BiasPlace::kTail) return y;
  const Value c = read(context, gemm.getC());
  b.restoreInsertionPoint(context.b.saveInsertionPoint());
  return y + scaled(b.element(c), gemm.getBeta());
}

bool ChainEmitter::isLong() const {
  constexpr size_t kMost = 6;
  return chain_.operators.size() > kMost || llvm::any_of(chain_.operators, backend_native::isLong);
}

bool ChainEmitter::readsMemory() const {
  return llvm::any_of(chain_.accesses,
                      [](const auto& operand) { return operand.second != TailAccess::kConstant; });
}

Value ChainEmitter::emit(const EpilogueContext& context) {
  DenseMap<Value, Value> vectors;
  if (anchor_) vectors[anchor_->getResult(0)] = anchorResult(context);
  for (Operation* op : chain_.operators) {
    if (isa<ir::ReshapeOp>(op)) {
      vectors[op->getResult(0)] = vectors.lookup(op->getOperand(0));
      continue;
    }
    for (const Value operand : op->getOperands()) {
      Value& vector = vectors[operand];
      if (!vector) vector = read(context, operand);
    }
    KernelBuilder b = builderAt(context);
    const auto arguments = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return b.element(vectors[operand]); });
    vectors[op->getResult(0)] = emitScalar(b, op, arguments);
  }
  return vectors[chain_.result];
}

}  // namespace tessera::backend_native
