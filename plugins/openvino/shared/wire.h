// Protobuf's wire format, for ONNX messages: what tessera/onnx_weights.h has, in C++.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tessera/onnx_weights.h"

namespace tessera_openvino {

/// Numbers of the fields of onnx.proto that are read here and not in tessera/onnx_weights.h.
namespace field {
constexpr uint32_t kGraphInput = 11, kGraphOutput = 12, kGraphValueInfo = 13;
constexpr uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOpType = 4, kNodeDomain = 7;
constexpr uint32_t kAttributeName = 1, kAttributeNumber = 3, kAttributeText = 4,
                   kAttributeTexts = 9;
constexpr uint32_t kValueName = 1, kValueType = 2, kTypeTensor = 1;
constexpr uint32_t kTensorTypeElement = 1, kTensorTypeShape = 2, kShapeDim = 1;
constexpr uint32_t kDimValue = 1;
constexpr uint32_t kTensorDims = 1, kTensorDataType = 2, kTensorName = 8;
constexpr uint32_t kEntryKey = 1, kEntryValue = 2;
}  // namespace field

/// One field of a message.
struct WireField {
  uint32_t number = 0;
  bool isBytes = false;      ///< A text, a message, or numbers packed in one field.
  std::string_view content;  ///< Without tag and length.
  std::string_view whole;    ///< With them.
};

/// Calls `visit` for each field, in order. Throws where the bytes are no message.
void forEachField(std::string_view message, const std::function<void(const WireField&)>& visit);

/// The number that a field holds.
uint64_t numberOf(const WireField& field);

/// Appends a field that holds bytes.
void appendField(std::string& message, uint32_t number, std::string_view content);

/// Appends a field that holds a number.
void appendNumber(std::string& message, uint32_t number, uint64_t value);

}  // namespace tessera_openvino
