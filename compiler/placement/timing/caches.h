// How much the caches of this machine hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::placement {

/// Of all levels, the last; a guess where the system does not tell.
size_t lastLevelCacheBytes();
/// What a core has for itself, the largest such level; a guess where the system does not tell.
size_t cacheBytesOfCore();

/// Which caches a model's code and data do not stay in from one run of a part to the next.
enum class Caches : uint8_t {
  kNone,           ///< All stays where it is.
  kOfCores,        ///< It comes back from the last level.
  kAll,            ///< It comes back from memory.
  kAllButBuffers,  ///< The same, but for what is computed, which comes from the last level.
};

/// Those that what a model touches in a run does not fit into, in bytes: all of it, and the buffers
/// alone that it computes in. Which data stay is for the machine to say: this assumes that what was
/// touched last does.
Caches exceededBy(size_t bytes, size_t bufferBytes, size_t numCores);

}  // namespace tessera::placement
