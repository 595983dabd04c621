// What a part of a model finds when its turn comes: other code ran, and just wrote what it reads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/placement/timing/caches.h"

namespace tessera::driver {

/// Does with caches and threads what the rest of a model does. Its threads are those of the
/// runtime, which are awake afterwards.
class Surroundings {
 public:
  /// Puts data of its own in the place of everything else's in these caches.
  void sweep(placement::Caches caches, int32_t numThreads);
  /// Copies, each thread a part, as operators compute what others read. Both are equally large.
  static void write(std::span<std::byte> to, std::span<const std::byte> from, int32_t numThreads);

 private:
  std::vector<char> data_;
  size_t sum_ = 0;  ///< Keeps what is read from being left out.
};

}  // namespace tessera::driver
