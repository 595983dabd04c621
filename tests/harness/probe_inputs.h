// Inputs of programs that run an artifact for a test: shapes from the command line, as
// tests/harness/networks.py writes them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/runtime.hpp"

namespace tessera::test {

/// A shape for each input.
using Shapes = std::vector<std::vector<int64_t>>;

/// "2x8,3" -> [2, 8], [3]; an empty part is a scalar.
inline Shapes parseShapes(const std::string& text) {
  Shapes shapes(1);
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ',') {
      shapes.emplace_back();
      ++at;
      continue;
    }
    char* end = nullptr;
    shapes.back().push_back(std::strtoll(text.c_str() + at, &end, 10));
    at = static_cast<size_t>(end - text.c_str());
    if (at < text.size() && text[at] == 'x') ++at;
  }
  return shapes;
}

inline int64_t sizeBytes(tessera_dtype dtype, const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{dtype.bits / 8}, std::multiplies<>());
}

}  // namespace tessera::test
