// The events of one context: which device makes each reached, and who waits for which.
#pragma once

#include <string>
#include <vector>

#include "runtime/backend/space.h"

namespace tessera::runtime {

class Events {
 public:
  /// What the halves are called with; it outlives this.
  explicit Events(const Services& services) : services_(services) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events();

  void resize(uint32_t count) { events_.resize(count), handed_.reserve(count); }
  /// Makes what `device` needs to signal an event; nothing when it has no events. Errors:
  /// OUT_OF_MEMORY.
  Outcome add(uint32_t event, const Device& device);

  /// Before an operation on `device` (null: the host): what it gets. Events of the same half go
  /// with it, others are waited for here. Errors: KERNEL, when what is waited for failed; the same
  /// from then on until waitForAll.
  Outcome begin(const std::vector<uint32_t>& waits, uint32_t signal, const Device* device,
                Sync& sync);
  /// After it, when it succeeded. `region` outlives the events: whose work it is, named when it
  /// fails; null for a copy, which fails with the region that it waits for.
  void end(uint32_t signal, const Device* device, const std::string* region);

  /// Whether something that was waited for failed: what came behind it is not run.
  bool hasFailed() const { return !failure_.ok(); }
  /// Waits for everything that is not known to be reached; KERNEL when some of it failed, or had
  /// failed.
  Outcome waitForAll();
  /// Waits for all that the device got, whatever became of it.
  void drain(const Device& device);

  /// When a device did the work that an event stands for.
  struct Work {
    uint32_t event = 0;
    const Device* device = nullptr;
    uint64_t beginNs = 0, endNs = 0;
  };
  /// Of the events that were signalled since forgetWork and are reached, where the device knows.
  std::vector<Work> work() const;
  void forgetWork();

 private:
  struct Handle {
    const Device* device = nullptr;
    void* event = nullptr;
    const std::string* region = nullptr;
    const std::string* waitedFor = nullptr;  ///< Of a copy: the region in front of it.
  };
  struct Event {
    std::vector<Handle> handles;  ///< By device that may signal it.
    Handle pending;               ///< Null: reached.
    Handle last;                  ///< Null: not signalled since forgetWork.
  };
  Outcome create(const Device& device, void*& event) const;
  Outcome wait(Event& event) const;
  static void* find(const std::vector<Handle>& handles, const Device* device);

  Services services_;
  std::vector<Event> events_;
  std::vector<Handle> drains_;              ///< One for each device that signals events.
  std::vector<void*> handed_;               ///< Of the running operation.
  const std::string* waitedFor_ = nullptr;  ///< Of it, too: the first region.
  Outcome failure_;                         ///< The first that was waited for.
};

}  // namespace tessera::runtime
