#include "runtime/memory/scratch_memory.h"

#include <algorithm>

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

void ScratchMemory::evenOut(std::span<ScratchMemory> all) {
  size_t most = 0;
  for (ScratchMemory& scratch : all) {
    std::ranges::sort(scratch.blocks_, std::ranges::greater(),
                      [](const Block& block) { return block.memory.sizeBytes(); });
    most = std::max(most, scratch.blocks_.size());
  }
  for (ScratchMemory& scratch : all) scratch.blocks_.resize(most);
  for (size_t i = 0; i < most; ++i) {
    uint64_t bytes = 0;
    for (const ScratchMemory& scratch : all)
      bytes = std::max(bytes, scratch.blocks_[i].memory.sizeBytes());
    for (ScratchMemory& scratch : all) (void)scratch.blocks_[i].memory.reserve(bytes);
  }
}

}  // namespace tessera::runtime
