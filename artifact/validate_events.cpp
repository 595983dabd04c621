// Walks the program with the instructions that may still be running. An instruction comes after
// those whose events it waits for, those that these came after, and those that some earlier
// instruction without an event of its own came after, since the host waits for that one. It must
// not write what another one that may still run reads or writes, nor read what it writes. Cost: O(n
// e) for n instructions with e events.
#include "artifact/validate_events.h"

#include <algorithm>
#include <set>
#include <string>

#include "artifact/memory_range.h"

namespace tessera::artifact {
namespace {

/// Keeps the walk quadratic in something small, whatever the file says.
constexpr uint32_t kMaxEvents = 4096;

using EventSet = std::set<uint32_t>;

/// What one instruction does to buffers and events.
struct Use {
  std::vector<uint32_t> reads;
  std::vector<uint32_t> writes;
  std::vector<uint32_t> waits;
  uint32_t signal = kNoEvent;
};

Use useOf(const CallInstruction& call) {
  Use use = {
      .reads = call.inputs, .writes = call.outputs, .waits = call.waits, .signal = call.signal};
  if (call.workspace != kNoBuffer) use.writes.push_back(call.workspace);
  return use;
}

Use useOf(const CopyInstruction& copy) {
  return {.reads = {copy.source},
          .writes = {copy.destination},
          .waits = copy.waits,
          .signal = copy.signal};
}

/// A view reads no memory of what it views.
Use useOf(const ViewInstruction& view) {
  Use use;
  if (view.shapeBuffer != kNoBuffer) use.reads = {view.shapeBuffer};
  return use;
}

class EventChecker {
 public:
  explicit EventChecker(const Bundle& bundle) : bundle_(bundle) {}

  Status check() {
    if (bundle_.numEvents > kMaxEvents)
      return invalidInput("the artifact has " + std::to_string(bundle_.numEvents) +
                          " events, at most " + std::to_string(kMaxEvents) + " are supported");
    before_.resize(bundle_.numEvents);
    isSignalled_.resize(bundle_.numEvents, false);
    for (position_ = 0; position_ < bundle_.program.size(); ++position_) {
      const Use use = std::visit([](const auto& instruction) { return useOf(instruction); },
                                 bundle_.program[position_]);
      TESSERA_TRY_VOID(check(use));
    }
    return {};
  }

 private:
  struct Running {
    size_t position;
    uint32_t event;
    std::vector<MemoryRange> reads;
    std::vector<MemoryRange> writes;
  };

  Error error(const std::string& what) const {
    return invalidInput("instruction " + std::to_string(position_) + " of the artifact " + what);
  }

  Status check(const Use& use) {
    EventSet after = reached_;
    for (const uint32_t event : use.waits) {
      if (event >= bundle_.numEvents || !isSignalled_[event])
        return error("waits for event " + std::to_string(event) + ", which nothing signals before");
      after.insert(event);
      after.insert(before_[event].begin(), before_[event].end());
    }
    if (use.signal == kNoEvent && running_.empty()) return {};  // The rule in most artifacts.
    Running now{.position = position_,
                .event = use.signal,
                .reads = rangesOf(use.reads),
                .writes = rangesOf(use.writes)};
    for (const Running& other : running_) {
      if (after.contains(other.event)) continue;
      if (meet(now.writes, other.writes) || meet(now.writes, other.reads) ||
          meet(now.reads, other.writes)) {
        return error("touches memory of instruction " + std::to_string(other.position) +
                     " without waiting for its event " + std::to_string(other.event));
      }
    }
    if (use.signal == kNoEvent) {
      std::erase_if(running_, [&](const Running& other) { return after.contains(other.event); });
      reached_ = std::move(after);
      return {};
    }
    if (use.signal >= bundle_.numEvents || isSignalled_[use.signal])
      return error("signals event " + std::to_string(use.signal) +
                   ", which does not exist or is signalled before");
    TESSERA_TRY_VOID(checkSizesAreKnown(use));
    isSignalled_[use.signal] = true;
    before_[use.signal] = std::move(after);
    running_.push_back(std::move(now));
    return {};
  }

  /// Memory of run-time size moves, and is shared with buffers of other instructions.
  Status checkSizesAreKnown(const Use& use) const {
    for (const std::vector<uint32_t>* buffers : {&use.reads, &use.writes}) {
      for (const uint32_t buffer : *buffers) {
        if (bundle_.buffers[buffer].sizeBytes == kDynamic)
          return error("signals an event but touches buffer " + std::to_string(buffer) +
                       ", whose size is known at run time");
      }
    }
    return {};
  }

  std::vector<MemoryRange> rangesOf(const std::vector<uint32_t>& buffers) const {
    std::vector<MemoryRange> ranges;
    ranges.reserve(buffers.size());
    for (const uint32_t buffer : buffers) ranges.push_back(memoryRangeOf(bundle_, buffer));
    return ranges;
  }

  static bool meet(const std::vector<MemoryRange>& a, const std::vector<MemoryRange>& b) {
    return std::ranges::any_of(a, [&](const MemoryRange& range) {
      return std::ranges::any_of(b,
                                 [&](const MemoryRange& other) { return overlap(range, other); });
    });
  }

  const Bundle& bundle_;
  std::vector<EventSet> before_;  ///< By event: those that are reached when it is.
  std::vector<bool> isSignalled_;
  EventSet reached_;  ///< Those that the host knows to be reached.
  std::vector<Running> running_;
  size_t position_ = 0;
};

}  // namespace

Status validateEvents(const Bundle& bundle) { return EventChecker(bundle).check(); }

}  // namespace tessera::artifact
