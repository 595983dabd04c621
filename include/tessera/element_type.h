// Element types of tensors, shared by every layer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// The element type of a tensor. The numbers are those of ONNX TensorProto.DataType, so that files,
/// artifacts and messages agree; they never change.
enum class ElementType : uint8_t {
  kUndefined = 0,
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kString = 8,
  kBool = 9,
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kBF16 = 16,
};

/// Size of one element in bytes; bool is one byte; 0 for kUndefined and kString.
constexpr size_t elementSizeBytes(ElementType type) {
  switch (type) {
    case ElementType::kBool:
    case ElementType::kU8:
    case ElementType::kI8:
      return 1;
    case ElementType::kU16:
    case ElementType::kI16:
    case ElementType::kF16:
    case ElementType::kBF16:
      return 2;
    case ElementType::kF32:
    case ElementType::kI32:
    case ElementType::kU32:
      return 4;
    case ElementType::kF64:
    case ElementType::kI64:
    case ElementType::kU64:
      return 8;
    case ElementType::kUndefined:
    case ElementType::kString:
      return 0;
  }
  return 0;
}

/// Short name as printed in messages: "f32", "i64", "bool".
constexpr const char* elementTypeName(ElementType type) {
  switch (type) {
    case ElementType::kBool:
      return "bool";
    case ElementType::kU8:
      return "u8";
    case ElementType::kI8:
      return "i8";
    case ElementType::kU16:
      return "u16";
    case ElementType::kI16:
      return "i16";
    case ElementType::kF16:
      return "f16";
    case ElementType::kBF16:
      return "bf16";
    case ElementType::kF32:
      return "f32";
    case ElementType::kI32:
      return "i32";
    case ElementType::kU32:
      return "u32";
    case ElementType::kF64:
      return "f64";
    case ElementType::kI64:
      return "i64";
    case ElementType::kU64:
      return "u64";
    case ElementType::kString:
      return "string";
    case ElementType::kUndefined:
      return "undefined";
  }
  return "undefined";
}

constexpr bool isFloat(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kF16 ||
         type == ElementType::kBF16;
}

}  // namespace tessera
