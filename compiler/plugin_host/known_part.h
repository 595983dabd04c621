// Structs of the C ABI grow at the end; each says how much of it its maker knows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tessera::plugin_host {

/// What of a struct lies within the size that it tells, the rest zero. Its fields lie in units of 8
/// bytes: one that is cut in half is not known.
template <typename Struct>
Struct knownPart(const Struct& given) {
  constexpr size_t kUnit = 8;
  Struct known = {};
  std::memcpy(&known, &given, std::min<size_t>(given.size, sizeof(known)) / kUnit * kUnit);
  return known;
}

}  // namespace tessera::plugin_host
