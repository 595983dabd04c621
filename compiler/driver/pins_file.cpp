#include "compiler/driver/pins_file.h"

#include <nlohmann/json.hpp>

#include "base/mapped_file.h"
#include "compiler/partition/pins.h"
#include "mlir/IR/Builders.h"

namespace tessera::driver {

using Json = nlohmann::json;

/// Whether it is whole and has 64 bits.
static bool isNumber(const Json& value) {
  if (!value.is_number_integer()) return false;
  return !value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX;
}

/// Texts, whole numbers and lists of them; null for anything else.
static mlir::Attribute toAttribute(mlir::Builder& builder, const Json& value) {
  if (value.is_string()) return builder.getStringAttr(value.get<std::string>());
  if (isNumber(value)) return builder.getI64IntegerAttr(value.get<int64_t>());
  if (!value.is_array()) return {};
  llvm::SmallVector<mlir::Attribute> elements;
  for (const Json& element : value) {
    if (!isNumber(element)) return {};
    elements.push_back(builder.getI64IntegerAttr(element.get<int64_t>()));
  }
  return builder.getArrayAttr(elements);
}

static Result<mlir::Attribute> toRule(mlir::Builder& builder, const Json& rule) {
  if (!rule.is_object()) return invalidInput("found no object");
  llvm::SmallVector<mlir::NamedAttribute> fields;
  for (const auto& [name, value] : rule.items()) {
    const mlir::Attribute attribute = toAttribute(builder, value);
    if (!attribute || name.empty())
      return invalidInput("field '" + name +
                          "', expected a text, a whole number or a list of whole numbers");
    fields.push_back(builder.getNamedAttr(name, attribute));
  }
  const mlir::DictionaryAttr text = builder.getDictionaryAttr(fields);
  TESSERA_TRY_VOID(partition::Pin::parse(text));
  return mlir::Attribute(text);
}

Result<mlir::ArrayAttr> readPins(mlir::MLIRContext* context, const std::string& file) {
  const auto failure = [&](const std::string& message) {
    Error error = invalidInput(message);
    error.file = file;
    return error;
  };
  TESSERA_TRY(const std::string text, base::readFile(file));
  const Json rules = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (rules.is_discarded()) return failure("it is no JSON");
  if (!rules.is_array()) return failure("found no list, expected a list of rules");
  mlir::Builder builder(context);
  llvm::SmallVector<mlir::Attribute> attributes;
  for (const Json& rule : rules) {
    auto attribute = toRule(builder, rule);
    if (!attribute)
      return failure("rule " + std::to_string(attributes.size() + 1) + ": " +
                     attribute.error().message);
    attributes.push_back(*attribute);
  }
  return builder.getArrayAttr(attributes);
}

}  // namespace tessera::driver
