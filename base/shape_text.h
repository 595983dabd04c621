// Shapes as messages show them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tessera::base {

/// "[2, ?, 3]"; a negative size is one that is not known.
inline std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] < 0 ? "?" : std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace tessera::base
