// The runtime half: two devices, each with memory that the host cannot read and a thread that does
// its work in order.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "backends/testdevice/format/device.h"
#include "backends/testdevice/runtime/device_memory.h"
#include "backends/testdevice/runtime/program.h"
#include "backends/testdevice/runtime/testdevice.h"
#include "backends/testdevice/runtime/work_queue.h"
#include "region_graph/signature.h"

namespace tessera::backend_testdevice {
namespace {

/// The one memory space that a device has, by its own number.
constexpr uint32_t kOwnSpace = 0;

/// The device itself, whoever opened it.
struct Hardware {
  DeviceMemory memory;
  WorkQueue queue;
};

std::array<Hardware, kNumDevices>& allHardware() {
  static std::array<Hardware, kNumDevices> devices;
  return devices;
}

/// A handle of a device, made for one target.
struct Device {
  uint32_t number = 0;
  std::string name;  ///< "testdevice:1"
  Fault fault;
  double copyGbps = 0;
  int64_t launchUs = 0;
  double gflops = 0;
  bool isInHostMemory = false;
  std::atomic<uint64_t> numRuns = 0;

  Hardware& hardware() const { return allHardware()[number]; }
  bool fails(Fault::Place place) const { return fault.place == place; }
  /// From some run on.
  bool failsByNow(Fault::Place place) const { return fails(place) && numRuns >= fault.run; }
};

struct Symbol {
  std::string name;
  Program program;
};

struct Instance {
  Device* device = nullptr;
  std::unique_ptr<region_graph::ProgramT> graphs;
  std::vector<std::unique_ptr<Symbol>> symbols;
};

/// What a context keeps for one call.
struct State {
  std::vector<std::vector<float>> values;  ///< Inside of the region.
  /// Of the last run, where the device computes faster than it can (-gflops).
  std::vector<std::vector<float>> inputs = {}, outputs = {};
};

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

Device& deviceOf(void* device) { return *static_cast<Device*>(device); }

/// The text of attribute `name` in a target; none of ours is written in quotes.
std::string_view attributeOf(std::string_view target, std::string_view name) {
  const std::string key = " -" + std::string(name) + "=";
  const size_t at = target.find(key);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = target.substr(at + key.size());
  return rest.substr(0, rest.find(' '));
}

template <typename Number>
Number numberOf(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Has the device do `work` when the events are reached, and signals the end; without an event to
/// signal, waits for it. `work` says why it failed, nothing when it did not. What it waits for in
/// vain fails it with the same words.
int32_t submit(const Device& device, const tessera_host_services* services, void* const* waits,
               uint32_t numWaits, void* signal, std::function<std::string()> work) {
  std::vector<Event*> before;
  before.reserve(numWaits);
  for (uint32_t i = 0; i < numWaits; ++i) before.push_back(static_cast<Event*>(waits[i]));
  // The thread of the device may still be inside of it when the wait is over.
  const auto done = std::make_shared<Event>();
  Event* end = signal != nullptr ? static_cast<Event*>(signal) : done.get();
  end->begin();
  device.hardware().queue.add([before = std::move(before), end, done, work = std::move(work)] {
    std::string failure;
    for (Event* event : before) {
      std::string one = event->wait();
      if (failure.empty()) failure = std::move(one);
    }
    end->start();
    if (failure.empty()) failure = work();
    end->finish(std::move(failure));
  });
  if (signal != nullptr) return 0;
  const std::string failure = done->wait();
  return failure.empty() ? 0 : fail(services, failure);
}

int32_t deviceCreate(const tessera_host_services* services, const tessera_target* target,
                     void** device) {
  const std::string_view text = target->text;
  if (target->device_number >= kNumDevices)
    return fail(services, "there is no device '" + std::string(text) + "', only 0 and 1");
  const std::string_view fault = attributeOf(text, "fail");
  auto made = std::make_unique<Device>();
  made->number = target->device_number;
  made->name = spaceOfDevice(made->number);
  made->fault = parseFault(fault).value_or(Fault());
  made->copyGbps = numberOf<double>(attributeOf(text, "copy_gbps"));
  made->gflops = numberOf<double>(attributeOf(text, "gflops"));
  made->launchUs = numberOf<int64_t>(attributeOf(text, "launch_us"));
  made->isInHostMemory = attributeOf(text, "memory") == kHostMemory;
  *device = made.release();
  return 0;
}
void deviceDestroy(void* device) { delete static_cast<Device*>(device); }

int32_t create(void* device, const tessera_host_services* services, const void* blob, size_t size,
               void** instance) {
  Device& self = deviceOf(device);
  if (self.fails(Fault::Place::kCrashInLoad)) std::abort();
  if (self.fails(Fault::Place::kLoad))
    return fail(services, self.name + " loads nothing (-fail=load)");
  auto graphs = region_graph::readProgram({static_cast<const std::byte*>(blob), size});
  if (!graphs) return fail(services, graphs.error().message);
  *instance = new Instance{.device = &self, .graphs = std::move(*graphs), .symbols = {}};
  return 0;
}
void destroy(void* instance) { delete static_cast<Instance*>(instance); }

/// Why an argument is not in the memory of the device; empty when all are.
std::string whyElsewhere(const Device& device, const tessera_argument_type* const* types,
                         uint32_t count) {
  const std::string_view own = device.isInHostMemory ? "host" : std::string_view(device.name);
  for (uint32_t i = 0; i < count; ++i) {
    if (types[i]->memory_space != own)
      return device.name + " has no access to memory space '" + types[i]->memory_space + "'";
  }
  return "";
}

int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  auto& self = *static_cast<Instance*>(instance);
  const region_graph::GraphT* graph = region_graph::findGraph(*self.graphs, name);
  if (graph == nullptr) return fail(services, "there is no region '" + std::string(name) + "'");
  std::string why = region_graph::whyUnfit(*graph, *signature);
  if (why.empty()) why = whyElsewhere(*self.device, signature->inputs, signature->num_inputs);
  if (why.empty()) why = whyElsewhere(*self.device, signature->outputs, signature->num_outputs);
  if (!why.empty()) return fail(services, why);
  auto program = Program::of(*graph);
  if (!program) return fail(services, program.error().message);
  auto made = std::make_unique<Symbol>(Symbol{.name = name, .program = std::move(*program)});
  *symbol = self.symbols.emplace_back(std::move(made)).get();
  return 0;
}

int32_t prepare(void*, const tessera_host_services*, void* symbol, void** state, uint64_t*) {
  *state = new State{.values = static_cast<const Symbol*>(symbol)->program.makeValues()};
  return 0;
}
void release(void*, void*, void* state) { delete static_cast<State*>(state); }

/// Where the device keeps the tensors; a null where one is not in its memory.
std::vector<float*> storageOf(const Device& device, const std::vector<const void*>& addresses,
                              const std::vector<int64_t>& counts) {
  std::vector<float*> storage;
  storage.reserve(addresses.size());
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (device.isInHostMemory)
      storage.push_back(static_cast<float*>(const_cast<void*>(addresses[i])));
    else
      storage.push_back(reinterpret_cast<float*>(device.hardware().memory.storageOf(
          addresses[i], static_cast<size_t>(counts[i]) * sizeof(float))));
  }
  return storage;
}

/// What it computed from the same inputs last time is not computed again by a device that is to be
/// faster than its loops; then it takes the time that it would.
void compute(const Device& device, const Symbol& symbol, State& state,
             const std::vector<const float*>& in, const std::vector<float*>& out) {
  if (device.gflops <= 0) return symbol.program.run(in, out, state.values);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int64_t> inputs = symbol.program.inputCounts();
  const std::vector<int64_t> outputs = symbol.program.outputCounts();
  bool isSame = !state.inputs.empty() || !state.outputs.empty();
  for (size_t i = 0; i < in.size() && isSame; ++i)
    isSame = std::equal(in[i], in[i] + inputs[i], state.inputs[i].begin());
  if (!isSame) {
    symbol.program.run(in, out, state.values);
    state.inputs.clear();
    state.outputs.clear();
    for (size_t i = 0; i < in.size(); ++i) state.inputs.emplace_back(in[i], in[i] + inputs[i]);
    for (size_t i = 0; i < out.size(); ++i) state.outputs.emplace_back(out[i], out[i] + outputs[i]);
    return;
  }
  for (size_t i = 0; i < out.size(); ++i) std::ranges::copy(state.outputs[i], out[i]);
  const std::chrono::duration<double, std::nano> whole(static_cast<double>(symbol.program.flops()) /
                                                       device.gflops);
  while (std::chrono::steady_clock::now() - start < whole) std::this_thread::yield();
}

/// All that there is for the process; gives it back.
std::string exhaustMemory(const Device& device) {
  constexpr size_t kStep = size_t{256} << 20, kMostSteps = 4096;  // A TiB, where nothing limits it.
  std::vector<void*> taken;
  while (taken.size() < kMostSteps) {
    void* more = std::malloc(kStep);
    if (more == nullptr) break;
    taken.push_back(more);
  }
  for (void* each : taken) std::free(each);
  return device.name + " has no memory left (-fail=memory)";
}

/// In the thread of the device.
std::string runRegion(const Device& device, const Symbol& symbol, State& state,
                      const std::vector<const void*>& inputs,
                      const std::vector<const void*>& outputs) {
  if (device.launchUs > 0) std::this_thread::sleep_for(std::chrono::microseconds(device.launchUs));
  if (device.failsByNow(Fault::Place::kHang)) journal().hang();
  if (device.failsByNow(Fault::Place::kCrashInRun)) std::abort();
  if (device.fails(Fault::Place::kMemory)) return exhaustMemory(device);
  const std::vector<float*> in = storageOf(device, inputs, symbol.program.inputCounts());
  const std::vector<int64_t> counts = symbol.program.outputCounts();
  const std::vector<float*> out = storageOf(device, outputs, counts);
  for (const auto* list : {&in, &out}) {
    for (const float* data : *list) {
      if (data == nullptr) return "a tensor is not in the memory of " + device.name;
    }
  }
  compute(device, symbol, state, {in.begin(), in.end()}, out);
  for (size_t i = 0; i < out.size() && device.failsByNow(Fault::Place::kWrong); ++i) {
    if (counts[i] > 0) out[i][0] += 1;
  }
  return "";
}

/// The first half of each result is something else, and the run fails.
std::string spoilHalf(const Device& device, const Symbol& symbol,
                      const std::vector<const void*>& outputs) {
  const std::vector<int64_t> counts = symbol.program.outputCounts();
  const std::vector<float*> out = storageOf(device, outputs, counts);
  for (size_t i = 0; i < out.size(); ++i) std::fill_n(out[i], counts[i] / 2, -1e30F);
  return device.name + " stops in the midst of run " + std::to_string(device.fault.run) +
         " (-fail=half:" + std::to_string(device.fault.run) + ")";
}

std::vector<const void*> addressesOf(const tessera_dltensor* const* tensors, uint32_t count) {
  std::vector<const void*> addresses;
  addresses.reserve(count);
  for (uint32_t i = 0; i < count; ++i) addresses.push_back(tensors[i]->data);
  return addresses;
}

int32_t run(void* instance, const tessera_call* call) {
  Device& device = *static_cast<Instance*>(instance)->device;
  const bool isFaulty = ++device.numRuns == device.fault.run;
  if (isFaulty && device.fails(Fault::Place::kRun))
    return fail(call->services, device.name + " fails run " + std::to_string(device.fault.run) +
                                    " (-fail=run:" + std::to_string(device.fault.run) + ")");
  const auto& symbol = *static_cast<const Symbol*>(call->symbol);
  return submit(device, call->services, call->wait_events, call->num_wait_events,
                call->signal_event,
                [&device, &symbol, isFaulty, state = static_cast<State*>(call->state),
                 inputs = addressesOf(call->inputs, call->num_inputs),
                 outputs = addressesOf(call->outputs, call->num_outputs)] {
                  Mark mark{.work = Work::kRegion, .device = device.number, .region = symbol.name};
                  journal().add(mark);
                  std::string failure = device.name + " was held up for too long";
                  if (journal().pass(mark))
                    failure = runRegion(device, symbol, *state, inputs, outputs);
                  if (isFaulty && device.fails(Fault::Place::kHalf) && failure.empty())
                    failure = spoilHalf(device, symbol, outputs);
                  mark.isEnd = true;
                  journal().add(mark);
                  return failure;
                });
}

int32_t findSpace(void* device, const char* name, tessera_space* space) {
  const Device& self = deviceOf(device);
  if (self.name != name) return 1;
  space->number = kOwnSpace;
  space->device = {.device_type = kDlpackDevice, .device_id = static_cast<int32_t>(self.number)};
  return 0;
}

int32_t spaceAlloc(void* device, const tessera_host_services* services, uint32_t, size_t bytes,
                   void** data) {
  const Device& self = deviceOf(device);
  *data = self.hardware().memory.allocate(bytes);
  return *data != nullptr ? 0 : fail(services, self.name + " has no memory left");
}

void spaceFree(void* device, uint32_t, void* data) {
  deviceOf(device).hardware().memory.free(data);
}

/// In the thread of `device`; a null `holder` is the host.
std::byte* bytesOf(const Device* holder, const void* address, size_t bytes) {
  if (holder != nullptr) return holder->hardware().memory.storageOf(address, bytes);
  return static_cast<std::byte*>(const_cast<void*>(address));
}

int32_t copy(const Device& device, const tessera_copy& raw, Work work) {
  const Device* from = work == Work::kPeerCopy  ? &deviceOf(raw.source_device)
                       : work == Work::kCopyOut ? &device
                                                : nullptr;
  const Device* to = work == Work::kCopyOut ? nullptr : &device;
  return submit(
      device, raw.services, raw.wait_events, raw.num_wait_events, raw.signal_event,
      [&device, from, to, work, source = raw.source, destination = raw.destination,
       bytes = raw.size_bytes]() -> std::string {
        Mark mark{.work = work, .device = device.number, .sizeBytes = bytes};
        journal().add(mark);
        if (device.copyGbps > 0)
          std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(
              static_cast<double>(bytes) / device.copyGbps));
        std::byte* target = bytesOf(to, destination, bytes);
        const std::byte* origin = bytesOf(from, source, bytes);
        const bool isThere = target != nullptr && origin != nullptr && journal().pass(mark);
        if (isThere) std::memmove(target, origin, bytes);
        const bool isWrong = work == Work::kPeerCopy && device.fails(Fault::Place::kWrongPeer);
        if (isThere && isWrong && bytes > 0) target[bytes - 1] ^= std::byte{0xff};
        mark.isEnd = true;
        journal().add(mark);
        return isThere ? "" : "a copy leaves the memory of " + device.name + ", or waits in vain";
      });
}

int32_t copyIn(void* device, const tessera_copy* raw) {
  return copy(deviceOf(device), *raw, Work::kCopyIn);
}
int32_t copyOut(void* device, const tessera_copy* raw) {
  return copy(deviceOf(device), *raw, Work::kCopyOut);
}
int32_t copyPeer(void* device, const tessera_copy* raw) {
  return copy(deviceOf(device), *raw, Work::kPeerCopy);
}

int32_t eventCreate(void*, const tessera_host_services*, void** event) {
  *event = new Event();
  return 0;
}
void eventDestroy(void*, void* event) { delete static_cast<Event*>(event); }

int32_t eventRecord(void* device, const tessera_host_services* services, void* event) {
  return submit(deviceOf(device), services, nullptr, 0, event, [] { return std::string(); });
}

int32_t eventWait(void*, const tessera_host_services* services, void* event) {
  const std::string failure = static_cast<Event*>(event)->wait();
  return failure.empty() ? 0 : fail(services, failure);
}

int32_t eventTimes(void*, void* event, uint64_t* beginNs, uint64_t* endNs) {
  const auto nanoseconds = [](Event::Clock::time_point time) {
    return static_cast<uint64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count());
  };
  const auto [begin, end] = static_cast<Event*>(event)->times();
  *beginNs = nanoseconds(begin);
  *endNs = nanoseconds(end);
  return 0;
}

int32_t eventQuery(void*, void* event) { return static_cast<Event*>(event)->isReached() ? 1 : 0; }

tessera_backend_runtime makeHalf() {
  tessera_backend_runtime made = {};
  made.size = sizeof(made);
  made.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  made.name = "testdevice";
  made.version = kVersion;
  made.create = create;
  made.destroy = destroy;
  made.find_symbol = findSymbol;
  made.run = run;
  made.device_create = deviceCreate;
  made.device_destroy = deviceDestroy;
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
}

}  // namespace

const tessera_backend_runtime* half() {
  static const tessera_backend_runtime table = makeHalf();
  return &table;
}

void* allocate(uint32_t number, size_t bytes) {
  return allHardware()[number].memory.allocate(bytes);
}

void free(uint32_t number, void* address) { allHardware()[number].memory.free(address); }

void write(uint32_t number, void* destination, const void* source, size_t bytes) {
  std::memcpy(allHardware()[number].memory.storageOf(destination, bytes), source, bytes);
}

void read(uint32_t number, void* destination, const void* source, size_t bytes) {
  std::memcpy(destination, allHardware()[number].memory.storageOf(source, bytes), bytes);
}

size_t numAllocations(uint32_t number) { return allHardware()[number].memory.numAllocations(); }

}  // namespace tessera::backend_testdevice

extern "C" const tessera_backend_runtime* tessera_backend_entry(void) {
  return tessera::backend_testdevice::half();
}
