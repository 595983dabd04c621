#include "compiler/ir/io/constants.h"

#include <cstring>

#include "compiler/ir/types.h"
#include "compiler/support/check.h"

namespace tessera::ir {

int64_t physicalSizeBytes(mlir::RankedTensorType type) {
  const mlir::RankedTensorType physical = physicalType(type);
  if (!physical.hasStaticShape()) return -1;
  auto bytes = static_cast<int64_t>(elementSizeBytes(toElementType(type.getElementType())));
  for (const int64_t size : physical.getShape()) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return INT64_MAX;
  }
  return bytes;
}

/// MLIR packs i1 elements of a dense attribute to bits; everything else is stored as we store it.
mlir::DenseElementsAttr denseValue(mlir::RankedTensorType type, std::span<const std::byte> bytes) {
  type = withoutLayout(type);
  if (type.getElementType().isInteger(1)) {
    llvm::SmallVector<bool> bits;
    for (const std::byte value : bytes) bits.push_back(value != std::byte{0});
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(bits));
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(
      type, llvm::ArrayRef<char>(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

mlir::Attribute constantValue(mlir::RankedTensorType type, Blob blob) {
  TESSERA_CHECK(static_cast<int64_t>(blob.bytes.size()) == physicalSizeBytes(type),
                "constant of the wrong size");
  if (blob.bytes.size() <= kInlineConstantBytes && isPlain(type))
    return denseValue(type, blob.bytes);
  mlir::MLIRContext* context = type.getContext();
  auto* dialect = context->getOrLoadDialect<TsrDialect>();
  return BlobAttr::get(context, dialect->constants().add(std::move(blob)));
}

ConstantOp createConstant(mlir::OpBuilder& builder, mlir::Location loc, mlir::RankedTensorType type,
                          Blob blob) {
  return builder.create<ConstantOp>(loc, type, constantValue(type, std::move(blob)));
}

ConstantOp createIntsConstant(mlir::OpBuilder& builder, mlir::Location loc,
                              llvm::ArrayRef<int64_t> values) {
  const auto type =
      mlir::RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  Blob blob{.bytes = std::as_bytes(std::span(values.data(), values.size())), .owner = nullptr};
  if (blob.bytes.size() <= kInlineConstantBytes) return createConstant(builder, loc, type, blob);
  auto owner = std::make_shared<const std::vector<int64_t>>(values.begin(), values.end());
  blob = {.bytes = std::as_bytes(std::span(*owner)), .owner = owner};
  return createConstant(builder, loc, type, std::move(blob));
}

bool isInlineConstant(mlir::Attribute value, mlir::RankedTensorType type) {
  const auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!dense || !type.hasStaticShape() || !isPlain(type) || dense.getType() != withoutLayout(type))
    return false;
  auto bytes = static_cast<int64_t>(elementSizeBytes(toElementType(type.getElementType())));
  for (const int64_t dim : type.getShape()) {
    if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > kMaxInlineConstantBytes) return false;
  }
  return true;
}

static Blob expandDense(mlir::DenseElementsAttr dense, mlir::RankedTensorType type) {
  auto bytes = std::make_shared<std::vector<std::byte>>(physicalSizeBytes(type));
  const llvm::ArrayRef<char> raw = dense.getRawData();
  if (type.getElementType().isInteger(1)) {
    size_t i = 0;
    for (const bool value : dense.getValues<bool>()) (*bytes)[i++] = std::byte{value};
  } else if (dense.isSplat()) {
    for (size_t at = 0; at < bytes->size(); at += raw.size())
      std::memcpy(bytes->data() + at, raw.data(), raw.size());
  } else if (!bytes->empty()) {
    std::memcpy(bytes->data(), raw.data(), raw.size());
  }
  const std::span<const std::byte> view = *bytes;
  return {.bytes = view, .owner = std::move(bytes)};
}

Blob constantBytes(mlir::Attribute value, mlir::RankedTensorType type, mlir::MLIRContext* context) {
  if (const auto blob = llvm::dyn_cast<BlobAttr>(value))
    return context->getOrLoadDialect<TsrDialect>()->constants().find(
        std::string_view(blob.getHash()));
  return expandDense(llvm::cast<mlir::DenseElementsAttr>(value), type);
}

std::optional<Blob> constantBytes(mlir::Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant) return std::nullopt;
  const auto type = llvm::cast<mlir::RankedTensorType>(constant.getType());
  // Only what the verifier accepts: the operation may be of outside text that is not verified yet.
  const mlir::Attribute attribute = constant.getValue();
  const auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (dense && !isInlineConstant(dense, type)) return std::nullopt;
  if (!dense && !llvm::isa<BlobAttr>(attribute)) return std::nullopt;
  Blob blob = constantBytes(attribute, type, constant.getContext());
  if (static_cast<int64_t>(blob.bytes.size()) != physicalSizeBytes(type)) return std::nullopt;
  return blob;
}

std::optional<llvm::SmallVector<int64_t>> constantInts(mlir::Value value) {
  const auto tensor =
      value ? llvm::dyn_cast<mlir::RankedTensorType>(value.getType()) : mlir::RankedTensorType();
  if (!tensor) return std::nullopt;
  const ElementType type = toElementType(tensor.getElementType());
  if (type != ElementType::kI64 && type != ElementType::kI32) return std::nullopt;
  const std::optional<Blob> blob = constantBytes(value);
  if (!blob) return std::nullopt;
  const size_t size = elementSizeBytes(type);
  llvm::SmallVector<int64_t> ints;
  for (size_t at = 0; at < blob->bytes.size(); at += size) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(size == 8 ? static_cast<void*>(&wide) : &narrow, blob->bytes.data() + at, size);
    ints.push_back(size == 8 ? wide : narrow);
  }
  return ints;
}

std::optional<llvm::SmallVector<double>> constantFloats(mlir::Value value) {
  const auto tensor =
      value ? llvm::dyn_cast<mlir::RankedTensorType>(value.getType()) : mlir::RankedTensorType();
  if (!tensor || (!tensor.getElementType().isF32() && !tensor.getElementType().isF64()))
    return std::nullopt;
  const std::optional<Blob> blob = constantBytes(value);
  if (!blob) return std::nullopt;
  const bool isWide = tensor.getElementType().isF64();
  const size_t size = isWide ? sizeof(double) : sizeof(float);
  llvm::SmallVector<double> floats;
  for (size_t at = 0; at < blob->bytes.size(); at += size) {
    double wide = 0;
    float narrow = 0;
    std::memcpy(isWide ? static_cast<void*>(&wide) : &narrow, blob->bytes.data() + at, size);
    floats.push_back(isWide ? wide : narrow);
  }
  return floats;
}

template <typename T>
static std::optional<double> scalarOf(std::span<const std::byte> bytes) {
  T first;
  std::memcpy(&first, bytes.data(), sizeof(T));
  for (size_t at = sizeof(T); at < bytes.size(); at += sizeof(T)) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): NaN is equal to itself here.
    if (std::memcmp(bytes.data() + at, &first, sizeof(T)) != 0) return std::nullopt;
  }
  return static_cast<double>(first);
}

std::optional<double> constantScalar(mlir::Value value) {
  const std::optional<Blob> blob = constantBytes(value);
  if (!blob || blob->bytes.empty()) return std::nullopt;
  switch (toElementType(llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType())) {
    case ElementType::kF32:
      return scalarOf<float>(blob->bytes);
    case ElementType::kF64:
      return scalarOf<double>(blob->bytes);
    case ElementType::kI64:
      return scalarOf<int64_t>(blob->bytes);
    case ElementType::kI32:
      return scalarOf<int32_t>(blob->bytes);
    case ElementType::kI8:
      return scalarOf<int8_t>(blob->bytes);
    case ElementType::kU8:
      return scalarOf<uint8_t>(blob->bytes);
    case ElementType::kBool:
      return scalarOf<bool>(blob->bytes);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::ir
