#include "compiler/support/hash.h"

#include <xxhash.h>

#include <array>
#include <cstdio>

namespace tessera::support {

std::string contentHash(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  std::array<char, 33> text;
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text.data();
}

std::string contentHash(std::string_view text) {
  return contentHash(std::as_bytes(std::span(text)));
}

}  // namespace tessera::support
