// Which buffers of run-time size share memory.
#pragma once

#include <cstdint>
#include <vector>

#include "artifact/validate.h"

namespace tessera::runtime {

/// Pieces of memory for the buffers that the context allocates: storage kOutput and kDynamic.
struct MemorySlots {
  /// By buffer; meaningless for buffers of other storage. A buffer of static size has a slot alone.
  std::vector<uint32_t> slotOf;
  uint32_t count = 0;
};

/// Gives buffers of run-time size, in one memory space, one slot when they never live at the same
/// instruction. A buffer lives from the first to the last instruction that touches its memory;
/// those that outputs read live to the end. `roots`: the owner of each buffer's memory.
MemorySlots assignMemorySlots(const artifact::Bundle& bundle,
                              const std::vector<artifact::Root>& roots);

}  // namespace tessera::runtime
