// Memory for temporaries of run-time size, for each thread that may ask for it.
#pragma once

#include <vector>

#include "runtime/memory/scratch_memory.h"

namespace tessera::runtime {

/// Those of one host: one for what is outside of the bodies of parallel_for, one for each thread in
/// them.
class ThreadScratch {
 public:
  /// Not while bodies run.
  void setThreads(int32_t numThreads);
  /// That of the calling thread.
  ScratchMemory& own();
  bool wasShort() const;
  /// Gives all blocks back. Which thread does how much is chance: those in bodies then have equal
  /// room, so that an equal call allocates nothing.
  void releaseAll();
  uint64_t sizeBytes() const;

 private:
  std::vector<ScratchMemory> scratch_ = std::vector<ScratchMemory>(1);
};

}  // namespace tessera::runtime
