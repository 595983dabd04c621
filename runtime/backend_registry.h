// The runtime halves linked into this library. CMake generates the list from the folders
// backends/*/runtime.
#pragma once

#include <span>

#include "tessera/backend_runtime.h"

namespace tessera::runtime {

std::span<const tessera_backend_runtime* const> builtinBackends();

}  // namespace tessera::runtime
