#include "frontends/onnx/export/schema.h"

#include <algorithm>

namespace tessera::onnx {

namespace {

/// A Schema as indices into the arrays of its parts: inputs, then outputs, lie one after the other.
struct SchemaRow {
  std::string_view name;
  int sinceVersion;
  uint16_t firstValue;
  uint16_t numInputs;
  uint16_t numOutputs;
  uint16_t firstAttribute;
  uint16_t numAttributes;
};

#include "frontends/onnx/export/onnx_schemas.inc"

}  // namespace

/// The rows of one operator, oldest first.
static std::span<const SchemaRow> rowsOf(std::string_view name) {
  const auto found = std::ranges::equal_range(kSchemas, name, {}, &SchemaRow::name);
  return {found.begin(), found.end()};
}

bool Schema::hasAttribute(std::string_view attribute) const {
  return std::ranges::find(attributes, attribute) != attributes.end();
}

std::optional<Schema> findSchema(std::string_view name, int opset) {
  const SchemaRow* newest = nullptr;
  for (const SchemaRow& row : rowsOf(name)) {
    if (row.sinceVersion <= opset) newest = &row;
  }
  if (newest == nullptr) return std::nullopt;
  const std::span<const SchemaValue> values(kValues);
  const std::span<const std::string_view> attributes(kAttributes);
  return Schema{
      .name = newest->name,
      .sinceVersion = newest->sinceVersion,
      .inputs = values.subspan(newest->firstValue, newest->numInputs),
      .outputs = values.subspan(newest->firstValue + newest->numInputs, newest->numOutputs),
      .attributes = attributes.subspan(newest->firstAttribute, newest->numAttributes)};
}

bool hasOperator(std::string_view name, int opset) { return findSchema(name, opset).has_value(); }

std::optional<int> firstOpsetOf(std::string_view name) {
  const std::span<const SchemaRow> rows = rowsOf(name);
  return rows.empty() ? std::nullopt : std::optional(rows.front().sinceVersion);
}

}  // namespace tessera::onnx
