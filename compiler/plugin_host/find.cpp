#include "compiler/plugin_host/find.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/plugin_path.h"

namespace tessera::plugin_host {

namespace fs = std::filesystem;

static constexpr std::string_view kPrefix = "libtessera_compile_";
static constexpr std::string_view kSuffix = ".so";

static bool isPluginName(std::string_view name) {
  return name.starts_with(kPrefix) && name.ends_with(kSuffix) &&
         name.size() > kPrefix.size() + kSuffix.size();
}

std::string kindInName(const std::string& file) {
  std::string name = fs::path(file).filename().string();
  if (!isPluginName(name)) return name;
  return name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
}

std::vector<std::string> findPlugins() {
  std::vector<std::string> files;
  std::set<std::string> kinds;
  for (const std::string& folder : base::pluginFolders()) {
    std::vector<std::string> here;
    std::error_code failure;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
      if (isPluginName(it->path().filename().string())) here.push_back(it->path().string());
    }
    std::ranges::sort(here);
    for (std::string& file : here) {
      if (kinds.insert(kindInName(file)).second) files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace tessera::plugin_host
