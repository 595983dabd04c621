// Names of bytes by their content.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tessera::base {

/// 128-bit XXH3 hash of `bytes`, 32 lower-case hexadecimal digits. About 10 GB/s.
std::string contentHash(std::span<const std::byte> bytes);
std::string contentHash(std::string_view text);

}  // namespace tessera::base
