#include "shared/wire.h"

#include <stdexcept>

namespace tessera_openvino {

constexpr uint64_t kVarintBits = 7, kVarintMore = 0x80;
constexpr uint32_t kBytesType = 2;

static void appendVarint(std::string& message, uint64_t value) {
  for (; value >= kVarintMore; value >>= kVarintBits)
    message.push_back(static_cast<char>(value | kVarintMore));
  message.push_back(static_cast<char>(value));
}

void forEachField(std::string_view message, const std::function<void(const WireField&)>& visit) {
  const auto* at = reinterpret_cast<const unsigned char*>(message.data());
  const unsigned char* end = at + message.size();
  const auto textOf = [](const unsigned char* first, const unsigned char* last) {
    return std::string_view(reinterpret_cast<const char*>(first),
                            static_cast<size_t>(last - first));
  };
  tessera_wire_field field;
  while (tessera_wire_next(&at, end, &field)) {
    visit({.number = field.number,
           .isBytes = field.type == kBytesType,
           .content = textOf(field.content, field.end),
           .whole = textOf(field.begin, field.end)});
  }
  if (at != end) throw std::runtime_error("the model is no protobuf message");
}

uint64_t numberOf(const WireField& field) {
  const auto* at = reinterpret_cast<const unsigned char*>(field.content.data());
  uint64_t value = 0;
  tessera_wire_varint(&at, at + field.content.size(), &value);
  return value;
}

void appendField(std::string& message, uint32_t number, std::string_view content) {
  constexpr uint32_t kTypeBits = 3;
  appendVarint(message, uint64_t{number} << kTypeBits | kBytesType);
  appendVarint(message, content.size());
  message.append(content);
}

void appendNumber(std::string& message, uint32_t number, uint64_t value) {
  constexpr uint32_t kTypeBits = 3;
  appendVarint(message, uint64_t{number} << kTypeBits);
  appendVarint(message, value);
}

}  // namespace tessera_openvino
