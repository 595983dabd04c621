#include "compiler/plugin_host/description.h"

#include <charconv>

namespace tessera::plugin_host {

using nlohmann::json;
using target::AttributeType;
using worker::listOf, worker::numberOf, worker::textOf;

template <typename Number>
static std::optional<target::AttributeValue> parseNumber(const std::string& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return target::AttributeValue(number);
}

/// A default as its type has it; nothing when it is none of that type.
static std::optional<target::AttributeValue> parseDefault(AttributeType type,
                                                          const std::string& text) {
  switch (type) {
    case AttributeType::kInt:
      return parseNumber<int64_t>(text);
    case AttributeType::kFloat:
      return parseNumber<double>(text);
    case AttributeType::kBool:
      if (text != "true" && text != "false") return std::nullopt;
      return target::AttributeValue(text == "true");
    case AttributeType::kString:
    case AttributeType::kEnum:
      return target::AttributeValue(text);
  }
  return std::nullopt;
}

static Result<target::TargetAttribute> readAttribute(const json& given) {
  target::TargetAttribute attribute{.name = textOf(given, "name"),
                                    .help = word(textOf(given, "help"))};
  const std::string what = "its attribute '" + sentence(attribute.name) + "' ";
  if (attribute.name != word(attribute.name))
    return invalidInput(what + "has a name that is no word");
  const uint64_t type = numberOf(given, "type");
  if (type > TESSERA_ATTRIBUTE_ENUM)
    return invalidInput(what + "is of type " + std::to_string(type) + ", which is none");
  attribute.type = static_cast<AttributeType>(type);
  for (const json& value : listOf(given, "values")) {
    if (value.is_string()) attribute.values.push_back(value.get<std::string>());
  }
  const std::string text = textOf(given, "default");
  const auto value = parseDefault(attribute.type, text);
  if (!value)
    return invalidInput(what + "has default '" + sentence(text) + "', which is no " +
                        target::typeText(attribute));
  attribute.defaultValue = *value;
  return attribute;
}

Result<Description> readDescription(const json& header) {
  Description description{.kind = {.name = textOf(header, "name")},
                          .version = word(textOf(header, "version")),
                          .opset = static_cast<int>(std::min<uint64_t>(numberOf(header, "opset"),
                                                                       onnx::kMaxExportOpset + 1)),
                          .needsWeights = numberOf(header, "needs_weights") != 0,
                          .asksRegions = numberOf(header, "asks_regions") != 0,
                          .infersTypes = numberOf(header, "infers_types") != 0};
  constexpr size_t kMaxName = 64;  // It is a part of names of files.
  if (description.kind.name.size() > kMaxName)
    return invalidInput("its name has " + std::to_string(description.kind.name.size()) +
                        " characters, expected at most " + std::to_string(kMaxName));
  if (description.opset == 0) description.opset = onnx::kMaxExportOpset;
  if (description.opset < onnx::kMinExportOpset || description.opset > onnx::kMaxExportOpset)
    return invalidInput("it wants models of opset " + std::to_string(numberOf(header, "opset")) +
                        ", there are " + std::to_string(onnx::kMinExportOpset) + " to " +
                        std::to_string(onnx::kMaxExportOpset));
  for (const json& given : listOf(header, "attributes")) {
    TESSERA_TRY(target::TargetAttribute attribute, readAttribute(given));
    description.kind.attributes.push_back(std::move(attribute));
  }
  if (const std::string why = target::whyMalformed(description.kind); !why.empty())
    return invalidInput(sentence(why));
  return description;
}

static ElementType elementOf(uint64_t code, uint64_t bits) {
  struct Entry {
    uint64_t code, bits;
    ElementType element;
  };
  static constexpr Entry kEntries[] = {
      {TESSERA_DTYPE_FLOAT, 32, ElementType::kF32}, {TESSERA_DTYPE_FLOAT, 64, ElementType::kF64},
      {TESSERA_DTYPE_FLOAT, 16, ElementType::kF16}, {TESSERA_DTYPE_BFLOAT, 16, ElementType::kBF16},
      {TESSERA_DTYPE_INT, 8, ElementType::kI8},     {TESSERA_DTYPE_INT, 16, ElementType::kI16},
      {TESSERA_DTYPE_INT, 32, ElementType::kI32},   {TESSERA_DTYPE_INT, 64, ElementType::kI64},
      {TESSERA_DTYPE_UINT, 8, ElementType::kU8},    {TESSERA_DTYPE_UINT, 16, ElementType::kU16},
      {TESSERA_DTYPE_UINT, 32, ElementType::kU32},  {TESSERA_DTYPE_UINT, 64, ElementType::kU64},
      {TESSERA_DTYPE_BOOL, 8, ElementType::kBool}};
  for (const Entry& entry : kEntries) {
    if (entry.code == code && entry.bits == bits) return entry.element;
  }
  return ElementType::kUndefined;
}

InferredType readType(const json& given) {
  InferredType type{.output = numberOf(given, "output"),
                    .element = elementOf(numberOf(given, "code"), numberOf(given, "bits")),
                    .dims = {}};
  for (const json& dim : listOf(given, "dims"))
    type.dims.push_back(dim.is_number_integer() ? std::max<int64_t>(dim.get<int64_t>(), -1) : -1);
  if (type.dims.size() != numberOf(given, "rank")) type.element = ElementType::kUndefined;
  return type;
}

}  // namespace tessera::plugin_host
