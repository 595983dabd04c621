// What ONNX's operators of the default domain look like in each opset, as the onnx package says.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::onnx {

/// A formal input or output.
struct SchemaValue {
  std::string_view typeVariable;  ///< Values with one variable have one type; empty: none.
  uint32_t elements;              ///< Bit n: ElementType n is allowed.
  bool isVariadic;                ///< The last one, for any number of values.
};

/// One operator in one opset.
struct Schema {
  std::string_view name;
  int sinceVersion;
  std::span<const SchemaValue> inputs;
  std::span<const SchemaValue> outputs;
  std::span<const std::string_view> attributes;

  bool hasAttribute(std::string_view attribute) const;
};

/// The operator as of `opset` (13 to 23); nothing when that opset has none of the name. O(log n).
std::optional<Schema> findSchema(std::string_view name, int opset);

/// Whether `opset` has the operator.
bool hasOperator(std::string_view name, int opset);

/// The first opset from 13 on that has the operator; nothing when none up to 23 does.
std::optional<int> firstOpsetOf(std::string_view name);

}  // namespace tessera::onnx
