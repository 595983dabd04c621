#include "compiler/placement/timing/caches.h"

#include <unistd.h>

namespace tessera::placement {

static size_t sizeOf(int level, size_t guess) {
  const long bytes = sysconf(level);
  return bytes > 0 ? static_cast<size_t>(bytes) : guess;
}

size_t cacheBytesOfCore() {
  constexpr size_t kGuess = size_t{1} << 20;
  return sizeOf(_SC_LEVEL2_CACHE_SIZE, kGuess);
}

size_t lastLevelCacheBytes() {
  constexpr size_t kGuess = size_t{32} << 20;
  const size_t third = sizeOf(_SC_LEVEL3_CACHE_SIZE, 0);
  return third > 0 ? third : sizeOf(_SC_LEVEL2_CACHE_SIZE, kGuess);
}

Caches exceededBy(size_t bytes, size_t bufferBytes, size_t numCores) {
  constexpr size_t kBesidesBuffers = 2;  // As much as they are comes by until they are used again.
  if (bytes > lastLevelCacheBytes())
    return bufferBytes * kBesidesBuffers > lastLevelCacheBytes() ? Caches::kAll
                                                                 : Caches::kAllButBuffers;
  return bytes > cacheBytesOfCore() * numCores ? Caches::kOfCores : Caches::kNone;
}

}  // namespace tessera::placement
