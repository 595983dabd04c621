#include "compiler/placement/timing/caches.h"

#include <algorithm>
#include <bit>
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

uint64_t lastLevelCacheBytes() {
  constexpr uint64_t kGuess = uint64_t{32} << 20;
  return levels().empty() ? kGuess : levels().rbegin()->second;
}

/// What threads sweep together that leaves nothing in the last level nor in their own. Caches do
/// not always replace what is oldest.
static uint64_t moreThanAll(uint32_t numThreads) {
  constexpr int kLastOfCore = 2;
  constexpr uint64_t kTimesOfCore = 2;
  const auto ofCore = levels().find(kLastOfCore);
  const uint64_t own = ofCore == levels().end() ? 0 : ofCore->second * kTimesOfCore * numThreads;
  return std::max(lastLevelCacheBytes() / 4 * 5, own);
}

RestOfModel sweepingAll(uint32_t numThreads) {
  return {.bytes = moreThanAll(numThreads), .leavesBuffersNear = false};
}

RestOfModel restOfModel(uint64_t bytes, uint64_t bufferBytes, uint32_t numThreads) {
  constexpr uint64_t kLittle = uint64_t{1} << 16;
  constexpr uint64_t kBesidesBuffers =
      2;  // As much as they are comes by until they are used again.
  if (bytes < kLittle) return {};
  const uint64_t below = std::bit_floor(bytes);
  const uint64_t nearest = bytes - below < below / 2 ? below : below * 2;
  return {.bytes = std::min(nearest, moreThanAll(numThreads)),
          .leavesBuffersNear = bufferBytes * kBesidesBuffers <= lastLevelCacheBytes()};
}

}  // namespace tessera::placement
