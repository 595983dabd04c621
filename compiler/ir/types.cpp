#include "compiler/ir/types.h"

#include "compiler/ir/infer/common.h"
#include "mlir/IR/Location.h"

namespace tessera::ir {

mlir::Type toMlir(mlir::MLIRContext* context, ElementType type) {
  mlir::Builder builder(context);
  switch (type) {
    case ElementType::kF32:
      return builder.getF32Type();
    case ElementType::kF64:
      return builder.getF64Type();
    case ElementType::kF16:
      return builder.getF16Type();
    case ElementType::kBF16:
      return builder.getBF16Type();
    case ElementType::kBool:
      return builder.getI1Type();
    case ElementType::kI8:
      return builder.getIntegerType(8);
    case ElementType::kI16:
      return builder.getIntegerType(16);
    case ElementType::kI32:
      return builder.getIntegerType(32);
    case ElementType::kI64:
      return builder.getIntegerType(64);
    case ElementType::kU8:
      return builder.getIntegerType(8, /*isSigned=*/false);
    case ElementType::kU16:
      return builder.getIntegerType(16, /*isSigned=*/false);
    case ElementType::kU32:
      return builder.getIntegerType(32, /*isSigned=*/false);
    case ElementType::kU64:
      return builder.getIntegerType(64, /*isSigned=*/false);
    case ElementType::kString:
    case ElementType::kUndefined:
      return {};
  }
  return {};
}

ElementType toElementType(mlir::Type type) {
  if (type.isF32()) return ElementType::kF32;
  if (type.isF64()) return ElementType::kF64;
  if (type.isF16()) return ElementType::kF16;
  if (type.isBF16()) return ElementType::kBF16;
  const auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer) return ElementType::kUndefined;
  const bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
    case 1:
      return ElementType::kBool;
    case 8:
      return isUnsigned ? ElementType::kU8 : ElementType::kI8;
    case 16:
      return isUnsigned ? ElementType::kU16 : ElementType::kI16;
    case 32:
      return isUnsigned ? ElementType::kU32 : ElementType::kI32;
    case 64:
      return isUnsigned ? ElementType::kU64 : ElementType::kI64;
    default:
      return ElementType::kUndefined;
  }
}

bool isPlain(mlir::RankedTensorType type) {
  const LayoutAttr layout = layoutOf(type);
  return !layout || layout.isPlain();
}

bool isSameLayout(mlir::RankedTensorType a, mlir::RankedTensorType b) {
  if (isPlain(a) || isPlain(b)) return isPlain(a) && isPlain(b);
  return layoutOf(a).isSamePlacement(layoutOf(b));
}

llvm::StringRef spaceOf(mlir::RankedTensorType type) {
  const LayoutAttr layout = layoutOf(type);
  return layout ? layout.getSpace() : llvm::StringRef();
}

mlir::RankedTensorType withoutLayout(mlir::RankedTensorType type) {
  return mlir::RankedTensorType::get(type.getShape(), type.getElementType());
}

/// The tensor with these names and the rest of `layout`, which may be null.
static mlir::RankedTensorType withEncoding(mlir::RankedTensorType type,
                                           llvm::ArrayRef<int64_t> order,
                                           llvm::ArrayRef<int64_t> blockDims,
                                           llvm::ArrayRef<int64_t> blockSizes,
                                           llvm::StringRef space) {
  const LayoutAttr old = layoutOf(type);
  const auto dims = old ? old.getDims() : llvm::ArrayRef<mlir::StringAttr>();
  if (dims.empty() && order.empty() && blockDims.empty() && space.empty())
    return withoutLayout(type);
  const auto layout = LayoutAttr::get(type.getContext(), dims, order, blockDims, blockSizes, space);
  return mlir::RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

mlir::RankedTensorType withBlocks(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> blockDims,
                                  llvm::ArrayRef<int64_t> blockSizes) {
  return withEncoding(type, {}, blockDims, blockSizes, spaceOf(type));
}

mlir::RankedTensorType withPadding(mlir::RankedTensorType type, Padding padding) {
  const LayoutAttr layout = layoutOf(type);
  if (!layout || !layout.isPadded(type.getShape())) return type;
  return mlir::RankedTensorType::get(type.getShape(), type.getElementType(),
                                     layout.withPadding(padding));
}

mlir::RankedTensorType inSpace(mlir::RankedTensorType type, llvm::StringRef space) {
  const LayoutAttr old = layoutOf(type);
  if (!old) return withEncoding(type, {}, {}, {}, space);
  return withPadding(
      withEncoding(type, old.getOrder(), old.getBlockDims(), old.getBlockSizes(), space),
      old.getPadding());
}

mlir::RankedTensorType inLayoutOf(mlir::RankedTensorType type, mlir::RankedTensorType like) {
  const LayoutAttr layout = layoutOf(like);
  if (!layout) return plainType(type);
  return withPadding(withEncoding(type, layout.getOrder(), layout.getBlockDims(),
                                  layout.getBlockSizes(), layout.getSpace()),
                     layout.getPadding());
}

mlir::RankedTensorType plainType(mlir::RankedTensorType type) {
  return withEncoding(type, {}, {}, {}, "");
}

mlir::RankedTensorType physicalType(mlir::RankedTensorType type) {
  const LayoutAttr layout = layoutOf(type);
  if (!layout || layout.isPlainOrder()) return withoutLayout(type);
  return mlir::RankedTensorType::get(layout.physicalShape(type.getShape()), type.getElementType());
}

static void collectNames(mlir::Location loc, llvm::SmallVector<std::string>& names) {
  if (const auto name = llvm::dyn_cast<mlir::NameLoc>(loc)) {
    if (!llvm::is_contained(names, name.getName())) names.push_back(name.getName().str());
  } else if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(loc)) {
    for (const mlir::Location part : fused.getLocations()) collectNames(part, names);
  } else if (const auto call = llvm::dyn_cast<mlir::CallSiteLoc>(loc)) {
    collectNames(call.getCallee(), names);
  }
}

bool isEqualSize(mlir::RankedTensorType a, int64_t aDim, mlir::RankedTensorType b, int64_t bDim) {
  return areEqual(dimsOf(a)[aDim], dimsOf(b)[bDim]);
}

std::string whyOpen(mlir::RankedTensorType type) {
  for (const auto& [number, dim] : llvm::enumerate(dimsOf(type))) {
    if (dim.isStatic()) continue;
    const std::string name = dim.symbol ? " ('" + dim.symbol.str() + "')" : "";
    return "the size of dimension " + std::to_string(number) + name + " is known at run time only";
  }
  return {};
}

llvm::SmallVector<std::string> sourceNames(mlir::Location loc) {
  llvm::SmallVector<std::string> names;
  collectNames(loc, names);
  return names;
}

static void collectParts(mlir::Location loc, llvm::SmallVectorImpl<mlir::Location>& parts) {
  if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(loc); fused && !fused.getMetadata()) {
    for (const mlir::Location part : fused.getLocations()) collectParts(part, parts);
  } else if (!llvm::isa<mlir::UnknownLoc>(loc) && !llvm::is_contained(parts, loc)) {
    parts.push_back(loc);
  }
}

mlir::Location fusedLocation(llvm::ArrayRef<mlir::Operation*> ops) {
  llvm::SmallVector<mlir::Location> parts;
  for (mlir::Operation* op : ops) collectParts(op->getLoc(), parts);
  return mlir::FusedLoc::get(ops.front()->getContext(), parts);
}

}  // namespace tessera::ir
