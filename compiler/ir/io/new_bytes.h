// Bytes of constants that passes make.
#pragma once

#include "compiler/ir/io/constant_store.h"

namespace tessera::ir {

/// Bytes to be filled, aligned for any element type; the blob shares them.
struct NewBytes {
  std::span<std::byte> bytes;
  std::shared_ptr<std::byte> owner;

  Blob blob() const { return {.bytes = bytes, .owner = owner}; }
};

/// `size` bytes that are not initialised.
NewBytes allocateBytes(size_t size);

}  // namespace tessera::ir
