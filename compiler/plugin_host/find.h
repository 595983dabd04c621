// Where plugins are.
#pragma once

#include <string>
#include <vector>

namespace tessera::plugin_host {

/// The files libtessera_compile_<kind>.so in the folders of TESSERA_PLUGIN_PATH, in its order,
/// those of a folder sorted; of two for one kind the first.
std::vector<std::string> findPlugins();

/// The kind in the name of such a file; the name where it is another one.
std::string kindInName(const std::string& file);

}  // namespace tessera::plugin_host
