// Caches as they are in the midst of a model that is larger than they are.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::placement {

/// Of all levels on this machine, the last; a guess where the system does not tell.
size_t lastLevelCacheBytes();

/// Puts data of its own in the place of everything else's.
class CacheSweep {
 public:
  /// Milliseconds.
  void sweep();

 private:
  std::vector<char> data_;  ///< Made by the first sweep.
  size_t sum_ = 0;          ///< Keeps what is read from being left out.
};

}  // namespace tessera::placement
