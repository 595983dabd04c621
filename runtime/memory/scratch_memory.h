// Memory for the temporaries of run-time size: blocks that are kept from call to call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/memory/aligned_memory.h"

namespace tessera::runtime {

/// Used by one thread at a time. The same requests in the same order allocate once.
class ScratchMemory {
 public:
  /// The smallest free block that is large enough, else a new one (which replaces a smaller free
  /// one); null when memory is short.
  void* allocate(uint64_t bytes);
  /// Gives a block back; null and unknown addresses are ignored.
  void release(const void* memory);
  /// Gives all blocks back; wasShort() is false from then on.
  void releaseAll();
  /// Whether `allocate` gave null.
  bool wasShort() const { return wasShort_; }
  /// Of all blocks, free or not.
  uint64_t sizeBytes() const;
  /// Makes room for what any of `all` had room for, all free; as far as memory goes.
  static void evenOut(std::span<ScratchMemory> all);

 private:
  struct Block {
    AlignedMemory memory;
    bool isFree = true;
  };
  bool wasShort_ = false;
  std::vector<Block> blocks_;  ///< Few: one for each temporary that lives at the same time.
};

}  // namespace tessera::runtime
