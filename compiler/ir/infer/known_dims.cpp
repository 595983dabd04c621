// Abstract interpretation of shape arithmetic over the domain {number, named dimension, unknown}. A
// dimension is at least 0, which decides comparisons with negative numbers (the -1 of exported
// Expand chains). Every visit of an operation costs one unit of a budget, so that neither deep nor
// diamond-shaped graphs take long.
#include "compiler/ir/infer/known_dims.h"

#include "compiler/ir/infer/dim_arithmetic.h"
#include "compiler/ir/spec/shape_range.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::ir {

namespace {

constexpr int kMaxVisits = 2000;
constexpr int kMaxDepth = 100;
constexpr int64_t kMaxElements = 4096;

class Evaluator {
 public:
  std::optional<Dims> evaluate(mlir::Value value);

 private:
  std::optional<Dims> evaluateOp(mlir::Operation* op);
  static std::optional<Dims> constant(ConstantOp op);
  static std::optional<Dims> shape(ShapeOp op);
  std::optional<Dims> gather(GatherOp op);
  std::optional<Dims> slice(SliceOp op);
  std::optional<Dims> cast(CastOp op);
  std::optional<Dims> concat(ConcatOp op);
  std::optional<Dims> select(WhereOp op);
  std::optional<Dims> fill(mlir::Value shape, const Dim& value);
  std::optional<Dims> range(RangeOp op);
  std::optional<Dims> binary(mlir::Operation* op, Dim (*combine)(const Dim&, const Dim&));
  std::optional<Dim> scalar(mlir::Value value);

  int visits_ = 0;
  int depth_ = 0;
};

/// The number of elements of a value of rank 0 or 1; nothing when it is not known or too large to
/// follow.
std::optional<int64_t> lengthOf(mlir::Value value) {
  const mlir::RankedTensorType type = typeOf(value);
  if (type.getRank() > 1 || !type.hasStaticShape()) return std::nullopt;
  const int64_t length = type.getRank() == 0 ? 1 : type.getDimSize(0);
  return length > kMaxElements ? std::nullopt : std::optional(length);
}

std::optional<Dims> Evaluator::evaluate(mlir::Value value) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || type.getRank() > 1 || !type.getElementType().isSignlessInteger())
    return std::nullopt;
  std::optional<Dims> result;
  if (mlir::Operation* op = value.getDefiningOp();
      op && depth_ < kMaxDepth && ++visits_ < kMaxVisits) {
    ++depth_;
    result = evaluateOp(op);
    --depth_;
  }
  const std::optional<int64_t> length = lengthOf(value);
  if (!length) return result && result->size() <= kMaxElements ? result : std::nullopt;
  if (result && static_cast<int64_t>(result->size()) == *length) return result;
  return Dims(*length, Dim{});
}

std::optional<Dims> Evaluator::evaluateOp(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<Dims>>(op)
      .Case([&](ConstantOp constantOp) { return constant(constantOp); })
      .Case([&](ShapeOp shapeOp) { return shape(shapeOp); })
      .Case([&](SizeOp size) -> std::optional<Dims> {
        Dim product = number(1);
        for (const Dim& dim : operandDims(size, 0)) product = multiplyDims(product, dim);
        return Dims{product};
      })
      .Case([&](GatherOp gatherOp) { return gather(gatherOp); })
      .Case([&](SliceOp sliceOp) { return slice(sliceOp); })
      .Case([&](ConcatOp concatOp) { return concat(concatOp); })
      .Case<IdentityOp, UnsqueezeOp, SqueezeOp, ReshapeOp>(
          [&](auto same) { return evaluate(same->getOperand(0)); })
      .Case([&](CastOp castOp) { return cast(castOp); })
      .Case([&](AddOp add) { return binary(add, addDims); })
      .Case([&](SubOp sub) { return binary(sub, subtractDims); })
      .Case([&](NegOp neg) {
        std::optional<Dims> values = evaluate(neg.getInput());
        if (values)
          llvm::for_each(*values, [](Dim& value) { value = subtractDims(number(0), value); });
        return values;
      })
      .Case([&](MulOp mul) { return binary(mul, multiplyDims); })
      .Case([&](DivOp div) { return binary(div, divideDims); })
      .Case([&](ModOp mod) { return binary(mod, remainderDims); })
      .Case([&](EqualOp equal) { return binary(equal, equalDims); })
      .Case([&](MinOp min) {
        return min->getNumOperands() == 2 ? binary(min, lesserDim) : std::nullopt;
      })
      .Case([&](MaxOp max) {
        return max->getNumOperands() == 2 ? binary(max, greaterDim) : std::nullopt;
      })
      .Case([&](WhereOp where) { return select(where); })
      .Case([&](ExpandOp expand) -> std::optional<Dims> {
        const std::optional<Dim> value = scalar(expand.getInput());
        return value ? fill(expand.getShape(), *value) : std::nullopt;
      })
      .Case([&](ConstantOfShapeOp filled) -> std::optional<Dims> {
        const auto value =
            llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(filled.getValueAttr());
        if (!value || value.getNumElements() != 1) return std::nullopt;
        const llvm::APInt element = *value.value_begin<llvm::APInt>();
        return fill(filled.getInput(), number(element.getSExtValue()));
      })
      .Case([&](RangeOp rangeOp) { return range(rangeOp); })
      .Case([&](ReduceProdOp reduce) -> std::optional<Dims> {
        const std::optional<Dims> values = evaluate(reduce.getData());
        if (!values || typeOf(reduce.getData()).getRank() != 1 ||
            (reduce.getAxes() && reduce.getNoopWithEmptyAxes()))
          return std::nullopt;
        Dim product = number(1);
        for (const Dim& value : *values) product = multiplyDims(product, value);
        return Dims{product};
      })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

std::optional<Dims> Evaluator::constant(ConstantOp op) {
  if (!lengthOf(op)) return std::nullopt;
  const std::optional<llvm::SmallVector<int64_t>> values = constantInts(op);
  if (!values) return std::nullopt;
  Dims dims;
  for (const int64_t value : *values) dims.push_back(number(value));
  return dims;
}

std::optional<Dims> Evaluator::shape(ShapeOp op) {
  const Dims dims = operandDims(op, 0);
  const spec::SliceRange<int64_t> range = spec::shapeRange(op);
  return Dims(dims.begin() + range.start, dims.begin() + range.start + range.length);
}

std::optional<Dims> Evaluator::gather(GatherOp op) {
  if (operandType(op, 0).getRank() != 1) return std::nullopt;
  const std::optional<Dims> data = evaluate(op.getData());
  const std::optional<Dims> indices = evaluate(op.getIndices());
  if (!data || !indices) return std::nullopt;
  const auto length = static_cast<int64_t>(data->size());
  Dims result;
  for (const Dim& index : *indices) {
    const bool isKnown = index.isStatic() && spec::isAxis(index.size, length);
    result.push_back(isKnown ? (*data)[spec::normalizedAxis(index.size, length)] : Dim{});
  }
  return result;
}

std::optional<Dims> Evaluator::slice(SliceOp op) {
  if (operandType(op, 0).getRank() != 1) return std::nullopt;
  const std::optional<Dims> data = evaluate(op.getData());
  const std::optional<Dim> start = scalar(op.getStarts()), end = scalar(op.getEnds());
  const std::optional<Dim> step = op.getSteps() ? scalar(op.getSteps()) : number(1);
  if (!data || !start || !end || !step || !start->isStatic() || !end->isStatic() || !step->is(1))
    return std::nullopt;
  const auto length = static_cast<int64_t>(data->size());
  const spec::SliceRange<int64_t> range =
      spec::sliceRange<int64_t>(length, start->size, end->size, 1);
  return Dims(data->begin() + range.start, data->begin() + range.start + range.length);
}

std::optional<Dims> Evaluator::concat(ConcatOp op) {
  Dims result;
  for (const mlir::Value input : op.getInputs()) {
    if (typeOf(input).getRank() != 1) return std::nullopt;
    const std::optional<Dims> part = evaluate(input);
    if (!part) return std::nullopt;
    result.append(*part);
    if (static_cast<int64_t>(result.size()) > kMaxElements) return std::nullopt;
  }
  return result;
}

std::optional<Dims> Evaluator::cast(CastOp op) {
  std::optional<Dims> values = evaluate(op.getInput());
  if (!values) return std::nullopt;
  const unsigned width = typeOf(op).getElementTypeBitWidth();
  for (Dim& value : *values) {
    if (width == 1)
      value = value.isStatic() ? number(value.size != 0 ? 1 : 0) : Dim{};
    else if (width < 32 ||
             (width == 32 && value.isStatic() && value.size != static_cast<int32_t>(value.size)))
      value = Dim{};
  }
  return values;
}

/// The element of `values` at `index` after broadcasting.
Dim at(const Dims& values, size_t index) { return values.size() == 1 ? values[0] : values[index]; }

std::optional<Dims> Evaluator::binary(mlir::Operation* op, Dim (*combine)(const Dim&, const Dim&)) {
  const std::optional<Dims> a = evaluate(op->getOperand(0)), b = evaluate(op->getOperand(1));
  if (!a || !b) return std::nullopt;
  const size_t count = a->size() == 1 ? b->size() : a->size();
  if (b->size() != 1 && b->size() != count) return std::nullopt;
  Dims result;
  for (size_t i = 0; i < count; ++i) result.push_back(combine(at(*a, i), at(*b, i)));
  return result;
}

std::optional<Dims> Evaluator::select(WhereOp op) {
  const std::optional<Dims> condition = evaluate(op.getCondition()), x = evaluate(op.getX()),
                            y = evaluate(op.getY());
  if (!condition || !x || !y) return std::nullopt;
  const size_t count = condition->size() != 1 ? condition->size()
                       : x->size() != 1       ? x->size()
                                              : y->size();
  for (const Dims* values : {&*condition, &*x, &*y}) {
    if (values->size() != 1 && values->size() != count) return std::nullopt;
  }
  Dims result;
  for (size_t i = 0; i < count; ++i) {
    const Dim test = at(*condition, i), first = at(*x, i), second = at(*y, i);
    if (test.isStatic())
      result.push_back(test.size != 0 ? first : second);
    else
      result.push_back(areEqual(first, second) ? first : Dim{});
  }
  return result;
}

std::optional<Dims> Evaluator::fill(mlir::Value shape, const Dim& value) {
  const std::optional<Dims> sizes = evaluate(shape);
  if (!sizes || sizes->size() > 1) return std::nullopt;
  const Dim length = sizes->empty() ? number(1) : (*sizes)[0];
  if (!length.isStatic() || length.size < 0 || length.size > kMaxElements) return std::nullopt;
  return Dims(length.size, value);
}

std::optional<Dims> Evaluator::range(RangeOp op) {
  const std::optional<Dim> start = scalar(op.getStart()), limit = scalar(op.getLimit()),
                           delta = scalar(op.getDelta());
  if (!start || !limit || !delta || !start->isStatic() || !limit->isStatic() || !delta->is(1))
    return std::nullopt;
  int64_t count = 0;
  if (__builtin_sub_overflow(limit->size, start->size, &count) || count > kMaxElements)
    return std::nullopt;
  Dims result;
  for (int64_t i = 0; i < count; ++i) result.push_back(number(start->size + i));
  return result;
}

std::optional<Dim> Evaluator::scalar(mlir::Value value) {
  const std::optional<Dims> values = evaluate(value);
  return values && values->size() == 1 ? std::optional((*values)[0]) : std::nullopt;
}

}  // namespace

std::optional<Dims> knownDims(mlir::Value value) {
  return value ? Evaluator().evaluate(value) : std::nullopt;
}

std::optional<llvm::SmallVector<int64_t>> knownInts(mlir::Value value) {
  if (!value) return std::nullopt;
  llvm::SmallVector<int64_t> values;
  const Numbers numbers = knownNumbers(value);
  if (numbers.values.empty() && lengthOf(value) != 0) return std::nullopt;
  for (const std::optional<int64_t>& element : numbers.values) {
    if (!element) return std::nullopt;
    values.push_back(*element);
  }
  return values;
}

Numbers knownNumbers(mlir::Value value) {
  Numbers numbers;
  if (!value) return numbers;
  // Read constants as they are: as a Dim, the least number would count as unknown.
  if (const auto ints = lengthOf(value) ? constantInts(value) : std::nullopt) {
    numbers.values.assign(ints->begin(), ints->end());
  } else if (const std::optional<Dims> dims = knownDims(value)) {
    for (const Dim& dim : *dims)
      numbers.values.push_back(dim.isStatic() ? std::optional(dim.size) : std::nullopt);
  }
  return numbers;
}

std::optional<Dims> shapeOperand(mlir::Operation* op, mlir::Value shape, llvm::StringRef name) {
  if (mlir::failed(expectRank(op, "(C1)", shape, name, 1))) return std::nullopt;
  std::optional<Dims> dims = knownDims(shape);
  if (!dims)
    op->emitOpError() << "(C1) " << name
                      << " has no known length, so the rank of the result is not known";
  return dims;
}

}  // namespace tessera::ir
