#include "tools/command_line/sizes.h"

#include <algorithm>
#include <charconv>

namespace tessera::cli {

static Result<std::pair<std::string, std::string>> splitAtEqual(const std::string& text,
                                                                const char* expected) {
  const size_t equal = text.rfind('=');
  if (equal == 0 || equal == std::string::npos || equal + 1 == text.size())
    return usageError("found '" + text + "', expected " + expected);
  return std::pair(text.substr(0, equal), text.substr(equal + 1));
}

/// Of one dimension; -1 for "?" where it may stay open.
static Result<int64_t> parseSize(const std::string& text, const std::string& whole,
                                 bool mayBeOpen) {
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (mayBeOpen && text == "?") return int64_t{-1};
  if (error != std::errc() || end != text.data() + text.size() || size < 0)
    return usageError("found size '" + text + "' in '" + whole + "', expected a number" +
                      (mayBeOpen ? " or ?" : ""));
  constexpr int64_t kMaxSize = int64_t{1} << 40;
  if (size > kMaxSize)
    return usageError("found size " + text + " in '" + whole + "', expected at most " +
                      std::to_string(kMaxSize));
  return size;
}

Result<std::pair<std::string, std::vector<int64_t>>> parseShape(const std::string& text) {
  TESSERA_TRY(const auto parts, splitAtEqual(text, "name=1x3x224x224"));
  std::vector<int64_t> shape;
  if (parts.second == "scalar") return std::pair(parts.first, shape);
  size_t at = 0;
  while (at <= parts.second.size()) {
    const size_t end = std::min(parts.second.find('x', at), parts.second.size());
    TESSERA_TRY(const int64_t size,
                parseSize(parts.second.substr(at, end - at), text, /*mayBeOpen=*/true));
    shape.push_back(size);
    at = end + 1;
  }
  return std::pair(parts.first, std::move(shape));
}

Result<std::pair<std::string, int64_t>> parseDim(const std::string& text) {
  TESSERA_TRY(const auto parts, splitAtEqual(text, "name=4"));
  TESSERA_TRY(const int64_t size, parseSize(parts.second, text, /*mayBeOpen=*/false));
  return std::pair(parts.first, size);
}

}  // namespace tessera::cli
