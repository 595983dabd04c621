#include "artifact/target_name.h"

#include <algorithm>
#include <charconv>

namespace tessera::artifact {

static bool isKindCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::optional<TargetName> targetNameOf(std::string_view target) {
  const std::string_view word = target.substr(0, target.find(' '));
  const size_t colon = word.find(':');
  TargetName name{.kind = std::string(word.substr(0, colon))};
  if (name.kind.empty() || !std::ranges::all_of(name.kind, isKindCharacter)) return std::nullopt;
  if (colon == std::string_view::npos) return name;
  const std::string_view number = word.substr(colon + 1);
  const char* end = number.data() + number.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given.
  const auto [stop, error] = std::from_chars(number.data(), end, name.device);
  if (error != std::errc() || stop != end) return std::nullopt;
  return name;
}

}  // namespace tessera::artifact
