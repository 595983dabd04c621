// A size goes where its name goes, into every type of the module; what it decides elsewhere,
// inference finds out.
#include "compiler/transforms/shapes/bind_inputs.h"

#include "base/shape_text.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/transforms/shapes/refine_types.h"

using namespace mlir;

namespace tessera::transforms {

namespace {

/// The input that gave a dimension's name its size.
struct NamedSize {
  int64_t size;
  unsigned input;
};
using NamedSizes = llvm::StringMap<NamedSize>;

}  // namespace

static std::string inputText(func::FuncOp entry, unsigned index) {
  const auto name = entry.getArgAttrOfType<StringAttr>(index, ir::kValueNameAttribute);
  return "input '" + (name ? name.str() : std::to_string(index)) + "'";
}

/// The type with the sizes of the names known so far; names of open dimensions stay.
static RankedTensorType withSizes(RankedTensorType type, ArrayRef<int64_t> shape) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  if (!layout) return RankedTensorType::get(shape, type.getElementType());
  SmallVector<StringAttr> names(layout.getDims());
  for (auto [name, size] : llvm::zip(names, shape)) {
    if (!ShapedType::isDynamic(size)) name = StringAttr::get(type.getContext(), "");
  }
  if (llvm::all_of(names, [](StringAttr name) { return name.empty(); })) names.clear();
  if (names.empty() && layout.isPlainOrder() && layout.getSpace().empty())
    return RankedTensorType::get(shape, type.getElementType());
  return RankedTensorType::get(
      shape, type.getElementType(),
      ir::LayoutAttr::get(type.getContext(), names, layout.getOrder(), layout.getBlockDims(),
                          layout.getBlockSizes(), layout.getSpace()));
}

/// Checks one input's shape against its type and notes what its names are now.
static LogicalResult bindInput(func::FuncOp entry, unsigned index, ArrayRef<int64_t> shape,
                               NamedSizes& sizes) {
  const auto type = cast<RankedTensorType>(entry.getArgumentTypes()[index]);
  const bool fits = type.getRank() == static_cast<int64_t>(shape.size()) &&
                    llvm::all_of(llvm::zip(type.getShape(), shape), [](auto pair) {
                      const auto [known, size] = pair;
                      if (ShapedType::isDynamic(known))
                        return size >= 0 || ShapedType::isDynamic(size);
                      return known == size;
                    });
  if (!fits) {
    return entry.emitError() << inputText(entry, index) << " has shape " << base::shapeText(shape)
                             << ", expected " << base::shapeText(type.getShape());
  }
  const ir::LayoutAttr layout = ir::layoutOf(type);
  for (auto [dim, name] : llvm::enumerate(layout ? layout.getDims() : ArrayRef<StringAttr>())) {
    if (name.empty() || !type.isDynamicDim(dim) || ShapedType::isDynamic(shape[dim])) continue;
    const auto [known, isNew] =
        sizes.try_emplace(name.getValue(), NamedSize{.size = shape[dim], .input = index});
    const NamedSize& first = known->second;
    if (isNew || first.size == shape[dim]) continue;
    return entry.emitError() << "dimension '" << name.getValue() << "' is " << first.size << " in "
                             << inputText(entry, first.input) << " but " << shape[dim] << " in "
                             << inputText(entry, index);
  }
  return success();
}

/// The type with sizes in place of names.
static Type substituted(Type type, const NamedSizes& sizes) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  const ir::LayoutAttr layout = tensor ? ir::layoutOf(tensor) : ir::LayoutAttr();
  if (!layout) return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, name] : llvm::zip(shape, layout.getDims())) {
    const auto known = sizes.find(name.getValue());
    if (ShapedType::isDynamic(size) && known != sizes.end()) size = known->second.size;
  }
  return shape == tensor.getShape() ? type : withSizes(tensor, shape);
}

LogicalResult bindInputs(ModuleOp module, ArrayRef<ArrayRef<int64_t>> shapes) {
  func::FuncOp entry = ir::entryFunction(module);
  if (!entry) return module.emitError() << "the module has no function that it begins with";
  if (entry.getNumArguments() != shapes.size()) {
    return module.emitError() << "found " << shapes.size() << " inputs, expected "
                              << entry.getNumArguments();
  }
  NamedSizes sizes;
  for (auto [index, shape] : llvm::enumerate(shapes))
    if (failed(bindInput(entry, static_cast<unsigned>(index), shape, sizes))) return failure();
  for (auto [argument, shape] : llvm::zip_equal(entry.getArguments(), shapes))
    argument.setType(withSizes(cast<RankedTensorType>(argument.getType()), shape));
  module.walk([&](Operation* op) {
    for (OpResult result : op->getResults()) result.setType(substituted(result.getType(), sizes));
    for (Region& region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments())
        argument.setType(substituted(argument.getType(), sizes));
    }
  });
  entry.setFunctionType(FunctionType::get(module.getContext(), entry.getBody().getArgumentTypes(),
                                          entry.getFunctionType().getResults()));
  return refineModule(module, refineResultTypes);
}

}  // namespace tessera::transforms
