// What a part of a model finds when its turn comes: other code ran, and just wrote what it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::driver {

/// Does with caches and threads what the rest of a model does. Its threads are those of the
/// runtime, which are awake afterwards.
class Surroundings {
 public:
  /// Reads so many bytes of its own, each thread a part.
  void sweep(uint64_t bytes, int32_t numThreads);
  /// Copies, the threads in turns: an operator divides what it reads among them otherwise than the
  /// one that computed it, so that some of it comes from another core. Both are equally large.
  static void write(std::span<std::byte> to, std::span<const std::byte> from, int32_t numThreads);

 private:
  std::vector<char> data_;
  size_t sum_ = 0;  ///< Keeps what is read from being left out.
};

}  // namespace tessera::driver
