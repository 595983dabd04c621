// The runtime halves linked into this library: those whose CMakeLists.txt says LINKED_IN.
#pragma once

#include <span>

#include "tessera/backend_runtime.h"

namespace tessera::runtime {

std::span<const tessera_backend_runtime* const> linkedBackends();

}  // namespace tessera::runtime
