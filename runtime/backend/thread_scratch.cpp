#include "runtime/backend/thread_scratch.h"

#include <algorithm>

#include "runtime/backend/parallel_for.h"

namespace tessera::runtime {

void ThreadScratch::setThreads(int32_t numThreads) {
  const auto wanted = static_cast<size_t>(threadsAtOnce(numThreads)) + 1;
  if (scratch_.size() < wanted) scratch_.resize(wanted);
}

ScratchMemory& ThreadScratch::own() {
  // A whole run may be inside of a body of somebody else's loop; then one thread does all of it.
  const auto slot = static_cast<size_t>(slotOfThread());
  return scratch_[slot < scratch_.size() ? slot : 0];
}

bool ThreadScratch::wasShort() const {
  return std::ranges::any_of(scratch_, &ScratchMemory::wasShort);
}

void ThreadScratch::releaseAll() {
  const bool isComplete = !wasShort();
  for (ScratchMemory& scratch : scratch_) scratch.releaseAll();
  if (isComplete) ScratchMemory::evenOut(std::span(scratch_).subspan(1));
}

uint64_t ThreadScratch::sizeBytes() const {
  uint64_t total = 0;
  for (const ScratchMemory& scratch : scratch_) total += scratch.sizeBytes();
  return total;
}

}  // namespace tessera::runtime
