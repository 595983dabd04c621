// A plugin as a backend like any other.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"

namespace tessera::plugin_host {

/// The backend whose compile half is in `file`; asks it in a process of its own. Errors
/// (kInvalidInput) name the file: it is no plugin, its process ends while it is loaded.
Result<std::unique_ptr<backend_api::Backend>> loadPlugin(const std::string& file);

}  // namespace tessera::plugin_host
