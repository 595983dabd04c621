// XXH3 over bytes, whole or in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::base {

/// 64-bit XXH3 of the bytes.
uint64_t checksumOf(std::span<const std::byte> bytes);

/// The same over bytes that arrive in pieces.
class Checksum {
 public:
  Checksum();
  void update(std::span<const std::byte> bytes);
  uint64_t value() const;

 private:
  alignas(64) std::byte state_[576];
};

}  // namespace tessera::base
