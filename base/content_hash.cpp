#include "base/content_hash.h"

#include <array>
#include <cstdio>

// Header-only, as in checksum.cpp; a file of its own, so that the runtime does not carry it.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tessera::base {

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

}  // namespace tessera::base
