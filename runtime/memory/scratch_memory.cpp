#include "runtime/memory/scratch_memory.h"

namespace tessera::runtime {

void* ScratchMemory::allocate(uint64_t bytes) {
  Block* fitting = nullptr;
  Block* largestFree = nullptr;
  for (Block& block : blocks_) {
    if (!block.isFree) continue;
    const uint64_t size = block.memory.sizeBytes();
    if (size >= bytes && (fitting == nullptr || size < fitting->memory.sizeBytes()))
      fitting = &block;
    if (largestFree == nullptr || size > largestFree->memory.sizeBytes()) largestFree = &block;
  }
  // Growing keeps the number of blocks at that of the temporaries alive at once.
  if (fitting == nullptr) fitting = largestFree;
  if (fitting == nullptr) fitting = &blocks_.emplace_back();
  if (!fitting->memory.reserve(bytes)) {
    wasShort_ = true;
    return nullptr;
  }
  fitting->isFree = false;
  return fitting->memory.data();
}

void ScratchMemory::release(const void* memory) {
  for (Block& block : blocks_) {
    if (!block.isFree && block.memory.data() == memory) block.isFree = true;
  }
}

void ScratchMemory::releaseAll() {
  wasShort_ = false;
  for (Block& block : blocks_) block.isFree = true;
}

uint64_t ScratchMemory::sizeBytes() const {
  uint64_t total = 0;
  for (const Block& block : blocks_) total += block.memory.sizeBytes();
  return total;
}

}  // namespace tessera::runtime
