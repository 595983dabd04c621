#include "frontends/onnx/import/read/tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/aligned_memory.h"
#include "base/half.h"
#include "base/limits.h"
#include "frontends/onnx/import/read/wire_skeleton.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx {

static_assert(std::endian::native == std::endian::little,
              "ONNX data is little-endian and read in place");

constexpr size_t kCopyBytes = size_t{8} << 20;
constexpr int64_t kMaxDenseBytes = int64_t{1} << 30;

/// Aligned memory, not initialised.
static std::shared_ptr<std::byte> allocateBuffer(size_t sizeBytes) {
  return base::allocateAligned(sizeBytes);
}

int64_t TensorData::count() const {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

TensorData makeTensor(ElementType type, std::vector<int64_t> shape,
                      std::span<const std::byte> bytes) {
  std::shared_ptr<std::byte> buffer = allocateBuffer(bytes.size());
  if (!bytes.empty()) std::memcpy(buffer.get(), bytes.data(), bytes.size());
  return {.type = type,
          .shape = std::move(shape),
          .bytes = {buffer.get(), bytes.size()},
          .owner = std::move(buffer)};
}

TensorData makeI64Tensor(std::vector<int64_t> shape, std::span<const int64_t> values) {
  return makeTensor(ElementType::kI64, std::move(shape), std::as_bytes(values));
}

template <typename T>
static TensorData scalarOf(ElementType type, T value) {
  return makeTensor(type, {}, std::as_bytes(std::span<const T>(&value, 1)));
}

TensorData makeScalar(ElementType type, double value) {
  switch (type) {
    case ElementType::kF64:
      return scalarOf(type, value);
    case ElementType::kF32:
      return scalarOf(type, static_cast<float>(value));
    case ElementType::kF16:
      return scalarOf(type, base::encodeF16(value));
    case ElementType::kBF16:
      return scalarOf(type, base::encodeBF16(value));
    case ElementType::kI64:
      return scalarOf(type, static_cast<int64_t>(value));
    case ElementType::kU64:
      return scalarOf(type, static_cast<uint64_t>(value));
    case ElementType::kI32:
      return scalarOf(type, static_cast<int32_t>(value));
    case ElementType::kU32:
      return scalarOf(type, static_cast<uint32_t>(value));
    case ElementType::kI16:
      return scalarOf(type, static_cast<int16_t>(value));
    case ElementType::kU16:
      return scalarOf(type, static_cast<uint16_t>(value));
    case ElementType::kI8:
      return scalarOf(type, static_cast<int8_t>(value));
    case ElementType::kU8:
      return scalarOf(type, static_cast<uint8_t>(value));
    case ElementType::kBool:
      return scalarOf(type, static_cast<uint8_t>(value != 0));
    case ElementType::kString:
    case ElementType::kUndefined:
      break;
  }
  return {};
}

std::optional<std::vector<int64_t>> integerValues(const TensorData& tensor) {
  std::vector<int64_t> values;
  values.reserve(tensor.bytes.size() / 4);
  if (tensor.type == ElementType::kI64) {
    const auto* data = reinterpret_cast<const int64_t*>(tensor.bytes.data());
    values.assign(data, data + tensor.bytes.size() / sizeof(int64_t));
  } else if (tensor.type == ElementType::kI32) {
    const auto* data = reinterpret_cast<const int32_t*>(tensor.bytes.data());
    values.assign(data, data + tensor.bytes.size() / sizeof(int32_t));
  } else {
    return std::nullopt;
  }
  return values;
}

Result<ElementType> elementTypeFromOnnx(int32_t dataType) {
  // ElementType has ONNX's numbers; complex, string and the sub-byte and float8 types have no
  // numeric tensors here.
  if (dataType >= 1 && dataType <= 16 && dataType != 14 && dataType != 15)
    return static_cast<ElementType>(dataType);
  if (dataType == TensorProto::UNDEFINED) return invalidInput("the element type is missing");
  if (TensorProto::DataType_IsValid(dataType)) {
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): it is valid.
    const auto known = static_cast<TensorProto::DataType>(dataType);
    return invalidInput("element type " + TensorProto::DataType_Name(known) + " is not supported");
  }
  return invalidInput("element type " + std::to_string(dataType) + " is not an ONNX element type");
}

Result<int64_t> checkedElementCount(std::span<const int64_t> shape) {
  if (shape.size() > base::kMaxRank) {
    return invalidInput("rank " + std::to_string(shape.size()) + " is larger than " +
                        std::to_string(base::kMaxRank));
  }
  bool hasZero = false;
  for (const int64_t dim : shape) {
    if (dim < 0) return invalidInput("dimension " + std::to_string(dim) + " is negative");
    hasZero = hasZero || dim == 0;
  }
  if (hasZero) return 0;
  int64_t count = 1;
  for (const int64_t dim : shape) {
    if (dim > base::kMaxElements / count)
      return invalidInput("the shape has more than 2^48 elements");
    count *= dim;
  }
  return count;
}

static Error wrongAmount(size_t found, const char* unit, int64_t count, ElementType type) {
  return invalidInput("the tensor holds " + std::to_string(found) + " " + unit +
                      ", but its shape asks for " + std::to_string(count) + " elements of " +
                      elementTypeName(type));
}

/// Bool tensors must hold 0 and 1 only: anything else is undefined behaviour for readers.
static TensorData withCleanBools(TensorData tensor) {
  if (tensor.type != ElementType::kBool) return tensor;
  bool isClean = true;
  for (const std::byte value : tensor.bytes) isClean = isClean && value <= std::byte{1};
  if (isClean) return tensor;
  std::shared_ptr<std::byte> buffer = allocateBuffer(tensor.bytes.size());
  for (size_t i = 0; i < tensor.bytes.size(); ++i) {
    buffer.get()[i] = tensor.bytes[i] == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  tensor.bytes = {buffer.get(), tensor.bytes.size()};
  tensor.owner = std::move(buffer);
  return tensor;
}

/// A view when the bytes are aligned, else a copy. The file's pages are given back while they are
/// copied, so that a large tensor is not resident twice.
static TensorData adoptBytes(ElementType type, std::vector<int64_t> shape,
                             std::span<const std::byte> bytes, const SourceBytes& source) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % elementSizeBytes(type) == 0) {
    return withCleanBools(
        {.type = type, .shape = std::move(shape), .bytes = bytes, .owner = source.owner});
  }
  std::shared_ptr<std::byte> buffer = allocateBuffer(bytes.size());
  for (size_t done = 0; done < bytes.size(); done += kCopyBytes) {
    const auto part = bytes.subspan(done, std::min(kCopyBytes, bytes.size() - done));
    std::memcpy(buffer.get() + done, part.data(), part.size());
    releasePages(source, part);
  }
  return {.type = type,
          .shape = std::move(shape),
          .bytes = {buffer.get(), bytes.size()},
          .owner = std::move(buffer)};
}

/// Takes over a typed field whose element type is the tensor's own.
template <typename T>
static Result<TensorData> moveField(
    google::protobuf::RepeatedField<T>* field, ElementType type,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved from.
    std::vector<int64_t> shape, int64_t count) {
  if (field->size() != count)
    return wrongAmount(static_cast<size_t>(field->size()), "values", count, type);
  auto owned = std::make_shared<google::protobuf::RepeatedField<T>>(std::move(*field));
  const auto* data = reinterpret_cast<const std::byte*>(owned->data());
  return TensorData{.type = type,
                    .shape = std::move(shape),
                    .bytes = {data, static_cast<size_t>(count) * sizeof(T)},
                    .owner = std::move(owned)};
}

/// Narrows a typed field; 16-bit floats are stored as their bit pattern.
template <typename To, typename From>
static Result<TensorData> narrowField(const google::protobuf::RepeatedField<From>& field,
                                      ElementType type, std::vector<int64_t> shape, int64_t count) {
  if (field.size() != count)
    return wrongAmount(static_cast<size_t>(field.size()), "values", count, type);
  std::vector<To> values;
  values.reserve(static_cast<size_t>(count));
  for (From value : field) values.push_back(static_cast<To>(value));
  return withCleanBools(
      makeTensor(type, std::move(shape), std::as_bytes(std::span<const To>(values))));
}

static Result<TensorData> decodeTypedField(TensorProto& proto, ElementType type,
                                           std::vector<int64_t> shape, int64_t count) {
  switch (type) {
    case ElementType::kF32:
      return moveField(proto.mutable_float_data(), type, std::move(shape), count);
    case ElementType::kF64:
      return moveField(proto.mutable_double_data(), type, std::move(shape), count);
    case ElementType::kI64:
      return moveField(proto.mutable_int64_data(), type, std::move(shape), count);
    case ElementType::kU64:
      return moveField(proto.mutable_uint64_data(), type, std::move(shape), count);
    case ElementType::kI32:
      return moveField(proto.mutable_int32_data(), type, std::move(shape), count);
    case ElementType::kU32:
      return narrowField<uint32_t>(proto.uint64_data(), type, std::move(shape), count);
    case ElementType::kI16:
      return narrowField<int16_t>(proto.int32_data(), type, std::move(shape), count);
    case ElementType::kU16:
    case ElementType::kF16:
    case ElementType::kBF16:
      return narrowField<uint16_t>(proto.int32_data(), type, std::move(shape), count);
    case ElementType::kI8:
      return narrowField<int8_t>(proto.int32_data(), type, std::move(shape), count);
    case ElementType::kU8:
    case ElementType::kBool:
      return narrowField<uint8_t>(proto.int32_data(), type, std::move(shape), count);
    case ElementType::kString: {
      if (proto.string_data_size() != count) {
        return wrongAmount(static_cast<size_t>(proto.string_data_size()), "values", count, type);
      }
      TensorData tensor{.type = type, .shape = std::move(shape)};
      tensor.strings.assign(proto.string_data().begin(), proto.string_data().end());
      return tensor;
    }
    case ElementType::kUndefined:
      break;
  }
  return invalidInput("the element type is missing");
}

static Result<uint64_t> parseByteNumber(const std::string& key, const std::string& text) {
  uint64_t value = 0;
  if (text.empty() || text.size() > 18)
    return invalidInput("external data has '" + text + "' as its " + key);
  for (const char digit : text) {
    if (digit < '0' || digit > '9')
      return invalidInput("external data has '" + text + "' as its " + key);
    value = value * 10 + static_cast<uint64_t>(digit - '0');
  }
  return value;
}

static Result<TensorData> decodeExternal(const TensorProto& proto, ElementType type,
                                         std::vector<int64_t> shape, uint64_t sizeBytes,
                                         ExternalFiles& externalFiles) {
  std::string location;
  uint64_t offset = 0;
  uint64_t length = sizeBytes;
  for (const StringStringEntryProto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") {
      TESSERA_TRY(offset, parseByteNumber("offset", entry.value()));
    }
    if (entry.key() == "length") {
      TESSERA_TRY(length, parseByteNumber("length", entry.value()));
    }
  }
  if (length != sizeBytes) {
    return invalidInput("external data has " + std::to_string(length) +
                        " bytes, but the tensor's shape asks for " + std::to_string(sizeBytes));
  }
  TESSERA_TRY(const SourceBytes* file, externalFiles.open(location));
  if (offset > file->bytes.size() || sizeBytes > file->bytes.size() - offset) {
    return invalidInput("external data file '" + location + "' has " +
                        std::to_string(file->bytes.size()) + " bytes, but the tensor asks for " +
                        std::to_string(sizeBytes) + " bytes at offset " + std::to_string(offset));
  }
  return adoptBytes(type, std::move(shape), file->bytes.subspan(offset, sizeBytes), *file);
}

Result<TensorData> decodeTensor(TensorProto& proto, const SourceBytes& source,
                                ExternalFiles& externalFiles) {
  TESSERA_TRY(const ElementType type, elementTypeFromOnnx(proto.data_type()));
  std::vector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  TESSERA_TRY(const int64_t count, checkedElementCount(shape));
  if (proto.has_segment()) return invalidInput("tensors stored in segments are not supported");
  const uint64_t sizeBytes = static_cast<uint64_t>(count) * elementSizeBytes(type);
  if (proto.data_location() == TensorProto::EXTERNAL) {
    if (type == ElementType::kString) return invalidInput("strings cannot be external data");
    return decodeExternal(proto, type, std::move(shape), sizeBytes, externalFiles);
  }
  if (!proto.has_raw_data()) return decodeTypedField(proto, type, std::move(shape), count);
  if (type == ElementType::kString) return invalidInput("strings cannot be raw data");
  const RawDataReference reference = readRawDataReference(proto.raw_data());
  // The skeleton makes only references inside the source; a message that did not come through it
  // has none.
  if (reference.offset > source.bytes.size() ||
      reference.sizeBytes > source.bytes.size() - reference.offset) {
    return invalidInput("raw data lies outside the file");
  }
  if (reference.sizeBytes != sizeBytes)
    return wrongAmount(reference.sizeBytes, "bytes", count, type);
  return adoptBytes(type, std::move(shape), source.bytes.subspan(reference.offset, sizeBytes),
                    source);
}

/// Row-major position of the i-th stored value; indices are [NNZ] (linear) or [NNZ, rank].
static Result<int64_t> densePosition(std::span<const int64_t> indices, size_t i, bool isLinear,
                                     std::span<const int64_t> shape, int64_t count) {
  int64_t position = 0;
  if (isLinear) {
    position = indices[i];
  } else {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const int64_t index = indices[i * shape.size() + axis];
      if (index < 0 || index >= shape[axis])
        return invalidInput("a sparse tensor's index is out of range");
      position = position * shape[axis] + index;
    }
  }
  if (position < 0 || position >= count)
    return invalidInput("a sparse tensor's index is out of range");
  return position;
}

Result<TensorData> decodeSparseTensor(SparseTensorProto& proto, const SourceBytes& source,
                                      ExternalFiles& externalFiles) {
  TESSERA_TRY(const TensorData values,
              decodeTensor(*proto.mutable_values(), source, externalFiles));
  TESSERA_TRY(const TensorData indices,
              decodeTensor(*proto.mutable_indices(), source, externalFiles));
  std::vector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  TESSERA_TRY(const int64_t count, checkedElementCount(shape));
  const size_t elementBytes = elementSizeBytes(values.type);
  if (elementBytes == 0 || indices.type != ElementType::kI64) {
    return invalidInput("a sparse tensor needs numeric values and i64 indices");
  }
  if (count > kMaxDenseBytes / static_cast<int64_t>(elementBytes)) {
    return invalidInput("a sparse tensor of more than 1 GiB is not supported");
  }
  const auto numValues = static_cast<size_t>(values.count());
  const bool isLinear = indices.shape.size() == 1;
  const std::vector<int64_t> positions = *integerValues(indices);
  if (values.shape.size() != 1 || positions.size() != numValues * (isLinear ? 1 : shape.size())) {
    return invalidInput("a sparse tensor has " + std::to_string(numValues) +
                        " values, but indices for another number");
  }
  std::shared_ptr<std::byte> buffer = allocateBuffer(static_cast<size_t>(count) * elementBytes);
  std::memset(buffer.get(), 0, static_cast<size_t>(count) * elementBytes);
  for (size_t i = 0; i < numValues; ++i) {
    TESSERA_TRY(const int64_t position, densePosition(positions, i, isLinear, shape, count));
    std::memcpy(buffer.get() + static_cast<size_t>(position) * elementBytes,
                values.bytes.data() + i * elementBytes, elementBytes);
  }
  TensorData dense{.type = values.type, .shape = std::move(shape)};
  dense.bytes = {buffer.get(), static_cast<size_t>(count) * elementBytes};
  dense.owner = std::move(buffer);
  return dense;
}

}  // namespace tessera::onnx
