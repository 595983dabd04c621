#include "backends/native/compiler/kernel/kernel_builder.h"

#include "compiler/ir/io/constants.h"
#include "compiler/lowering/streamed_result.h"
#include "compiler/support/check.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

RankedTensorType kernelType(RankedTensorType type) {
  const RankedTensorType physical = ir::physicalType(type);
  return RankedTensorType::get(physical.getShape(), kernelElement(type.getElementType()));
}

static StringAttr nameOfDim(RankedTensorType type, size_t dim) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  if (!layout || dim >= layout.getDims().size() || !layout.isPlainOrder()) return {};
  const StringAttr name = layout.getDims()[dim];
  return name && !name.getValue().empty() ? name : StringAttr();
}

void KernelBuilder::set(Value value, Value tensor) {
  const auto type = llvm::cast<RankedTensorType>(value.getType());
  const RankedTensorType wanted = kernelType(type);
  TESSERA_CHECK(typeOf(tensor).getRank() == wanted.getRank(),
                "a lowering made a tensor of the wrong rank");
  TESSERA_CHECK(typeOf(tensor).getElementType() == wanted.getElementType(),
                "a lowering made the wrong element type");
  Values known = sizes(tensor);
  for (auto [i, extent] : llvm::enumerate(wanted.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      requireEqual(known[i], index(extent), "dimension " + Twine(i));
    } else if (const StringAttr name = nameOfDim(type, i)) {
      const Value first = namedSizes_.try_emplace(name.getValue(), known[i]).first->second;
      requireEqual(known[i], first, "dimension " + Twine(i));
      known[i] = first;
    }
  }
  if (tensor.getType() != wanted) tensor = this->cast(tensor, wanted);
  tensors_[value] = tensor;
  setSizes(tensor, known);
}

Value KernelBuilder::index(int64_t value) {
  Value& constant = indices_[value];
  if (constant) return constant;
  const OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(body_);
  return constant = create<arith::ConstantIndexOp>(value);
}
Value KernelBuilder::product(ValueRange factors) {
  Value result = index(1);
  for (const Value factor : factors) result = mul(result, factor);
  return result;
}

Index wrapIndex(KernelBuilder& b, Value position, Value size) {
  const Index at = b.term(position);
  const Index wrapped = select(at < 0, at + size, at);
  return larger(smaller(wrapped, b.term(size) - 1), 0);
}

Index KernelBuilder::toIndex(Value integer) {
  if (integer.getType().isIndex()) return term(integer);
  return term(createOrFold<arith::IndexCastOp>(getIndexType(), integer));
}

Element KernelBuilder::fromIndex(Value position, Type type) {
  if (!isa<FloatType>(type)) return element(createOrFold<arith::IndexCastOp>(type, position));
  return convert(element(createOrFold<arith::IndexCastOp>(getI64Type(), position)), type);
}

Values KernelBuilder::sizes(Value tensor) {
  const RankedTensorType type = typeOf(tensor);
  Values known = sizes_.lookup(tensor);
  known.resize(type.getRank());
  bool isNew = false;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      known[i] = index(extent);
    } else if (!known[i]) {
      // Right behind the tensor, so that the size can be used wherever the tensor can.
      const OpBuilder::InsertionGuard guard(*this);
      setInsertionPointAfterValue(tensor);
      known[i] = createOrFold<tensor::DimOp>(tensor, static_cast<int64_t>(i));
      isNew = true;
    }
  }
  if (isNew) setSizes(tensor, known);
  return known;
}

void KernelBuilder::setSizes(Value tensor, ValueRange sizes) {
  const RankedTensorType type = typeOf(tensor);
  if (type.hasStaticShape()) return;
  Values known(type.getRank());
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(extent)) known[i] = sizes[i];
  }
  sizes_[tensor] = std::move(known);
}

Value KernelBuilder::empty(Type element, ValueRange sizes) {
  const Value tensor = create<tensor::EmptyOp>(getAsOpFoldResult(sizes), element);
  setSizes(tensor, sizes);
  return tensor;
}

Value KernelBuilder::filled(Value scalar, ValueRange sizes) {
  const Value target = empty(scalar.getType(), sizes);
  const Value tensor = create<linalg::FillOp>(scalar, target).getResult(0);
  setSizes(tensor, sizes);
  return tensor;
}

Value KernelBuilder::constant(DenseElementsAttr value) {
  return create<arith::ConstantOp>(llvm::cast<TypedAttr>(value));
}

Element KernelBuilder::load(Value tensor, ValueRange indices) {
  return element(createOrFold<tensor::ExtractOp>(tensor, indices));
}

Values KernelBuilder::readInts(Value tsrValue, std::optional<int64_t> count) {
  Values ints;
  if (!tsrValue) return ints;
  if (const auto known = ir::constantInts(tsrValue)) {
    for (const int64_t value : *known) ints.push_back(index(value));
    return ints;
  }
  const Value tensor = get(tsrValue);
  const RankedTensorType type = typeOf(tensor);
  TESSERA_CHECK(type.getRank() <= 1 && (type.hasStaticShape() || count),
                "a shape-like operand without known length");
  if (type.getRank() == 0) return {toIndex(load(tensor, {}))};
  if (type.isDynamicDim(0)) requireEqual(size(tensor, 0), index(*count), "the length of a list");
  const int64_t length = type.isDynamicDim(0) ? *count : type.getDimSize(0);
  for (int64_t i = 0; i < length; ++i) ints.push_back(toIndex(load(tensor, index(i))));
  return ints;
}

Value KernelBuilder::cast(Value tensor, RankedTensorType type) {
  if (tensor.getType() == type) return tensor;
  const Values known = sizes(tensor);
  const Value result = createOrFold<tensor::CastOp>(type, tensor);
  setSizes(result, known);
  return result;
}

static RankedTensorType typeOfSizes(ValueRange sizes, Type element) {
  SmallVector<int64_t> shape;
  for (const Value size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

Value KernelBuilder::withSizes(Value tensor, ValueRange sizes, const Twine& what) {
  for (auto [i, size] : llvm::enumerate(this->sizes(tensor)))
    requireEqual(size, sizes[i], "dimension " + Twine(i) + " of " + what);
  const Value result = cast(tensor, typeOfSizes(sizes, typeOf(tensor).getElementType()));
  setSizes(result, sizes);
  return result;
}

/// The same number of elements; factors that both have are not counted.
static void requireSameCount(KernelBuilder& b, ValueRange from, ValueRange to) {
  int64_t known[2] = {1, 1};
  Values open[2];
  const ValueRange both[] = {from, to};
  for (size_t side = 0; side < 2; ++side) {
    for (const Value size : both[side]) {
      const std::optional<int64_t> constant = getConstantIntValue(size);
      if (constant) {
        known[side] *= *constant;
        continue;
      }
      Values& others = open[1 - side];
      auto* const same =
          side == 0 ? others.end()
                    : llvm::find_if(others, [&](Value other) { return b.isSameSize(size, other); });
      if (same == others.end())
        open[side].push_back(size);
      else
        others.erase(same);
    }
  }
  if (open[0].empty() && open[1].empty() && known[0] == known[1]) return;
  b.requireEqual(b.product(to), b.product(from), "the number of elements of the shape asked for");
}

Value KernelBuilder::memoryBeyondCaches(Value tensor) {
  const RankedTensorType type = typeOf(tensor);
  const auto memory = MemRefType::get(type.getShape(), type.getElementType());
  if (!lowering::isBeyondCaches(memory)) return {};
  return create<bufferization::ToMemrefOp>(memory, tensor, /*read_only=*/true);
}

Value KernelBuilder::reshape(Value tensor, ValueRange sizes) {
  const RankedTensorType from = typeOf(tensor);
  const RankedTensorType to = typeOfSizes(sizes, from.getElementType());
  if (from == to && from.hasStaticShape()) return tensor;
  requireSameCount(*this, this->sizes(tensor), sizes);
  Value result;
  if (from.hasStaticShape() && to.hasStaticShape()) {
    // Through one dimension; canonicalisation joins the two where it can.
    const auto flat = RankedTensorType::get({from.getNumElements()}, from.getElementType());
    const auto all = [](int64_t rank) {
      SmallVector<ReassociationIndices> groups;
      if (rank > 0) groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
      return groups;
    };
    if (const auto groups = getReassociationIndicesForReshape(from, to)) {
      return from.getRank() > to.getRank()
                 ? create<tensor::CollapseShapeOp>(to, tensor, *groups).getResult()
                 : create<tensor::ExpandShapeOp>(to, tensor, *groups).getResult();
    }
    Value line = tensor;
    if (from.getRank() == 0) line = create<tensor::ExpandShapeOp>(flat, tensor, all(0));
    if (from.getRank() > 1)
      line = create<tensor::CollapseShapeOp>(flat, tensor, all(from.getRank()));
    if (to.getRank() == 1) return line;
    if (to.getRank() == 0) return create<tensor::CollapseShapeOp>(to, line, all(0));
    return create<tensor::ExpandShapeOp>(to, line, all(to.getRank()));
  }
  if (to.getRank() == 0) {
    const Values zeros(from.getRank(), index(0));
    result = create<tensor::FromElementsOp>(to, Value(load(tensor, zeros)));
  } else {
    const Value shape = create<tensor::FromElementsOp>(sizes);
    result = create<tensor::ReshapeOp>(to, tensor, shape);
  }
  setSizes(result, sizes);
  return result;
}

Value KernelBuilder::slice(Value tensor, ValueRange offsets, ValueRange sizes, ValueRange strides) {
  if (strides.empty()) requireInside(offsets, sizes, this->sizes(tensor));
  Values steps(strides);
  if (steps.empty()) steps.assign(offsets.size(), index(1));
  const Value result = create<tensor::ExtractSliceOp>(
      tensor, getAsOpFoldResult(offsets), getAsOpFoldResult(sizes), getAsOpFoldResult(steps));
  setSizes(result, sizes);
  return result;
}

Value KernelBuilder::insert(Value part, Value into, ValueRange offsets, ValueRange strides) {
  Values steps(strides);
  if (steps.empty()) steps.assign(offsets.size(), index(1));
  const Values known = sizes(into);
  if (strides.empty()) requireInside(offsets, sizes(part), known);
  const Value result =
      create<tensor::InsertSliceOp>(part, into, getAsOpFoldResult(offsets),
                                    getAsOpFoldResult(sizes(part)), getAsOpFoldResult(steps));
  setSizes(result, known);
  return result;
}

}  // namespace tessera::backend_native
