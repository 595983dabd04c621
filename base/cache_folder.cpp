#include "base/cache_folder.h"

#include <cstdlib>
#include <filesystem>

namespace tessera::base {

namespace fs = std::filesystem;

std::string cacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return (fs::path(cache) / "tessera").string();
  const char* home = std::getenv("HOME");
  return (fs::path(home != nullptr ? home : ".") / ".cache/tessera").string();
}

}  // namespace tessera::base
