#include "compiler/ir/io/new_bytes.h"

#include "base/aligned_memory.h"
#include "compiler/support/check.h"

namespace tessera::ir {

NewBytes allocateBytes(size_t size) {
  std::shared_ptr<std::byte> owner = base::allocateAligned(size);
  TESSERA_CHECK(owner != nullptr, "memory is short");
  const std::span<std::byte> bytes(owner.get(), size);
  return {.bytes = bytes, .owner = std::move(owner)};
}

}  // namespace tessera::ir
