#include "base/version.h"

#include <charconv>
#include <cstdint>

namespace tessera::base {

/// Reads the next number of a version and what separates it from the one after.
static uint64_t takeNumber(std::string_view& version) {
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  version.remove_prefix(static_cast<size_t>(end - version.data()));
  if (!version.empty()) version.remove_prefix(1);
  return error == std::errc() ? number : 0;
}

bool isOlderVersion(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const uint64_t left = takeNumber(a);
    const uint64_t right = takeNumber(b);
    if (left != right) return left < right;
  }
  return false;
}

}  // namespace tessera::base
