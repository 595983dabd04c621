// Structs of the C ABI grow at the end; both sides say how much of one they know.
#pragma once

#include <cstddef>

namespace tessera::runtime {

/// Whether `field` lies within the `size` bytes of `object` that the other side knows.
template <typename Struct, typename Field>
bool knowsField(const Struct& object, size_t size, Field Struct::* field) {
  const auto* begin = reinterpret_cast<const std::byte*>(&object);
  const auto* fieldBegin = reinterpret_cast<const std::byte*>(&(object.*field));
  return static_cast<size_t>(fieldBegin - begin) + sizeof(Field) <= size;
}

}  // namespace tessera::runtime
