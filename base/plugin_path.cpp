#include "base/plugin_path.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tessera::base {

std::vector<std::string> pluginFolders() {
  std::vector<std::string> folders;
  const char* variable = std::getenv("TESSERA_PLUGIN_PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return folders;
}

}  // namespace tessera::base
