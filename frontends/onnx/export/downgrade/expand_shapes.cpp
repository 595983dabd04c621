// Axes and sizes that an older opset cannot say.
#include "base/limits.h"
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "frontends/onnx/export/downgrade/rules.h"

using namespace mlir;

namespace tessera::onnx {

Result<bool> expandAllowZero(Expansion& e) {
  // Before, 0 always copied the input's size. A shape with a size of 0 has no elements to move.
  auto reshape = llvm::cast<ir::ReshapeOp>(e.op);
  if (reshape.getAllowzero() == 0) return false;
  const ir::Numbers sizes = ir::knownNumbers(reshape.getShape());
  llvm::SmallVector<int64_t> shape;
  for (const std::optional<int64_t>& size : sizes.values) shape.push_back(size.value_or(-2));
  const auto rank = static_cast<size_t>(Expansion::typeOf(reshape.getReshaped()).getRank());
  if (shape.size() != rank || llvm::is_contained(shape, -2))
    return e.refuse("Reshape", "with allowzero = 1 and a shape that is known at run time only");
  const bool isZero = llvm::is_contained(shape, 0);
  if (!isZero) return e.replaceWith(e.make<ir::ReshapeOp>({reshape.getData(), reshape.getShape()}));
  for (int64_t& size : shape) size = std::max<int64_t>(size, 0);
  const auto scalar = RankedTensorType::get({1}, e.type().getElementType());
  const Attribute zero = Builder(e.op->getContext()).getZeroAttr(scalar);
  return e.replaceWith(e.make<ir::ConstantOfShapeOp>(e.ints(shape), e.attribute("value", zero)));
}

Result<bool> expandShapeRange(Expansion& e) {
  auto shape = llvm::cast<ir::ShapeOp>(e.op);
  const auto start = static_cast<int64_t>(shape.getStart());
  if (start == 0 && !shape.getEnd()) return false;
  // Out of range is clamped by both.
  const int64_t end = shape.getEnd() ? static_cast<int64_t>(*shape.getEnd()) : e.type().getRank();
  return e.replaceWith(
      e.make<ir::SliceOp>({e.shape(shape.getData()), e.ints({start}), e.ints({end})},
                          e.operandSegments({1, 1, 1, 0, 0})));
}

Result<bool> expandNumOutputs(Expansion& e) {
  // Before, the parts were equal where no sizes were given: now the last one may be smaller.
  auto split = llvm::cast<ir::SplitOp>(e.op);
  if (!split.getNumOutputs() || split.getSplit()) return false;
  const auto count = static_cast<int64_t>(split.getNumResults());
  const int64_t axis = split.getAxisNormalized();
  const int64_t size = e.type().getDimSize(axis);
  Value sizes;
  if (ShapedType::isDynamic(size)) {
    const Value whole = e.size(split.getInput(), axis);
    const Value rounded = e.make<ir::AddOp>({whole, e.ints({count - 1})});
    const Value part = e.make<ir::DivOp>({rounded, e.ints({count})});
    const Value rest = e.make<ir::SubOp>({whole, e.make<ir::MulOp>({part, e.ints({count - 1})})});
    llvm::SmallVector<Value> parts(static_cast<size_t>(count - 1), part);
    parts.push_back(rest);
    sizes = e.make<ir::ConcatOp>(parts, e.attribute("axis", 0));
  } else {
    const int64_t part = (size + count - 1) / count;
    llvm::SmallVector<int64_t> parts;
    for (int64_t i = 0, left = size; i < count; ++i, left -= parts.back())
      parts.push_back(std::min(part, left));
    sizes = e.ints(parts);
  }
  Operation* made = e.create(ir::SplitOp::getOperationName(), {split.getInput(), sizes},
                             e.attribute("axis", axis), split.getNumResults());
  return e.replaceWith(made->getResults());
}

Result<bool> expandTrilu(Expansion& e) {
  auto trilu = llvm::cast<ir::TriluOp>(e.op);
  const int64_t rank = e.type().getRank();
  const Type integer = IntegerType::get(e.op->getContext(), 64);
  const auto count = [&](int64_t axis) -> Value {
    const Value size = e.make<ir::SqueezeOp>({e.size(trilu.getInput(), axis), e.ints({0})});
    return e.make<ir::RangeOp>({e.scalar(integer, 0), size, e.scalar(integer, 1)});
  };
  const Value column = count(rank - 1);
  Value row = e.make<ir::UnsqueezeOp>({count(rank - 2), e.ints({1})});
  if (trilu.getK()) row = e.make<ir::AddOp>({row, trilu.getK()});
  const Value isKept = trilu.getUpper() != 0 ? e.make<ir::GreaterOrEqualOp>({column, row})
                                             : e.make<ir::LessOrEqualOp>({column, row});
  const Value zero = e.scalar(e.type().getElementType(), 0);
  return e.replaceWith(e.make<ir::WhereOp>({isKept, trilu.getInput(), zero}));
}

Result<bool> expandReductionOfNothing(Expansion& e) {
  // noop_with_empty_axes = 1: each element by itself, a sum of one square, a logarithm of one.
  auto reduction = llvm::cast<ir::ReductionOpInterface>(e.op);
  const auto noop = llvm::dyn_cast_or_null<IntegerAttr>(e.op->getAttr("noop_with_empty_axes"));
  const std::optional<llvm::SmallVector<int64_t>> axes = reduction.getReducedDims();
  if (!noop || noop.getInt() == 0 || !axes || !axes->empty()) return false;
  if (e.type().getRank() == static_cast<int64_t>(base::kMaxRank)) return false;
  const Value column = e.make<ir::UnsqueezeOp>({e.operand(0), e.ints({-1})});
  Operation* reduced =
      e.create(e.op->getName().getStringRef(), {column, e.ints({-1})}, e.attribute("keepdims", 0));
  return e.replaceWith(reduced->getResults());
}

/// The attributes of a recurrent layer with another layout, as `create` takes them.
static llvm::SmallVector<NamedAttribute> attributesInLayout(Expansion& e, int64_t layout) {
  llvm::SmallVector<NamedAttribute> attributes;
  for (const NamedAttribute attribute : e.op->getAttrDictionary()) {
    const bool isOurs = e.op->getDiscardableAttr(attribute.getName()) != nullptr;
    if (!isOurs && attribute.getName() != "layout") attributes.push_back(attribute);
  }
  attributes.push_back(e.attribute("layout", layout));
  return attributes;
}

Result<bool> expandBatchFirst(Expansion& e) {
  // layout = 1: [N, T, I] in, [N, T, D, H] out, states [N, D, H]; before opset 14 the batch comes
  // second: [T, N, I], [T, D, N, H], [D, N, H].
  auto layer = llvm::cast<ir::RecurrentOpInterface>(e.op);
  if (layer.getLayout() == 0) return false;
  llvm::SmallVector<Value> operands;
  for (const Value operand : e.op->getOperands()) operands.push_back(operand);
  const auto segments = e.op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  // x, w, r, b, sequence_lens, initial_h, initial_c (lstm), p (lstm)
  unsigned next = 0;
  for (int64_t i = 0; i < segments.size(); ++i) {
    const bool isState = i == 0 || i == 5 || i == 6;
    if (segments[i] == 0) continue;
    if (isState) operands[next] = e.transpose(operands[next], {1, 0, 2});
    ++next;
  }
  Operation* made = e.create(e.op->getName().getStringRef(), operands, attributesInLayout(e, 0),
                             e.op->getNumResults());
  llvm::SmallVector<Value> results;
  for (const Value result : made->getResults()) {
    const bool isSequence = Expansion::typeOf(result).getRank() == 4;
    results.push_back(isSequence ? e.transpose(result, {2, 0, 1, 3})
                                 : e.transpose(result, {1, 0, 2}));
  }
  return e.replaceWith(results);
}

}  // namespace tessera::onnx
