#include "frontends/onnx/import/to_mlir/types_to_mlir.h"

#include "compiler/ir/types.h"

using namespace mlir;

namespace tessera::onnx {

static int64_t toMlirSize(int64_t size) {
  return size == kDynamicDim ? ShapedType::kDynamic : size;
}

RankedTensorType rankedType(MLIRContext* context, const ValueType& type, bool keepSymbols) {
  const Type element = ir::toMlir(context, type.element);
  if (!element || !type.shape || !type.otherKind.empty()) return {};
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<StringAttr> names;
  bool isNamed = false;
  for (const Dimension& dim : *type.shape) {
    sizes.push_back(toMlirSize(dim.size));
    const bool hasName = dim.size == kDynamicDim && !dim.symbol.empty();
    names.push_back(StringAttr::get(context, hasName ? dim.symbol : std::string()));
    isNamed = isNamed || hasName;
  }
  if (!keepSymbols || !isNamed) return RankedTensorType::get(sizes, element);
  return RankedTensorType::get(sizes, element, ir::LayoutAttr::get(context, names, {}, {}, {}, ""));
}

Type unknownType(MLIRContext* context, const ValueType& type) {
  const Type element = ir::toMlir(context, type.element);
  if (!element || !type.otherKind.empty()) return NoneType::get(context);
  return UnrankedTensorType::get(element);
}

std::optional<ValueType> toValueType(Type type) {
  const auto tensor = llvm::dyn_cast<TensorType>(type);
  if (!tensor) return std::nullopt;
  ValueType result;
  result.element = ir::toElementType(tensor.getElementType());
  if (!tensor.hasRank()) return result;
  result.shape.emplace();
  for (const int64_t size : tensor.getShape()) {
    result.shape->push_back(
        {.size = ShapedType::isDynamic(size) ? kDynamicDim : size, .symbol = {}});
  }
  return result;
}

Type mergeTypes(Type a, Type b) {
  if (a == b) return a;
  const auto tensorA = llvm::dyn_cast<TensorType>(a);
  const auto tensorB = llvm::dyn_cast<TensorType>(b);
  if (!tensorA || !tensorB || tensorA.getElementType() != tensorB.getElementType())
    return NoneType::get(a.getContext());
  if (!tensorA.hasRank() || !tensorB.hasRank() || tensorA.getRank() != tensorB.getRank()) {
    return UnrankedTensorType::get(tensorA.getElementType());
  }
  llvm::SmallVector<int64_t> sizes;
  for (int64_t i = 0; i < tensorA.getRank(); ++i) {
    const int64_t size = tensorA.getDimSize(i);
    sizes.push_back(size == tensorB.getDimSize(i) ? size : ShapedType::kDynamic);
  }
  return RankedTensorType::get(sizes, tensorA.getElementType());
}

Result<RankedTensorType> constantType(MLIRContext* context, const TensorData& tensor) {
  const Type element = ir::toMlir(context, tensor.type);
  if (!element)
    return invalidInput("constants of element type " + std::string(elementTypeName(tensor.type)) +
                        " are not supported");
  return RankedTensorType::get(tensor.shape, element);
}

}  // namespace tessera::onnx
