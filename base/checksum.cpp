#include "base/checksum.h"

#include <new>

// Header-only, so that the runtime needs no shared library for it.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tessera::base {

uint64_t checksumOf(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

static XXH3_state_t* stateOf(std::byte* storage) {
  return std::launder(reinterpret_cast<XXH3_state_t*>(storage));
}

Checksum::Checksum() {
  static_assert(sizeof(XXH3_state_t) <= sizeof(state_) && alignof(XXH3_state_t) <= 64);
  XXH3_state_t* state = new (state_) XXH3_state_t;
  XXH3_64bits_reset(state);
}

void Checksum::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(stateOf(state_), bytes.data(), bytes.size());
}

uint64_t Checksum::value() const {
  return XXH3_64bits_digest(stateOf(const_cast<std::byte*>(state_)));
}

}  // namespace tessera::base
