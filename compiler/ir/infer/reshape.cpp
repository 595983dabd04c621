// Operators that give the same elements another shape, or repeat them: reshape, squeeze, expand,
// transpose, ...
#include "compiler/ir/infer/common.h"
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/spec/shape_range.h"

namespace tessera::ir {

static mlir::Type int64Type(mlir::Operation* op) {
  return mlir::IntegerType::get(op->getContext(), 64);
}

mlir::LogicalResult ShapeOp::inferTypes(Types& types) {
  return appendResult(*this, int64Type(*this), Dim{.size = spec::shapeRange(*this).length}, types);
}

mlir::LogicalResult SizeOp::inferTypes(Types& types) {
  return appendResult(*this, int64Type(*this), {}, types);
}

namespace {

/// What is known of a product of dimensions: a factor times named ones times (when not exact)
/// unknown ones.
struct Product {
  int64_t factor = 1;
  llvm::SmallVector<mlir::StringAttr> symbols;
  bool isExact = true;

  /// False when the factor does not fit.
  bool multiply(const Dim& dim) {
    if (dim.isStatic()) return !__builtin_mul_overflow(factor, dim.size, &factor);
    if (dim.symbol)
      symbols.push_back(dim.symbol);
    else
      isExact = false;
    return true;
  }
  bool isConstant() const { return isExact && symbols.empty(); }
};

}  // namespace

/// Removes the symbols that both products have.
static void cancelSymbols(Product& a, Product& b) {
  llvm::SmallVector<mlir::StringAttr> rest;
  for (const mlir::StringAttr symbol : a.symbols) {
    const auto it = llvm::find(b.symbols, symbol);
    if (it == b.symbols.end())
      rest.push_back(symbol);
    else
      b.symbols.erase(it);
  }
  a.symbols = rest;
}

/// (C2) and the places that copy the input: sets `copied` for them. Fails after an error.
static mlir::LogicalResult resolveCopies(ReshapeOp op, const Dims& input, Dims& target,
                                         llvm::SmallVector<bool>& copied) {
  int64_t inferredCount = 0;
  for (size_t i = 0; i < target.size(); ++i) {
    Dim& dim = target[i];
    if (!dim.isStatic()) continue;
    if (dim.size == -1) ++inferredCount;
    if (dim.size < -1 || inferredCount > 1)
      return op.emitOpError() << "(C2) shape is " << toText(target)
                              << ", expected at most one -1 and no other negative size";
    if (dim.size != 0 || op.getAllowzero() != 0) continue;
    if (i >= input.size())
      return op.emitOpError() << "(C2) shape is " << toText(target) << ": the 0 at " << i
                              << " copies a dimension, expected one of " << input.size();
    dim = input[i];
    copied[i] = true;
  }
  return mlir::success();
}

/// The size that -1 stands for: the input's elements over those of the other sizes; dynamic when
/// not known.
static std::optional<Dim> quotient(ReshapeOp op, const Product& elements, const Product& others) {
  if (others.isConstant() && others.factor == 0) {
    op.emitOpError() << "(C3) another size is 0, so that -1 could be any size, expected none";
    return std::nullopt;
  }
  if (elements.isConstant() && others.isConstant()) {
    if (elements.factor % others.factor == 0) return Dim{.size = elements.factor / others.factor};
  } else if (elements.isExact && others.isConstant() && elements.symbols.size() == 1 &&
             elements.factor == others.factor && elements.factor != 0) {
    return Dim{.symbol = elements.symbols[0]};
  } else {
    return Dim{};
  }
  op.emitOpError() << "(C3) " << elements.factor << " elements do not divide into " << others.factor
                   << ", expected a multiple for the size -1";
  return std::nullopt;
}

mlir::LogicalResult ReshapeOp::inferTypes(Types& types) {
  std::optional<Dims> target = shapeOperand(*this, getShape(), "shape");
  if (!target) return mlir::failure();
  const Dims input = operandDims(*this, 0);
  llvm::SmallVector<bool> copied(target->size(), false);
  if (mlir::failed(resolveCopies(*this, input, *target, copied))) return mlir::failure();

  // A copied dimension cancels its source, whether or not its size is known.
  Product elements, others;
  const auto isCopied = [&](size_t i) {
    return i < copied.size() && copied[i] && !input[i].isStatic();
  };
  bool fits = true;
  Dim* inferred = nullptr;
  for (size_t i = 0; i < input.size(); ++i) fits &= isCopied(i) || elements.multiply(input[i]);
  for (size_t i = 0; i < target->size(); ++i) {
    Dim& dim = (*target)[i];
    if (dim.is(-1))
      inferred = &dim;
    else
      fits &= isCopied(i) || others.multiply(dim);
  }
  if (!fits)
    return emitOpError() << "(C3) shapes " << toText(input) << " and " << toText(*target)
                         << " have too many elements";
  cancelSymbols(elements, others);
  if (inferred) {
    const std::optional<Dim> size = quotient(*this, elements, others);
    if (!size) return mlir::failure();
    *inferred = *size;
  } else if (elements.isConstant() && others.isConstant() && elements.factor != others.factor) {
    return emitOpError() << "(C3) shapes " << toText(input) << " and " << toText(*target)
                         << " have " << elements.factor << " and " << others.factor
                         << " elements, expected as many";
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), *target, types);
}

mlir::LogicalResult FlattenOp::inferTypes(Types& types) {
  const Dims input = operandDims(*this, 0);
  const auto rank = static_cast<int64_t>(input.size());
  const auto given = static_cast<int64_t>(getAxis());
  if (given != rank && !spec::isAxis(given, rank))
    return emitOpError() << "(C1) axis is " << given << ", expected a value in [" << -rank << ", "
                         << rank << "]";
  const int64_t axis = getAxisNormalized();
  const auto product = [](llvm::ArrayRef<Dim> dims) {
    if (dims.size() == 1) return dims[0];
    const int64_t size = staticProduct(dims);
    return size < 0 ? Dim{} : Dim{.size = size};
  };
  const llvm::ArrayRef<Dim> all = input;
  const Dims result = {product(all.take_front(axis)), product(all.drop_front(axis))};
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

/// The dimensions to remove, or nothing after an error.
static std::optional<llvm::SmallVector<int64_t>> squeezedAxes(SqueezeOp op, const Dims& input) {
  llvm::SmallVector<int64_t> axes;
  if (op.getAxes()) {
    const std::optional<llvm::SmallVector<int64_t>> values = knownInts(op.getAxes());
    if (!values) {
      op.emitOpError() << "(C1) axes are not constant, so the rank of the result is not known";
      return std::nullopt;
    }
    return normalizeAxes(op, "(C1)", *values, static_cast<int64_t>(input.size()));
  }
  // A size that is not known stays: whoever runs the operator refuses one that is 1 after all.
  for (auto [i, dim] : llvm::enumerate(input)) {
    if (dim.is(1)) axes.push_back(static_cast<int64_t>(i));
  }
  return axes;
}

mlir::LogicalResult SqueezeOp::inferTypes(Types& types) {
  const Dims input = operandDims(*this, 0);
  const std::optional<llvm::SmallVector<int64_t>> axes = squeezedAxes(*this, input);
  if (!axes) return mlir::failure();
  Dims result;
  for (auto [i, dim] : llvm::enumerate(input)) {
    if (!llvm::is_contained(*axes, static_cast<int64_t>(i)))
      result.push_back(dim);
    else if (dim.isStatic() && dim.size != 1)
      return emitOpError() << "(C2) dimension " << i << " of " << toText(input)
                           << " is removed, expected size 1";
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

mlir::LogicalResult UnsqueezeOp::inferTypes(Types& types) {
  const Dims input = operandDims(*this, 0);
  const std::optional<llvm::SmallVector<int64_t>> values = knownInts(getAxes());
  if (!values)
    return emitOpError() << "(C1) axes are not constant, so the shape of the result is not known";
  const auto rank = static_cast<int64_t>(input.size() + values->size());
  const std::optional<llvm::SmallVector<int64_t>> axes =
      normalizeAxes(*this, "(C1)", *values, rank);
  if (!axes) return mlir::failure();
  Dims result(rank, Dim{.size = -1});
  for (const int64_t axis : *axes) result[axis] = Dim{.size = 1};
  auto next = input.begin();
  for (Dim& dim : result) {
    if (dim.is(-1)) dim = *next++;
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

mlir::LogicalResult ExpandOp::inferTypes(Types& types) {
  const std::optional<Dims> target = shapeOperand(*this, getShape(), "shape");
  if (!target) return mlir::failure();
  const Dims input = operandDims(*this, 0);
  const std::optional<Dims> result = broadcastShapes(input, *target);
  if (!result)
    return emitOpError() << "(C2) shapes " << toText(input) << " and " << toText(*target)
                         << " do not broadcast, expected equal sizes or 1";
  return appendResult(*this, operandType(*this, 0).getElementType(), *result, types);
}

mlir::LogicalResult TileOp::inferTypes(Types& types) {
  Dims result = operandDims(*this, 0);
  if (mlir::failed(expectRank(*this, "(C1)", getRepeats(), "repeats", 1))) return mlir::failure();
  const std::optional<Dims> repeats = knownDims(getRepeats());
  if (repeats && repeats->size() != result.size())
    return emitOpError() << "(C1) repeats has " << repeats->size() << " entries, expected "
                         << result.size();
  for (auto [i, dim] : llvm::enumerate(result)) {
    const Dim count = repeats ? (*repeats)[i] : Dim{};
    if (count.isStatic() && count.size < 0)
      return emitOpError() << "(C1) repeats is " << toText(*repeats)
                           << ", expected no negative entry";
    if (count.is(1)) continue;
    if (dim.is(1))
      dim = count;
    else
      dim = dim.isStatic() && count.isStatic()
                ? Dim{.size = saturatingProduct(dim.size, count.size)}
                : Dim{};
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

mlir::LogicalResult TransposeOp::inferTypes(Types& types) {
  const Dims input = operandDims(*this, 0);
  const auto rank = static_cast<int64_t>(input.size());
  if (!getPerm()) {
    return appendResult(*this, operandType(*this, 0).getElementType(),
                        Dims(input.rbegin(), input.rend()), types);
  }
  const llvm::ArrayRef<int64_t> perm = *getPerm();
  llvm::SmallVector<bool> seen(rank, false);
  Dims result;
  for (const int64_t dim : perm) {
    if (dim < 0 || dim >= rank || seen[dim]) break;
    seen[dim] = true;
    result.push_back(input[dim]);
  }
  if (result.size() != input.size() || perm.size() != input.size())
    return emitOpError() << "(C1) perm is [" << perm << "], expected a permutation of [0, " << rank
                         << ")";
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

}  // namespace tessera::ir
