// Shapes as messages show them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tessera::base {

/// "[2, ?, 3]"; -1 and INT64_MIN, as artifacts and MLIR have it, are sizes that are not known.
inline std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] == -1 || shape[i] == INT64_MIN ? "?" : std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace tessera::base
