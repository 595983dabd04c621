// The events of one context: which device makes each reached, and who waits for which.
#pragma once

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
  /// with it, others are waited for here. Errors: KERNEL, when what is waited for failed.
  Outcome begin(const std::vector<uint32_t>& waits, uint32_t signal, const Device* device,
                Sync& sync);
  /// After it, when it succeeded.
  void end(uint32_t signal, const Device* device);

  /// Waits for everything that is not known to be reached; KERNEL when some of it failed.
  Outcome waitForAll();
  /// Waits for all that the device got, whatever became of it.
  void drain(const Device& device);

 private:
  struct Handle {
    const Device* device = nullptr;
    void* event = nullptr;
  };
  struct Event {
    std::vector<Handle> handles;  ///< By device that may signal it.
    Handle pending;               ///< Null: reached.
  };
  Outcome create(const Device& device, void*& event) const;
  Outcome wait(Event& event) const;
  static void* find(const std::vector<Handle>& handles, const Device* device);

  Services services_;
  std::vector<Event> events_;
  std::vector<Handle> drains_;  ///< One for each device that signals events.
  std::vector<void*> handed_;   ///< Of the running operation.
};

}  // namespace tessera::runtime
