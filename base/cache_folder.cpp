#include "base/cache_folder.h"

#include <cstdlib>
#include <filesystem>

namespace tessera::base {

namespace fs = std::filesystem;

/// Empty for one that is not set or no absolute path, which the XDG Base Directory Specification
/// wants ignored.
static fs::path pathIn(const char* variable) {
  const char* text = std::getenv(variable);
  const fs::path path = text == nullptr ? "" : text;
  return path.is_absolute() ? path : "";
}

std::string cacheFolder(const std::string& name) {
  if (const fs::path cache = pathIn("XDG_CACHE_HOME"); !cache.empty())
    return (cache / "tessera" / name).string();
  const fs::path home = pathIn("HOME");
  return home.empty() ? "" : (home / ".cache/tessera" / name).string();
}

}  // namespace tessera::base
