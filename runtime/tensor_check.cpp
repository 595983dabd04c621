#include "runtime/tensor_check.h"

#include "base/shape_text.h"

namespace tessera::runtime {
namespace {

std::string dtypeText(tessera_dtype dtype) {
  std::string text;
  switch (dtype.code) {
    case TESSERA_DTYPE_INT:
      text = "i";
      break;
    case TESSERA_DTYPE_UINT:
      text = "u";
      break;
    case TESSERA_DTYPE_FLOAT:
      text = "f";
      break;
    case TESSERA_DTYPE_BFLOAT:
      text = "bf";
      break;
    case TESSERA_DTYPE_BOOL:
      return "bool";
    default:
      return "DLPack code " + std::to_string(dtype.code);
  }
  text += std::to_string(dtype.bits);
  if (dtype.lanes != 1) text += "x" + std::to_string(dtype.lanes);
  return text;
}

bool fits(tessera_dtype dtype, ElementType type) {
  const tessera_dtype expected = dtypeOf(type);
  if (dtype.lanes != 1) return false;
  if (type == ElementType::kBool && dtype.code == TESSERA_DTYPE_UINT)
    return dtype.bits == 8 || dtype.bits == 1;
  return dtype.code == expected.code && dtype.bits == expected.bits;
}

Outcome checkShape(const tessera_dltensor& tensor, const std::vector<int64_t>& dims,
                   const std::string& what) {
  const std::string expected = base::shapeText(dims);
  if (tensor.ndim < 0 || (tensor.ndim > 0 && tensor.shape == nullptr)) {
    return failure(TESSERA_ERROR_INVALID_ARGUMENT, what + " has no shape, expected " + expected);
  }
  bool isEqual = static_cast<size_t>(tensor.ndim) == dims.size();
  for (size_t i = 0; isEqual && i < dims.size(); ++i) {
    isEqual = dims[i] == -1 ? tensor.shape[i] >= 0 : tensor.shape[i] == dims[i];
  }
  if (isEqual) return {};
  return failure(TESSERA_ERROR_SHAPE,
                 what + " has shape " +
                     base::shapeText({tensor.shape, static_cast<size_t>(tensor.ndim)}) +
                     ", expected " + expected);
}

Outcome checkDevice(tessera_device device, tessera_device expected, const std::string& what) {
  const bool isHost = expected.device_type == TESSERA_DEVICE_CPU;
  if (device.device_type == expected.device_type &&
      (isHost || device.device_id == expected.device_id)) {
    return {};
  }
  const auto text = [](tessera_device which) {
    return std::to_string(which.device_type) + " number " + std::to_string(which.device_id);
  };
  if (isHost)
    return failure(TESSERA_ERROR_DEVICE, what + " is on DLPack device type " +
                                             std::to_string(device.device_type) +
                                             ", expected host memory (1)");
  return failure(TESSERA_ERROR_DEVICE, what + " is on DLPack device type " + text(device) +
                                           ", expected type " + text(expected));
}

/// Number of elements, or -1 when their bytes overflow.
int64_t elementCount(const tessera_dltensor& tensor, size_t elementSize) {
  int64_t count = 1;
  bool isEmpty = false;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    isEmpty |= tensor.shape[i] == 0;
    if (tensor.shape[i] != 0 && __builtin_mul_overflow(count, tensor.shape[i], &count)) return -1;
  }
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(elementSize), &bytes)) return -1;
  return isEmpty ? 0 : count;
}

Outcome checkStrides(const tessera_dltensor& tensor, const std::string& what) {
  if (tensor.strides == nullptr) return {};
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) {
      return failure(TESSERA_ERROR_STRIDES,
                     what + " has stride " + std::to_string(tensor.strides[i]) + " in dimension " +
                         std::to_string(i) + ", expected " + std::to_string(expected) +
                         " (compact row-major)");
    }
    expected *= tensor.shape[i];
  }
  return {};
}

}  // namespace

tessera_dtype dtypeOf(ElementType type) {
  const auto bits = static_cast<uint8_t>(8 * elementSizeBytes(type));
  if (type == ElementType::kBool) return {TESSERA_DTYPE_BOOL, bits, 1};
  if (type == ElementType::kBF16) return {TESSERA_DTYPE_BFLOAT, bits, 1};
  if (isFloat(type)) return {TESSERA_DTYPE_FLOAT, bits, 1};
  const bool isUnsigned = type == ElementType::kU8 || type == ElementType::kU16 ||
                          type == ElementType::kU32 || type == ElementType::kU64;
  return {static_cast<uint8_t>(isUnsigned ? TESSERA_DTYPE_UINT : TESSERA_DTYPE_INT), bits, 1};
}

Outcome checkTensor(const tessera_dltensor& tensor, const ExpectedTensor& expected,
                    const std::string& what) {
  TESSERA_RUNTIME_TRY(checkDevice(tensor.device, expected.device, what));
  const ElementType elementType = expected.elementType;
  if (!fits(tensor.dtype, elementType)) {
    return failure(TESSERA_ERROR_DTYPE, what + " has element type " + dtypeText(tensor.dtype) +
                                            ", expected " + elementTypeName(elementType));
  }
  TESSERA_RUNTIME_TRY(checkShape(tensor, expected.dims, what));
  const size_t elementSize = elementSizeBytes(elementType);
  const int64_t count = elementCount(tensor, elementSize);
  if (count < 0) return failure(TESSERA_ERROR_SHAPE, what + " is larger than memory can be");
  if (count == 0) return {};
  TESSERA_RUNTIME_TRY(checkStrides(tensor, what));
  if (tensor.data == nullptr) return failure(TESSERA_ERROR_INVALID_ARGUMENT, what + " has no data");
  if ((reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset) % elementSize != 0) {
    return failure(TESSERA_ERROR_ALIGNMENT,
                   what + " is not aligned: its data must start at a multiple of " +
                       std::to_string(elementSize) + " bytes, the size of its " +
                       elementTypeName(elementType) + " elements");
  }
  return {};
}

}  // namespace tessera::runtime
