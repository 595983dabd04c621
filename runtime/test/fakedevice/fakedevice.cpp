#include "runtime/test/fakedevice/fakedevice.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/test/fakedevice/device_memory.h"
#include "runtime/test/fakedevice/work_queue.h"

namespace tessera::fakedevice {
namespace {

constexpr uint32_t kNumDevices = 2;
constexpr int32_t kDlpackExtension = 12;  // kDLExtDev

/// The device itself, whoever opened it.
struct Hardware {
  DeviceMemory memory;
  WorkQueue queue;
};

std::array<Hardware, kNumDevices>& hardware() {
  static std::array<Hardware, kNumDevices> devices;
  return devices;
}

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int open = 0;

  bool pass() {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, std::chrono::seconds(5), [&] { return open > 0; })) return false;
    --open;
    return true;
  }
};

Gate& gate() {
  static Gate one;
  return one;
}

/// A handle of a device, made for one target.
struct Device {
  uint32_t number;
  float bias;

  Hardware& hardware() const { return fakedevice::hardware()[number]; }
};

struct Symbol {
  const Device* device;
  std::string name;
  std::vector<bool> isOnDevice;  ///< By input, then by output.
};

struct Instance {
  const Device* device;
  std::vector<std::unique_ptr<Symbol>> symbols;
};

struct State {
  int32_t numThreads;
};

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

const Device& deviceOf(void* device) { return *static_cast<const Device*>(device); }

std::string spaceName(uint32_t number) { return "fakedevice:" + std::to_string(number); }

/// Has the device do `work` when the events are reached, and signals the end; without an event to
/// signal, waits for it. `work` says whether it succeeded.
int32_t submit(const Device& device, const tessera_host_services* services,
               std::vector<Event*> waits, void* signal, std::function<bool()> work) {
  log().waitEventsGiven += static_cast<int>(waits.size());
  // The thread of the device may still be inside of it when the wait is over.
  const auto done = std::make_shared<Event>();
  Event* end = signal != nullptr ? static_cast<Event*>(signal) : done.get();
  end->begin();
  device.hardware().queue.add([waits = std::move(waits), end, done, work = std::move(work)] {
    bool isRight = true;
    for (Event* event : waits) isRight &= event->wait();
    end->setStart(Event::Clock::now());
    end->finish(isRight && work());
  });
  if (signal != nullptr) return 0;
  return done->wait() ? 0 : fail(services, "work of the test device failed");
}

std::vector<Event*> eventsOf(void* const* events, uint32_t count) {
  std::vector<Event*> list;
  list.reserve(count);
  for (uint32_t i = 0; i < count; ++i) list.push_back(static_cast<Event*>(events[i]));
  return list;
}

int32_t deviceCreate(const tessera_host_services* services, const tessera_target* target,
                     void** device) {
  if (target->device_number >= kNumDevices)
    return fail(services, std::string("there is no device '") + target->text + "', only 0 and 1");
  const char* bias = std::strstr(target->text, "-bias=");
  ++log().devicesCreated;
  *device = new Device{.number = target->device_number,
                       .bias = bias != nullptr ? std::strtof(bias + 6, nullptr) : 0};
  return 0;
}

void deviceDestroy(void* device) {
  ++log().devicesDestroyed;
  delete static_cast<Device*>(device);
}

int32_t create(void* device, const tessera_host_services*, const void*, size_t, void** instance) {
  ++log().instancesCreated;
  *instance = new Instance{.device = &deviceOf(device), .symbols = {}};
  return 0;
}

void destroy(void* instance) { delete static_cast<Instance*>(instance); }

int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  auto& self = *static_cast<Instance*>(instance);
  if (std::string_view(name) == "fail_load") return fail(services, "there is no such symbol");
  auto made =
      std::make_unique<Symbol>(Symbol{.device = self.device, .name = name, .isOnDevice = {}});
  const auto add = [&](const tessera_argument_type& type) {
    made->isOnDevice.push_back(std::string_view(type.memory_space) != TESSERA_HOST_SPACE);
  };
  for (uint32_t i = 0; i < signature->num_inputs; ++i) add(*signature->inputs[i]);
  for (uint32_t i = 0; i < signature->num_outputs; ++i) add(*signature->outputs[i]);
  *symbol = made.get();
  self.symbols.push_back(std::move(made));
  return 0;
}

int32_t prepareConstants(void*, const tessera_host_services*, void*,
                         const tessera_dltensor* const* inputs, uint32_t count, uint8_t*) {
  for (uint32_t i = 0; i < count; ++i) log().constantsPrepared += inputs[i] != nullptr ? 1 : 0;
  return 0;
}

int32_t prepare(void*, const tessera_host_services* services, void* symbol, void** state,
                uint64_t* workspaceBytes) {
  if (static_cast<Symbol*>(symbol)->name == "fail_prepare")
    return fail(services, "it cannot be prepared");
  const int32_t numThreads = services->num_threads(services->host);
  log().preparedForThreads.push_back(numThreads);
  *workspaceBytes = 4096 * static_cast<uint64_t>(numThreads);
  *state = new State{.numThreads = numThreads};
  return 0;
}

void release(void*, void*, void* state) {
  ++log().statesReleased;
  delete static_cast<State*>(state);
}

int32_t run(void*, const tessera_call* call) {
  const Symbol& symbol = *static_cast<const Symbol*>(call->symbol);
  const Device& device = *symbol.device;
  if (symbol.name == "fail_run") return fail(call->services, "it failed at once");
  std::vector<const float*> inputs;
  inputs.reserve(call->num_inputs);
  for (uint32_t i = 0; i < call->num_inputs; ++i)
    inputs.push_back(static_cast<const float*>(call->inputs[i]->data));
  auto* output = static_cast<float*>(call->outputs[0]->data);
  int64_t count = 1;
  for (int32_t i = 0; i < call->outputs[0]->ndim; ++i) count *= call->outputs[0]->shape[i];
  const int32_t numThreads = static_cast<const State*>(call->state)->numThreads;
  return submit(device, call->services, eventsOf(call->wait_events, call->num_wait_events),
                call->signal_event, [=, &symbol, &device] {
                  if (symbol.name == "fail_later") return false;
                  if (symbol.name == "gated_add" && !gate().pass()) return false;
                  const DeviceMemory::Access access(device.hardware().memory);
                  for (int64_t i = 0; i < count; ++i) {
                    float sum = device.bias;
                    for (const float* input : inputs) sum += input[i];
                    output[i] = symbol.name == "threads" ? static_cast<float>(numThreads) : sum;
                  }
                  return true;
                });
}

int32_t findSpace(void* device, const char* name, tessera_space* space) {
  const uint32_t number = deviceOf(device).number;
  if (spaceName(number) != name) return 1;
  space->number = 7;  // Any number of its own.
  space->device = {.device_type = kDlpackExtension, .device_id = static_cast<int32_t>(number)};
  return 0;
}

int32_t spaceAlloc(void* device, const tessera_host_services* services, uint32_t space,
                   size_t bytes, void** data) {
  if (space != 7) return fail(services, "there is no such space");
  *data = deviceOf(device).hardware().memory.allocate(bytes);
  return *data != nullptr ? 0 : 1;
}

void spaceFree(void* device, uint32_t, void* data) {
  deviceOf(device).hardware().memory.free(data);
}

int32_t copy(void* device, const tessera_copy* copy) {
  log().copiedWithThreads.push_back(copy->services->num_threads(copy->services->host));
  const Device& self = deviceOf(device);
  const void* source = copy->source;
  void* destination = copy->destination;
  const size_t bytes = copy->size_bytes;
  const Device* peer = copy->source_device != nullptr ? &deviceOf(copy->source_device) : nullptr;
  return submit(self, copy->services, eventsOf(copy->wait_events, copy->num_wait_events),
                copy->signal_event, [=, &self] {
                  // One device never holds the memory of the other while it waits for its own.
                  const bool isOther = peer != nullptr && peer->number != self.number;
                  const bool isFirst = !isOther || self.number < peer->number;
                  std::optional<DeviceMemory::Access> first, second;
                  first.emplace((isFirst ? self : *peer).hardware().memory);
                  if (isOther) second.emplace((isFirst ? *peer : self).hardware().memory);
                  std::memmove(destination, source, bytes);
                  return true;
                });
}

int32_t copyIn(void* device, const tessera_copy* raw) {
  ++log().copiesIn;
  return copy(device, raw);
}

int32_t copyOut(void* device, const tessera_copy* raw) {
  ++log().copiesOut;
  return copy(device, raw);
}

int32_t copyPeer(void* device, const tessera_copy* raw) {
  ++log().peerCopies;
  return copy(device, raw);
}

int32_t eventCreate(void*, const tessera_host_services*, void** event) {
  *event = new Event();
  ++log().eventsCreated;
  return 0;
}

void eventDestroy(void*, void* event) { delete static_cast<Event*>(event); }

int32_t eventRecord(void* device, const tessera_host_services* services, void* event) {
  return submit(deviceOf(device), services, {}, event, [] { return true; });
}

int32_t eventWait(void*, const tessera_host_services* services, void* event) {
  return static_cast<Event*>(event)->wait() ? 0 : fail(services, "it failed later");
}

int32_t eventQuery(void*, void* event) { return static_cast<Event*>(event)->isReached() ? 1 : 0; }

uint64_t nanoseconds(Event::Clock::time_point time) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

int32_t eventTimes(void*, void* event, uint64_t* beginNs, uint64_t* endNs) {
  const auto [begin, end] = static_cast<Event*>(event)->times();
  *beginNs = nanoseconds(begin);
  *endNs = nanoseconds(end);
  return 0;
}

}  // namespace

Log& log() {
  static Log one;
  return one;
}

void reset() { log() = {}; }

void openGate() {
  const std::lock_guard lock(gate().mutex);
  ++gate().open;
  gate().changed.notify_all();
}

void* allocate(uint32_t number, size_t bytes) { return hardware()[number].memory.allocate(bytes); }

void free(uint32_t number, void* data) { hardware()[number].memory.free(data); }

void write(uint32_t number, void* destination, const void* source, size_t bytes) {
  const DeviceMemory::Access access(hardware()[number].memory);
  std::memcpy(destination, source, bytes);
}

void read(uint32_t number, void* destination, const void* source, size_t bytes) {
  write(number, destination, source, bytes);
}

size_t numAllocations(uint32_t number) { return hardware()[number].memory.numAllocations(); }

const tessera_backend_runtime* half() {
  static const tessera_backend_runtime table = [] {
    tessera_backend_runtime made = {};
    made.size = sizeof(made);
    made.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
    made.name = "fakedevice";
    made.version = "1.2";
    made.create = create;
    made.destroy = destroy;
    made.find_symbol = findSymbol;
    made.run = run;
    made.device_create = deviceCreate;
    made.device_destroy = deviceDestroy;
    made.prepare_constants = prepareConstants;
    made.prepare = prepare;
    made.release = release;
    made.find_space = findSpace;
    made.space_alloc = spaceAlloc;
    made.space_free = spaceFree;
    made.copy_in = copyIn;
    made.copy_out = copyOut;
    made.copy_peer = copyPeer;
    made.event_create = eventCreate;
    made.event_destroy = eventDestroy;
    made.event_record = eventRecord;
    made.event_wait = eventWait;
    made.event_query = eventQuery;
    made.event_times = eventTimes;
    return made;
  }();
  return &table;
}

}  // namespace tessera::fakedevice

extern "C" const tessera_backend_runtime* tessera_backend_entry(void) {
  return tessera::fakedevice::half();
}
