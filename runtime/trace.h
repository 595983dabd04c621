// What the runs of a context did, and when.
#pragma once

#include <span>
#include <vector>

#include "artifact/bundle.h"
#include "runtime/backend/events.h"
#include "tessera/runtime.h"

namespace tessera::runtime {

/// Nanoseconds of the clock that tessera_trace_event uses.
uint64_t nowNs();

/// Calls and copies in the order in which the runs made them; what devices did on their own follows
/// each run.
class Trace {
 public:
  /// The bundle outlives this, and so do the devices of events, whose targets' texts are kept.
  explicit Trace(const artifact::Bundle& bundle) : bundle_(bundle) {}

  bool isOn() const { return isOn_; }
  /// Switching on forgets what was recorded.
  void set(bool isOn);
  /// The calling thread was busy with an instruction from `beginNs` on.
  void addInstruction(size_t position, uint64_t bytes, uint64_t beginNs);
  /// What devices did for the instructions of this run that signalled events, all of them reached.
  void addWork(const Events& events);

  std::span<const tessera_trace_event> events() const { return events_; }

 private:
  void add(const tessera_trace_event& event);
  tessera_trace_event describe(size_t position) const;

  const artifact::Bundle& bundle_;
  std::vector<tessera_trace_event> events_;
  bool isOn_ = false;
};

}  // namespace tessera::runtime
