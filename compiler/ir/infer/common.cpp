#include "compiler/ir/infer/common.h"

#include "base/limits.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera::ir {

Dims dimsOf(mlir::RankedTensorType type) {
  const LayoutAttr layout = layoutOf(type);
  const bool hasNames = layout && layout.getDims().size() == static_cast<size_t>(type.getRank());
  Dims dims;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    Dim dim{.size = type.getDimSize(i)};
    if (hasNames && !dim.isStatic() && !layout.getDims()[i].empty())
      dim.symbol = layout.getDims()[i];
    dims.push_back(dim);
  }
  return dims;
}

mlir::RankedTensorType operandType(mlir::Operation* op, unsigned index) {
  return typeOf(op->getOperand(index));
}

mlir::RankedTensorType tensorType(mlir::Type element, llvm::ArrayRef<Dim> dims) {
  mlir::MLIRContext* context = element.getContext();
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::StringAttr> names;
  bool hasNames = false;
  for (const Dim& dim : dims) {
    const bool isNamed = !dim.isStatic() && dim.symbol;
    shape.push_back(dim.size);
    names.push_back(isNamed ? dim.symbol : mlir::StringAttr::get(context, ""));
    hasNames |= isNamed;
  }
  if (!hasNames) return mlir::RankedTensorType::get(shape, element);
  return mlir::RankedTensorType::get(shape, element,
                                     LayoutAttr::get(context, names, {}, {}, {}, /*space=*/""));
}

int64_t saturatingProduct(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return -1;
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t staticProduct(llvm::ArrayRef<Dim> dims) {
  int64_t product = 1;
  for (const Dim& dim : dims) {
    if (!dim.isStatic() || __builtin_mul_overflow(product, dim.size, &product)) return -1;
  }
  return product;
}

bool isRepresentable(mlir::RankedTensorType type) {
  if (type.getRank() > static_cast<int64_t>(base::kMaxRank)) return false;
  // A size of 0 makes the whole tensor empty, but strides still have to fit: zeros count as ones.
  int64_t bytes = std::max<int64_t>(
      1, static_cast<int64_t>(elementSizeBytes(toElementType(type.getElementType()))));
  for (const int64_t size : type.getShape()) {
    if (mlir::ShapedType::isDynamic(size) || size == 0) continue;
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes) || bytes > kMaxTensorBytes)
      return false;
  }
  return true;
}

mlir::LogicalResult appendResult(mlir::Operation* op, mlir::Type element, llvm::ArrayRef<Dim> dims,
                                 Types& types) {
  for (const Dim& dim : dims) {
    if (dim.isStatic() && dim.size < 0)
      return op->emitOpError() << "has a result of shape " << toText(dims)
                               << ", expected no negative size";
  }
  const mlir::RankedTensorType type = tensorType(element, dims);
  if (!isRepresentable(type))
    return op->emitOpError() << "has a result of shape " << toText(dims) << ", expected at most "
                             << base::kMaxRank << " dimensions and 2^62 bytes";
  types.push_back(type);
  return mlir::success();
}

bool areEqual(const Dim& a, const Dim& b) {
  return a.isStatic() ? b.is(a.size) : !b.isStatic() && a.symbol && a.symbol == b.symbol;
}

std::optional<Dim> mergeDims(const Dim& a, const Dim& b) {
  if (a.isStatic() && b.isStatic()) return a.size == b.size ? std::optional(a) : std::nullopt;
  if (b.isStatic()) return b;
  if (a.isStatic() || a.symbol) return a;
  return b;
}

std::optional<Dim> broadcastDims(const Dim& a, const Dim& b) {
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.isStatic() && b.isStatic()) return a.size == b.size ? std::optional(a) : std::nullopt;
  if (a.isStatic()) return a;
  if (b.isStatic()) return b;
  return areEqual(a, b) ? a : Dim{};
}

std::optional<Dims> broadcastShapes(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b) {
  if (a.size() < b.size()) std::swap(a, b);
  const size_t extra = a.size() - b.size();
  Dims result(a.begin(), a.begin() + extra);
  for (size_t i = 0; i < b.size(); ++i) {
    const std::optional<Dim> dim = broadcastDims(a[extra + i], b[i]);
    if (!dim) return std::nullopt;
    result.push_back(*dim);
  }
  return result;
}

std::string toText(llvm::ArrayRef<Dim> dims) {
  std::string text = "[";
  for (const Dim& dim : dims) {
    if (text.size() > 1) text += ", ";
    text += dim.isStatic() ? std::to_string(dim.size) : dim.symbol ? dim.symbol.str() : "?";
  }
  return text + "]";
}

std::optional<int64_t> normalizeAxis(mlir::Operation* op, llvm::StringRef label, int64_t axis,
                                     int64_t rank, llvm::StringRef what) {
  if (spec::isAxis(axis, rank)) return spec::normalizedAxis(axis, rank);
  op->emitOpError() << label << " " << what << " is " << axis << ", expected a value in [" << -rank
                    << ", " << rank << ")";
  return std::nullopt;
}

std::optional<llvm::SmallVector<int64_t>> normalizeAxes(mlir::Operation* op, llvm::StringRef label,
                                                        llvm::ArrayRef<int64_t> axes,
                                                        int64_t rank) {
  llvm::SmallVector<int64_t> normalized;
  llvm::SmallVector<bool> seen(rank, false);
  for (const int64_t axis : axes) {
    const std::optional<int64_t> place = normalizeAxis(op, label, axis, rank);
    if (!place) return std::nullopt;
    if (seen[*place]) {
      op->emitOpError() << label << " axis " << *place
                        << " occurs twice in axes, expected different ones";
      return std::nullopt;
    }
    seen[*place] = true;
    normalized.push_back(*place);
  }
  return normalized;
}

bool isScalarLike(mlir::RankedTensorType type) {
  return llvm::all_of(type.getShape(),
                      [](int64_t size) { return size == 1 || mlir::ShapedType::isDynamic(size); });
}

mlir::LogicalResult expectRank(mlir::Operation* op, llvm::StringRef label, mlir::Value operand,
                               llvm::StringRef name, int64_t rank) {
  const int64_t found = typeOf(operand).getRank();
  if (found == rank) return mlir::success();
  return op->emitOpError() << label << " " << name << " has rank " << found << ", expected "
                           << rank;
}

mlir::LogicalResult expectDims(mlir::Operation* op, llvm::StringRef label, mlir::Value operand,
                               llvm::StringRef name, llvm::ArrayRef<Dim> expected) {
  const Dims found = dimsOf(typeOf(operand));
  const bool fits = found.size() == expected.size() &&
                    llvm::all_of(llvm::zip(found, expected), [](const auto& pair) {
                      return mergeDims(std::get<0>(pair), std::get<1>(pair)).has_value();
                    });
  if (fits) return mlir::success();
  return op->emitOpError() << label << " " << name << " has shape " << toText(found)
                           << ", expected " << toText(expected);
}

mlir::LogicalResult expectOneOf(mlir::Operation* op, llvm::StringRef label, llvm::StringRef name,
                                llvm::StringRef value, llvm::ArrayRef<llvm::StringRef> allowed) {
  if (llvm::is_contained(allowed, value)) return mlir::success();
  return op->emitOpError() << label << " " << name << " is '" << value << "', expected one of "
                           << llvm::join(allowed, ", ");
}

mlir::LogicalResult expectSameElement(mlir::Operation* op, llvm::StringRef label, mlir::Value first,
                                      mlir::Value other) {
  const mlir::Type expected = typeOf(first).getElementType(),
                   found = typeOf(other).getElementType();
  if (found == expected) return mlir::success();
  return op->emitOpError() << label << " operands have element types " << expected << " and "
                           << found << ", expected equal ones";
}

mlir::LogicalResult expectSameElement(mlir::Operation* op, llvm::StringRef label,
                                      llvm::ArrayRef<mlir::Value> operands) {
  return mlir::success(llvm::all_of(operands, [&](mlir::Value operand) {
    return !operand || mlir::succeeded(expectSameElement(op, label, operands.front(), operand));
  }));
}

mlir::LogicalResult expectSameElement(mlir::Operation* op, llvm::StringRef label) {
  return expectSameElement(op, label, llvm::to_vector_of<mlir::Value>(op->getOperands()));
}

int64_t knownLength(mlir::Value value) {
  const mlir::RankedTensorType type = typeOf(value);
  return type.getRank() == 1 && !type.isDynamicDim(0) ? type.getDimSize(0) : -1;
}

bool isCompatible(mlir::RankedTensorType a, mlir::RankedTensorType b) {
  return a.getElementType() == b.getElementType() &&
         mlir::succeeded(mlir::verifyCompatibleShape(a.getShape(), b.getShape()));
}

mlir::LogicalResult inferResultTypes(mlir::Operation* op, Types& types) {
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes())) {
    const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor)
      return op->emitOpError() << "operand #" << index << " has type " << type
                               << ", expected a ranked tensor";
    if (!isRepresentable(tensor))
      return op->emitOpError() << "operand #" << index << " has type " << type
                               << ", expected at most " << base::kMaxRank
                               << " dimensions and 2^62 bytes";
  }
  auto tensorOp = llvm::dyn_cast<TsrOpInterface>(op);
  if (!tensorOp) return op->emitOpError() << "has no inferred types: it is no tensor operator";
  return tensorOp.inferTypes(types);
}

mlir::LogicalResult verifyResultTypes(mlir::Operation* op) {
  llvm::SmallVector<mlir::Type> inferred;
  if (mlir::failed(inferResultTypes(op, inferred))) return mlir::failure();
  if (inferred.size() != op->getNumResults())
    return op->emitOpError() << "has " << op->getNumResults() << " results, expected "
                             << inferred.size();
  for (auto [index, expected, found] : llvm::enumerate(inferred, op->getResultTypes())) {
    const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(found);
    if (!tensor || !isCompatible(tensor, llvm::cast<mlir::RankedTensorType>(expected)))
      return op->emitOpError() << "result #" << index << " has type " << found << ", expected "
                               << expected;
    if (!isRepresentable(tensor))
      return op->emitOpError() << "result #" << index << " has type " << found
                               << ", expected at most " << base::kMaxRank
                               << " dimensions and 2^62 bytes";
  }
  return mlir::success();
}

static int64_t elementsOf(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? staticProduct(dimsOf(tensor)) : -1;
}

int64_t operandElements(mlir::Operation* op, unsigned index) {
  return elementsOf(op->getOperand(index).getType());
}

int64_t resultElements(mlir::Operation* op) {
  return op->getNumResults() == 0 ? -1 : elementsOf(op->getResult(0).getType());
}

int64_t flopsPerResultElement(mlir::Operation* op, int64_t flops) {
  return saturatingProduct(resultElements(op), flops);
}

int64_t operandAndResultBytes(mlir::Operation* op) {
  int64_t total = 0;
  const auto add = [&](mlir::Type type) {
    const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    const int64_t bytes = tensor ? physicalSizeBytes(tensor) : -1;
    if (total < 0 || bytes < 0)
      total = -1;
    else if (__builtin_add_overflow(total, bytes, &total))
      total = INT64_MAX;
  };
  for (const mlir::Type type : op->getOperandTypes()) add(type);
  for (const mlir::Type type : op->getResultTypes()) add(type);
  return total;
}

}  // namespace tessera::ir
