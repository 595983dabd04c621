#include "runtime/backend/events.h"

#include <utility>

namespace tessera::runtime {

Events::~Events() {
  const auto destroy = [](const Handle& handle) {
    handle.device->table().event_destroy(handle.device->handle(), handle.event);
  };
  for (const Event& event : events_) {
    for (const Handle& handle : event.handles) destroy(handle);
  }
  for (const Handle& handle : drains_) destroy(handle);
}

void* Events::find(const std::vector<Handle>& handles, const Device* device) {
  for (const Handle& handle : handles) {
    if (handle.device == device) return handle.event;
  }
  return nullptr;
}

Outcome Events::create(const Device& device, void*& event) const {
  services_.message.clear();
  if (device.table().event_create(device.handle(), services_.table, &event) == 0) return {};
  return failure(TESSERA_ERROR_OUT_OF_MEMORY,
                 services_.messageOr("target '" + device.target() + "' has no event left"));
}

Outcome Events::add(uint32_t event, const Device& device) {
  if (!device.hasEvents()) return {};
  if (find(drains_, &device) == nullptr) {
    Handle handle{.device = &device};
    TESSERA_RUNTIME_TRY(create(device, handle.event));
    drains_.push_back(handle);
  }
  if (find(events_[event].handles, &device) != nullptr) return {};
  Handle handle{.device = &device};
  TESSERA_RUNTIME_TRY(create(device, handle.event));
  events_[event].handles.push_back(handle);
  return {};
}

Outcome Events::begin(const std::vector<uint32_t>& waits, uint32_t signal, const Device* device,
                      Sync& sync) {
  if (hasFailed()) return failure_;
  handed_.clear();
  waitedFor_ = nullptr;
  for (const uint32_t number : waits) {
    Event& event = events_[number];
    const Handle pending = event.pending;
    if (pending.device == nullptr) continue;
    if (device == nullptr || !pending.device->isOfSameHalf(*device)) {
      failure_ = wait(event);
      if (hasFailed()) return failure_;
    } else if (pending.device->table().event_query(pending.device->handle(), pending.event) == 1) {
      event.pending = {};
    } else {
      handed_.push_back(pending.event);
      const std::string* region = pending.region != nullptr ? pending.region : pending.waitedFor;
      if (waitedFor_ == nullptr) waitedFor_ = region;
    }
  }
  sync.waits = handed_;
  sync.signal = signal == artifact::kNoEvent ? nullptr : find(events_[signal].handles, device);
  return {};
}

void Events::end(uint32_t signal, const Device* device, const std::string* region) {
  if (signal == artifact::kNoEvent) return;
  void* handle = find(events_[signal].handles, device);
  events_[signal].pending = {.device = handle != nullptr ? device : nullptr,
                             .event = handle,
                             .region = region,
                             .waitedFor = region != nullptr ? nullptr : waitedFor_};
  events_[signal].last = events_[signal].pending;
}

Outcome Events::wait(Event& event) const {
  const Handle pending = event.pending;
  event.pending = {};
  services_.message.clear();
  const Device& device = *pending.device;
  if (device.table().event_wait(device.handle(), services_.table, pending.event) == 0) return {};
  std::string of;
  if (pending.region != nullptr) of = "region '" + *pending.region + "': ";
  if (pending.waitedFor != nullptr)
    of = "region '" + *pending.waitedFor + "', or a copy behind it: ";
  return failure(TESSERA_ERROR_KERNEL,
                 of + services_.messageOr("work of target '" + device.target() + "' failed"));
}

Outcome Events::waitForAll() {
  Outcome first = std::exchange(failure_, {});
  for (Event& event : events_) {
    if (event.pending.device == nullptr) continue;
    Outcome outcome = wait(event);
    if (first.ok()) first = std::move(outcome);
  }
  return first;
}

std::vector<Events::Work> Events::work() const {
  std::vector<Work> result;
  for (size_t i = 0; i < events_.size(); ++i) {
    const Handle last = events_[i].last;
    if (last.device == nullptr || last.device->table().event_times == nullptr) continue;
    Work work{.event = static_cast<uint32_t>(i), .device = last.device};
    const auto& table = last.device->table();
    if (table.event_times(last.device->handle(), last.event, &work.beginNs, &work.endNs) == 0)
      result.push_back(work);
  }
  return result;
}

void Events::forgetWork() {
  for (Event& event : events_) event.last = {};
}

void Events::drain(const Device& device) {
  void* event = find(drains_, &device);
  if (event == nullptr) return;
  const auto& table = device.table();
  if (table.event_record(device.handle(), services_.table, event) == 0)
    (void)table.event_wait(device.handle(), services_.table, event);
}

}  // namespace tessera::runtime
