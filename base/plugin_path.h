// Where libraries of backends are looked for.
#pragma once

#include <string>
#include <vector>

namespace tessera::base {

/// The folders of TESSERA_PLUGIN_PATH, separated by colons, empty ones left out.
std::vector<std::string> pluginFolders();

}  // namespace tessera::base
