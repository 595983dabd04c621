#include "runtime/trace.h"

#include <algorithm>
#include <chrono>

namespace tessera::runtime {

uint64_t nowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

void Trace::set(bool isOn) {
  isOn_ = isOn;
  if (isOn) events_.clear();
}

void Trace::add(const tessera_trace_event& event) {
  if (events_.size() < TESSERA_MAX_TRACE_EVENTS) events_.push_back(event);
}

tessera_trace_event Trace::describe(size_t position) const {
  tessera_trace_event event = {};
  event.instruction = static_cast<uint32_t>(position);
  const auto* call = std::get_if<artifact::CallInstruction>(&bundle_.program[position]);
  event.kind = call != nullptr ? TESSERA_TRACE_CALL : TESSERA_TRACE_COPY;
  if (call != nullptr) event.region = call->region;
  return event;
}

void Trace::addInstruction(size_t position, uint64_t bytes, uint64_t beginNs) {
  tessera_trace_event event = describe(position);
  event.bytes = bytes;
  event.begin_ns = beginNs;
  event.end_ns = nowNs();
  add(event);
}

/// Event that the instruction signals; kNoEvent without.
static uint32_t signalOf(const artifact::Instruction& instruction) {
  if (const auto* call = std::get_if<artifact::CallInstruction>(&instruction)) return call->signal;
  const auto* copy = std::get_if<artifact::CopyInstruction>(&instruction);
  return copy != nullptr ? copy->signal : artifact::kNoEvent;
}

void Trace::addWork(const Events& events) {
  std::vector<Events::Work> done = events.work();
  std::ranges::sort(done, {}, &Events::Work::beginNs);
  for (const Events::Work& work : done) {
    const auto signaller = std::ranges::find(bundle_.program, work.event, signalOf);
    if (signaller == bundle_.program.end()) continue;
    tessera_trace_event event = describe(static_cast<size_t>(signaller - bundle_.program.begin()));
    event.device = work.device->target().c_str();
    event.begin_ns = work.beginNs;
    event.end_ns = work.endNs;
    add(event);
  }
}

}  // namespace tessera::runtime
