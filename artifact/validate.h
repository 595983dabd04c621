// Checks that a Bundle is consistent in itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "artifact/bundle.h"
#include "tessera/status.h"

namespace tessera::artifact {

/// Checks every index, range, size and order of definition: after success the runtime can execute
/// the bundle without checking again. The writer runs it on the compiler's bundle, the reader on an
/// untrusted one.
Status validate(const Bundle& bundle);

/// Bytes of a plain tensor: nullopt when a dimension is kDynamic or the size exceeds 2^62.
std::optional<uint64_t> plainSizeBytes(ElementType elementType, const std::vector<int64_t>& dims);

/// The buffer that owns the memory of `buffer`, and the byte offset in it; follows views of a
/// validated bundle.
struct Root {
  uint32_t buffer = 0;
  uint64_t offset = 0;
};
Root rootOf(const Bundle& bundle, uint32_t buffer);

}  // namespace tessera::artifact
