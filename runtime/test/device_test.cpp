// Devices, memory spaces, copies and events, with two devices whose memory the host cannot read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "artifact/writer.h"
#include "runtime/test/device_fixture.h"

namespace tessera::runtime::test {
namespace {

/// Whether this process may read the address, found out without reading it here.
bool isReadable(const void* address) {
  int ends[2];
  if (pipe(ends) != 0) return true;
  const bool isRead = write(ends[1], address, 4) == 4;
  close(ends[0]);
  close(ends[1]);
  return isRead;
}

/// y = x + x + 3: up to device 0, doubled there, over to device 1, 3 added there, down again.
DeviceProgram roundTrip() {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  const uint32_t up = program.temporary(kDevice0);
  const uint32_t doubled = program.temporary(kDevice0);
  const uint32_t over = program.temporary(kDevice1);
  const uint32_t sum = program.temporary(kDevice1);
  const uint32_t y = program.output("y");
  program.copy(x, up);
  program.call({{"fakedevice", "add"}}, {up, up}, doubled);
  program.copy(doubled, over);
  program.call({{"fakedevice:1 -bias=3", "add"}}, {over}, sum);
  program.copy(sum, y);
  return program;
}

TEST_F(DeviceTest, TensorsGoThroughTwoDevices) {
  {
    const Executable executable = mustLoad(roundTrip().bundle);
    ASSERT_EQ(executable.info().num_memory_spaces, 3u);
    EXPECT_STREQ(executable.info().memory_spaces[2]->name, "fakedevice:1");
    EXPECT_EQ(executable.info().memory_spaces[2]->arena_bytes, 128u);
    Context context = mustCreate(executable);
    ASSERT_TRUE(set(context, "x"));
    for (int round = 0; round < 3; ++round) {
      const Status status = context.run();
      ASSERT_TRUE(status) << status.error().message;
      expectOutput(context, "y", 2, 3);
    }
    EXPECT_EQ(fakedevice::log().copiesIn, 3);
    EXPECT_EQ(fakedevice::log().copiesOut, 3);
    EXPECT_EQ(fakedevice::log().peerCopies, 3);
    EXPECT_GT(fakedevice::numAllocations(0), 0u);
  }
  EXPECT_EQ(fakedevice::log().devicesCreated, 2);
  EXPECT_EQ(fakedevice::log().devicesDestroyed, 2);
  EXPECT_EQ(fakedevice::numAllocations(0) + fakedevice::numAllocations(1), 0u);
}

TEST_F(DeviceTest, WhatIsOnlyCopiedIsOfTheTargetsThatTheSpaceNames) {
  DeviceProgram program;
  const uint32_t up = program.temporary(kDevice0);
  program.copy(program.input("x"), up);
  program.copy(up, program.output("y"));
  program.bundle.memorySpaces.resize(2);
  EXPECT_FALSE(load(program.bundle));
  program.bundle.memorySpaces[1].targets = {"quantum", "fakedevice:1", "fakedevice:0"};
  const Executable executable = mustLoad(program.bundle);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.run());
  expectOutput(context, "y", 1, 0);
  EXPECT_EQ(fakedevice::log().copiesIn, 1);
}

TEST_F(DeviceTest, CopiesGetTheThreadsOfTheContext) {
  // Not those that loading has.
  const auto numThreads = static_cast<int32_t>(std::thread::hardware_concurrency()) + 1;
  const Executable executable = mustLoad(roundTrip().bundle);
  Context context = mustCreate(executable, numThreads);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(fakedevice::log().copiedWithThreads, std::vector<int32_t>(3, numThreads));
}

/// Loads with these halves.
Executable loadWith(const artifact::Bundle& bundle,
                    std::span<const tessera_backend_runtime* const> halves) {
  auto bytes = artifact::writeMemory(bundle);
  EXPECT_TRUE(bytes) << bytes.error().message;
  auto executable = Executable::loadMemory(*bytes, {.backends = halves, .copyMemory = true});
  EXPECT_TRUE(executable) << executable.error().message;
  return std::move(*executable);
}

TEST_F(DeviceTest, KindsThatNameOneSpaceShareItsMemory) {
  tessera_backend_runtime twin = *fakedevice::half();
  twin.name = "twin";
  const std::array<const tessera_backend_runtime*, 2> both = {fakedevice::half(), &twin};
  DeviceProgram program;
  const uint32_t x = program.input("x");
  const uint32_t up = program.temporary(kDevice0), doubled = program.temporary(kDevice0);
  const uint32_t sum = program.temporary(kDevice0);
  program.copy(x, up);
  program.call({{"fakedevice", "add"}}, {up, up}, doubled);
  program.call({{"twin -bias=3", "add"}}, {doubled}, sum);
  program.copy(sum, program.output("y"));
  program.bundle.memorySpaces.resize(2);
  const Executable executable = loadWith(program.bundle, both);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.run());
  expectOutput(context, "y", 2, 3);
  EXPECT_EQ(fakedevice::log().devicesCreated, 2);
  EXPECT_EQ(fakedevice::log().copiesIn, 1);
  EXPECT_EQ(fakedevice::log().copiesOut, 1);
  EXPECT_EQ(fakedevice::log().peerCopies, 0);
}

TEST_F(DeviceTest, WithoutPeerCopiesTheHostCarries) {
  tessera_backend_runtime half = *fakedevice::half();
  half.copy_peer = nullptr;
  backends_ = {&half};
  const Executable executable = mustLoad(roundTrip().bundle);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.run());
  expectOutput(context, "y", 2, 3);
  EXPECT_EQ(fakedevice::log().peerCopies, 0);
  EXPECT_EQ(fakedevice::log().copiesIn, 2);
}

TEST_F(DeviceTest, OneDeviceForEachTarget) {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  std::vector<uint32_t> results;
  for (const char* target : {"fakedevice", "fakedevice", "fakedevice -bias=1", "fakedevice:1"}) {
    results.push_back(program.output("y" + std::to_string(results.size())));
    program.call({{target, "add"}}, {x}, results.back());
  }
  program.bundle.memorySpaces.resize(1);
  const Executable executable = mustLoad(program.bundle);
  EXPECT_EQ(fakedevice::log().devicesCreated, 3);
  EXPECT_EQ(fakedevice::log().instancesCreated, 3);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.run());
  expectOutput(context, "y1", 1, 0);
  expectOutput(context, "y2", 1, 1);
}

TEST_F(DeviceTest, ADeviceThatIsNotThereIsAnError) {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  program.call({{"fakedevice:5", "add"}}, {x}, program.output("y"));
  program.bundle.memorySpaces.resize(1);
  auto executable = load(program.bundle);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().message,
            "region 'region0': there is no device 'fakedevice:5', only 0 and 1");
}

TEST_F(DeviceTest, CallersTensorsOnADeviceBindWithoutACopy) {
  DeviceProgram program;
  const uint32_t x = program.input("x", kDevice1);
  program.call({{"fakedevice:1 -bias=2", "add"}}, {x}, program.output("y", kDevice1));
  program.bundle.memorySpaces.erase(program.bundle.memorySpaces.begin() + 1);
  for (artifact::Buffer& buffer : program.bundle.buffers) buffer.memorySpace = 1;
  const Executable executable = mustLoad(program.bundle);
  EXPECT_STREQ(executable.info().inputs[0]->memory_space, "fakedevice:1");
  Context context = mustCreate(executable);

  const Status refused = set(context, "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "input 'x' is on DLPack device type 1 number 0, expected type 12 number 1");

  void* in = fakedevice::allocate(1, 64);
  void* out = fakedevice::allocate(1, 64);
  EXPECT_FALSE(isReadable(in));
  fakedevice::write(1, in, x_.data(), 64);
  tessera_dltensor tensor = Context::plainTensor(ElementType::kF32, shape_, in);
  tensor.device = {.device_type = 12, .device_id = 1};
  ASSERT_TRUE(context.setInput("x", tensor));
  tensor.data = out;
  ASSERT_TRUE(context.setOutput(0, tensor));
  ASSERT_TRUE(context.run());
  auto y = context.output("y");
  ASSERT_TRUE(y);
  EXPECT_EQ(y->data, out);
  EXPECT_EQ(y->device.device_type, 12);
  EXPECT_EQ(y->device.device_id, 1);
  std::vector<float> values(16);
  fakedevice::read(1, values.data(), out, 64);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], x_[i] + 2);
  EXPECT_EQ(fakedevice::log().copiesIn + fakedevice::log().copiesOut, 0);

  ASSERT_EQ(tessera_context_set_output_at(context.handle(), 0, nullptr), TESSERA_OK);
  ASSERT_TRUE(context.run());
  EXPECT_FALSE(isReadable(context.output("y")->data));
  fakedevice::free(1, in);
  fakedevice::free(1, out);
}

TEST_F(DeviceTest, ConstantsOfADeviceAreCopiedThereOnce) {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  const uint32_t up = program.temporary(kDevice0);
  const uint32_t sum = program.temporary(kDevice0);
  const uint32_t constant = program.buffer(artifact::Storage::kConstant, kDevice0);
  std::vector<std::byte> bytes(64);
  std::memcpy(bytes.data(), x_.data(), 64);
  program.bundle.constants = {{.contentHash = "c", .data = artifact::Blob::owned(bytes)}};
  program.copy(x, up);
  program.call({{"fakedevice", "add"}}, {up, constant}, sum);
  program.copy(sum, program.output("y"));
  program.bundle.memorySpaces.resize(2);
  const Executable executable = mustLoad(program.bundle);
  EXPECT_EQ(fakedevice::log().constantsPrepared, 1);
  EXPECT_EQ(fakedevice::log().copiesIn, 1);
  for (int i = 0; i < 2; ++i) {
    Context context = mustCreate(executable);
    ASSERT_TRUE(set(context, "x"));
    ASSERT_TRUE(context.run());
    expectOutput(context, "y", 2, 0);
  }
  EXPECT_EQ(fakedevice::log().copiesIn, 3);
}

/// Runs on the host and opens the gate of the test device.
tessera_backend_runtime opener() {
  tessera_backend_runtime half = {};
  half.size = sizeof(half);
  half.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  half.name = "opener";
  half.version = "1";
  half.create = [](void*, const tessera_host_services*, const void*, size_t, void**) -> int32_t {
    return 0;
  };
  half.destroy = [](void*) {};
  half.find_symbol = [](void*, const tessera_host_services*, const char*, const tessera_signature*,
                        void**) -> int32_t { return 0; };
  half.run = [](void*, const tessera_call*) -> int32_t {
    fakedevice::openGate();
    return 0;
  };
  return half;
}

/// Device 0 can only go on when a later instruction has run: y = 2 x on device 0, waited for by
/// device 1 (z = y + 1) and by the host.
DeviceProgram gatedProgram() {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  const uint32_t up = program.temporary(kDevice0);
  const uint32_t doubled = program.temporary(kDevice0);
  const uint32_t over = program.temporary(kDevice1);
  const uint32_t sum = program.temporary(kDevice1);
  program.bundle.numEvents = 5;
  program.copy(x, up).signal = 0;
  artifact::CallInstruction& gated = program.call({{"fakedevice", "gated_add"}}, {up, up}, doubled);
  gated.waits = {0};
  gated.signal = 1;
  artifact::CopyInstruction& peer = program.copy(doubled, over);
  peer.waits = {1};
  peer.signal = 2;
  artifact::CallInstruction& add = program.call({{"fakedevice:1 -bias=1", "add"}}, {over}, sum);
  add.waits = {2};
  add.signal = 3;
  program.call({{"opener", "open"}}, {}, program.temporary(kHost));
  artifact::CopyInstruction& down = program.copy(sum, program.output("z"));
  down.waits = {3};
  down.signal = 4;
  return program;
}

TEST_F(DeviceTest, WorkGoesOnBesideTheHost) {
  const tessera_backend_runtime open = opener();
  const std::array<const tessera_backend_runtime*, 2> both = {fakedevice::half(), &open};
  const Executable executable = loadWith(gatedProgram().bundle, both);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  for (int round = 0; round < 20; ++round) {
    const Status status = context.run();
    ASSERT_TRUE(status) << status.error().message;
    expectOutput(context, "z", 2, 1);
  }
  // How many depends on which were reached by then.
  EXPECT_GT(fakedevice::log().waitEventsGiven, 0);
}

TEST_F(DeviceTest, ATraceTellsWhatDevicesDidOnTheirOwn) {
  const tessera_backend_runtime open = opener();
  const std::array<const tessera_backend_runtime*, 2> both = {fakedevice::half(), &open};
  const Executable executable = loadWith(gatedProgram().bundle, both);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.setTracing(true));
  for (int round = 0; round < 2; ++round) ASSERT_TRUE(context.run());
  constexpr size_t kInstructions = 6, kSignals = 5;
  ASSERT_EQ(context.trace().size(), 2 * (kInstructions + kSignals));
  const std::span<const tessera_trace_event> first =
      context.trace().first(kInstructions + kSignals);
  const auto host = [&](uint32_t instruction) { return first[instruction]; };
  const auto work = [&](uint32_t instruction) {
    return *std::ranges::find(first.subspan(kInstructions), instruction,
                              &tessera_trace_event::instruction);
  };
  EXPECT_EQ(host(4).device, nullptr);
  EXPECT_STREQ(work(1).device, "fakedevice");
  EXPECT_STREQ(work(2).device, "fakedevice:1 -bias=1");
  EXPECT_EQ(work(3).kind, uint32_t{TESSERA_TRACE_CALL});
  EXPECT_EQ(work(3).region, 1u);
  EXPECT_EQ(host(2).kind, uint32_t{TESSERA_TRACE_COPY});
  EXPECT_EQ(host(2).bytes, 64u);
  // The call that opens the gate begins when the one behind the gate has returned, not ended.
  EXPECT_LE(host(1).end_ns, host(4).begin_ns);
  EXPECT_GE(work(1).end_ns, host(4).begin_ns);
  EXPECT_LE(work(1).end_ns, work(2).begin_ns);
  ASSERT_TRUE(context.setTracing(false));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(context.trace().size(), 2 * (kInstructions + kSignals));
}

TEST_F(DeviceTest, WithoutEventsEverythingIsInOrder) {
  const tessera_backend_runtime open = opener();
  tessera_backend_runtime half = *fakedevice::half();
  half.size = offsetof(tessera_backend_runtime, event_create);
  const std::array<const tessera_backend_runtime*, 2> both = {&half, &open};
  DeviceProgram program = gatedProgram();
  program.bundle.regions[0].implementations[0].symbol = "add";
  const Executable executable = loadWith(program.bundle, both);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.run());
  expectOutput(context, "z", 2, 1);
  EXPECT_EQ(fakedevice::log().waitEventsGiven, 0);
}

TEST_F(DeviceTest, WorkThatFailsLaterFailsTheRun) {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  program.bundle.numEvents = 1;
  program.bundle.memorySpaces.resize(1);
  program.call({{"fakedevice", "fail_later"}}, {x}, program.output("y")).signal = 0;
  const Executable executable = mustLoad(program.bundle);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  const Status status = context.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "region 'region0': it failed later");
}

}  // namespace
}  // namespace tessera::runtime::test
