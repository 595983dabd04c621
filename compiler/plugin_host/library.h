// A plugin's compile half, loaded: in the worker process only.
#pragma once

#include <string>

#include "tessera/backend_compile.h"
#include "tessera/status.h"

namespace tessera::plugin_host {

/// Loads the library and asks for its half. What it says behind the end of its struct is null. The
/// library stays loaded. Errors (kInvalidInput), about the file: it cannot be loaded, is no plugin,
/// needs a newer compiler, lacks what is not optional.
Result<tessera_backend_compile> loadCompileHalf(const std::string& file);

}  // namespace tessera::plugin_host
