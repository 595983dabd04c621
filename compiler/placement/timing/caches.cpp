#include "compiler/placement/timing/caches.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace tessera::placement {

/// Of the data caches of the first processor, the size of each level: what the kernel tells, which
/// knows how many cores share one. (The C library multiplies it by all that a socket has.)
static std::map<int, size_t> readLevels() {
  std::map<int, size_t> levels;
  const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/cache";
  std::error_code failure;
  for (const auto& cache : std::filesystem::directory_iterator(folder, failure)) {
    int level = 0;
    size_t kilobytes = 0;
    std::string type;
    const std::string name = cache.path().string();
    std::ifstream(name + "/level") >> level;
    std::ifstream(name + "/size") >> kilobytes;  // "32768K"
    std::ifstream(name + "/type") >> type;
    if (level > 0 && kilobytes > 0 && type != "Instruction") levels[level] = kilobytes << 10;
  }
  return levels;
}

static const std::map<int, size_t>& levels() {
  static const std::map<int, size_t> levels = readLevels();
  return levels;
}

size_t cacheBytesOfCore() {
  constexpr size_t kGuess = size_t{1} << 20;
  const auto second = levels().find(2);
  return second == levels().end() ? kGuess : second->second;
}

size_t lastLevelCacheBytes() {
  constexpr size_t kGuess = size_t{32} << 20;
  return levels().empty() ? kGuess : levels().rbegin()->second;
}

Caches exceededBy(size_t bytes, size_t bufferBytes, size_t numCores) {
  constexpr size_t kBesidesBuffers = 2;  // As much as they are comes by until they are used again.
  if (bytes > lastLevelCacheBytes())
    return bufferBytes * kBesidesBuffers > lastLevelCacheBytes() ? Caches::kAll
                                                                 : Caches::kAllButBuffers;
  return bytes > cacheBytesOfCore() * numCores ? Caches::kOfCores : Caches::kNone;
}

}  // namespace tessera::placement
