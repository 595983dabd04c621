// One walk over the program in order: a slot that became free serves the next buffer, preferably
// one of the same declared type, whose size is likely the same. Source: linear scan as in Poletto
// and Sarkar, "Linear Scan Register Allocation" (1999). No assignment of intervals to slots that
// never overlap needs fewer slots. Cost: O(n s) for n buffers and s slots.
#include "runtime/memory/memory_slots.h"

#include <algorithm>
#include <functional>

namespace tessera::runtime {

using artifact::Buffer;
using artifact::Storage;

namespace {

/// Calls `use` with every buffer that the instruction touches.
void forEachBuffer(const artifact::Instruction& instruction,
                   const std::function<void(uint32_t)>& use) {
  if (const auto* call = std::get_if<artifact::CallInstruction>(&instruction)) {
    std::ranges::for_each(call->inputs, use);
    std::ranges::for_each(call->outputs, use);
  } else if (const auto* copy = std::get_if<artifact::CopyInstruction>(&instruction)) {
    use(copy->source);
    use(copy->destination);
  } else if (const auto* view = std::get_if<artifact::ViewInstruction>(&instruction)) {
    use(view->view);
    if (view->shapeBuffer != artifact::kNoBuffer) use(view->shapeBuffer);
  }
}

class SlotAssigner {
 public:
  SlotAssigner(const artifact::Bundle& bundle, const std::vector<artifact::Root>& roots)
      : bundle_(bundle), roots_(roots), lastUse_(bundle.buffers.size(), 0) {
    for (size_t at = 0; at < bundle.program.size(); ++at) {
      forEachBuffer(bundle.program[at],
                    [&](uint32_t buffer) { lastUse_[roots[buffer].buffer] = at; });
    }
    for (const artifact::Port& output : bundle.outputs)
      lastUse_[roots[output.buffer].buffer] = bundle.program.size();
  }

  MemorySlots assign() {
    constexpr uint32_t kNone = UINT32_MAX;
    MemorySlots slots{.slotOf = std::vector<uint32_t>(bundle_.buffers.size(), kNone), .count = 0};
    for (uint32_t i = 0; i < bundle_.buffers.size(); ++i) {
      if (isOwned(i) && !isShared(i)) slots.slotOf[i] = addSlot(i);
    }
    for (size_t at = 0; at < bundle_.program.size(); ++at) {
      forEachBuffer(bundle_.program[at], [&](uint32_t buffer) {
        const uint32_t root = roots_[buffer].buffer;
        if (isShared(root) && slots.slotOf[root] == kNone) slots.slotOf[root] = slotFor(root, at);
      });
    }
    slots.count = static_cast<uint32_t>(occupants_.size());
    return slots;
  }

 private:
  bool isOwned(uint32_t buffer) const {
    const Storage storage = bundle_.buffers[buffer].storage;
    return storage == Storage::kOutput || storage == Storage::kDynamic;
  }
  bool isShared(uint32_t buffer) const {
    return isOwned(buffer) && bundle_.buffers[buffer].sizeBytes == artifact::kDynamic;
  }

  uint32_t addSlot(uint32_t buffer) {
    occupants_.push_back(buffer);
    return static_cast<uint32_t>(occupants_.size() - 1);
  }

  /// A slot whose occupant is dead at instruction `at`, or a new one.
  uint32_t slotFor(uint32_t buffer, size_t at) {
    const auto isFree = [&](uint32_t occupant) {
      return isShared(occupant) && lastUse_[occupant] < at &&
             bundle_.buffers[occupant].memorySpace == bundle_.buffers[buffer].memorySpace;
    };
    const auto fits = [&](uint32_t occupant) {
      const Buffer& mine = bundle_.buffers[buffer];
      const Buffer& theirs = bundle_.buffers[occupant];
      return isFree(occupant) && mine.dims == theirs.dims && mine.elementType == theirs.elementType;
    };
    auto found = std::ranges::find_if(occupants_, fits);
    if (found == occupants_.end()) found = std::ranges::find_if(occupants_, isFree);
    if (found == occupants_.end()) return addSlot(buffer);
    *found = buffer;
    return static_cast<uint32_t>(found - occupants_.begin());
  }

  const artifact::Bundle& bundle_;
  const std::vector<artifact::Root>& roots_;
  std::vector<size_t> lastUse_;      ///< By root: position in the program.
  std::vector<uint32_t> occupants_;  ///< By slot: the buffer that took it last.
};

}  // namespace

MemorySlots assignMemorySlots(const artifact::Bundle& bundle,
                              const std::vector<artifact::Root>& roots) {
  return SlotAssigner(bundle, roots).assign();
}

}  // namespace tessera::runtime
