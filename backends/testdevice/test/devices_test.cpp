// From a module to its answer on devices: which copies the host program has, which events order
// them, and what the devices did.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "artifact/reader.h"
#include "artifact/writer.h"
#include "backends/testdevice/runtime/testdevice.h"
#include "tessera/compile.h"
#include "tessera/runtime.hpp"

namespace tessera::backend_testdevice {
namespace {

constexpr const char* kBoth = "testdevice:0,testdevice:1";
const Mark kRegion0{.work = Work::kRegion, .device = 0};
const Mark kCopyTo1{.work = Work::kCopyIn, .device = 1};

Mark endOf(Mark mark) {
  mark.isEnd = true;
  return mark;
}

/// Whether this process may read the address, found out without reading it here.
bool isReadable(const void* address) {
  int ends[2];
  if (pipe(ends) != 0) return true;
  const bool isRead = ::write(ends[1], address, 4) == 4;
  close(ends[0]);
  close(ends[1]);
  return isRead;
}

size_t countOf(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

class DevicesTest : public ::testing::Test {
 protected:
  void SetUp() override { journal().clear(); }

  std::string writeFile(const std::string& name, const std::string& text) const {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string path = ::testing::TempDir() + test->name() + "_" + name;
    std::ofstream(path) << text;
    return path;
  }

  /// A module of one function, its operators placed by rules.
  Module load(const std::string& body, const std::string& targets, const std::string& pins = "") {
    CompileOptions options;
    options.targets = targets;
    if (!pins.empty()) options.pins = writeFile("pins.json", pins);
    const std::string types = R"(
      !near = tensor<4x4xf32, #tsr.layout<space = "testdevice:0">>
      !far = tensor<4x4xf32, #tsr.layout<space = "testdevice:1">>
      !m = tensor<4x4xf32>
    )";
    auto module = Module::load(writeFile("module.mlir", types + body), options);
    EXPECT_TRUE(module) << module.error().message;
    if (!module) std::exit(1);
    return std::move(*module);
  }

  /// The host program as text.
  static std::string linked(Module& module) {
    const Status status = module.runTo(Phase::kLink);
    EXPECT_TRUE(status) << status.error().message;
    const std::string text = module.toText();
    const size_t begin = text.find("func.func @main");
    return text.substr(begin, text.find("\n  }", begin) - begin);
  }

  static std::vector<std::byte> compiled(Module module) {
    auto bytes = module.compileToMemory();
    EXPECT_TRUE(bytes) << bytes.error().message;
    return bytes ? std::move(*bytes) : std::vector<std::byte>();
  }

  Result<Executable> tryOpen(const std::vector<std::byte>& bytes) const {
    return Executable::loadMemory(bytes, {.backends = halves_, .copyMemory = true});
  }
  Executable open(const std::vector<std::byte>& bytes) const {
    auto executable = tryOpen(bytes);
    EXPECT_TRUE(executable) << executable.error().message;
    if (!executable) std::exit(1);
    return std::move(*executable);
  }
  /// With all inputs set to x_.
  Context contextOf(const Executable& executable) {
    auto context = Context::create(executable);
    EXPECT_TRUE(context) << context.error().message;
    if (!context) std::exit(1);
    for (uint32_t i = 0; i < executable.info().num_inputs; ++i)
      EXPECT_TRUE(context->setInput(i, ElementType::kF32, shape_, x_.data()));
    return std::move(*context);
  }

  template <typename Function>
  void expectOutput(Context& context, uint32_t index, Function expected) {
    auto output = context.output(index);
    ASSERT_TRUE(output) << output.error().message;
    const auto* data = static_cast<const float*>(output->data);
    for (size_t i = 0; i < x_.size(); ++i) EXPECT_EQ(data[i], expected(x_[i])) << i;
  }

  std::string runError(Context& context) {
    const Status status = context.run();
    return status ? "" : status.error().message;
  }

  const std::array<const tessera_backend_runtime*, 1> halves_ = {half()};
  const std::vector<int64_t> shape_ = {4, 4};
  std::vector<float> x_ = {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};
};

constexpr const char* kRelu = R"(
  func.func @main(%x: !m) -> !m {
    %0 = tsr.relu %x : (!m) -> !m
    return %0 : !m
  })";
float relu(float x) { return x > 0 ? x : 0; }

/// relu on device 0, neg on device 1.
constexpr const char* kRelay = R"(
  func.func @main(%x: !m) -> !m {
    %0 = tsr.relu %x : (!m) -> !m
    %1 = tsr.neg %0 : (!m) -> !m
    return %1 : !m
  })";
constexpr const char* kReluHereNegThere =
    R"([{"op": "relu", "must": "testdevice:0"}, {"op": "neg", "must": "testdevice:1"}])";

// What both sides read crosses once; what only devices read stays.
TEST_F(DevicesTest, CopiesArePlannedAndMinimal) {
  Module module = load(R"(
    func.func @main(%x: !m) -> (!m, !m) {
      %0 = tsr.relu %x : (!m) -> !m
      %1 = tsr.add %0, %x : (!m, !m) -> !m
      %2 = tsr.softmax %1 : (!m) -> !m
      %3 = tsr.mul %2, %1 : (!m, !m) -> !m
      %4 = tsr.sub %3, %x : (!m, !m) -> !m
      return %4, %1 : !m, !m
    })",
                       "testdevice");
  const std::string program = linked(module);
  EXPECT_EQ(countOf(program, "tsr.copy_buffer"), 4U) << program;
  EXPECT_EQ(countOf(program, "tsr.call"), 3U) << program;
  const Executable executable = open(compiled(std::move(module)));
  Context context = contextOf(executable);
  ASSERT_EQ(runError(context), "");
  expectOutput(context, 1, [](float x) { return relu(x) + x; });
  EXPECT_EQ(journal().count(Work::kCopyIn), 2U);
  EXPECT_EQ(journal().count(Work::kCopyOut), 2U);
}

TEST_F(DevicesTest, ConstantsAreUploadedOnce) {
  Module module = load(R"(
    func.func @main(%x: !m) -> !m {
      %c = tsr.constant dense<2.0> : !m -> !m
      %0 = tsr.add %x, %c : (!m, !m) -> !m
      %1 = tsr.softmax %0 : (!m) -> !m
      %2 = tsr.mul %0, %c : (!m, !m) -> !m
      %3 = tsr.add %1, %2 : (!m, !m) -> !m
      return %2 : !m
    })",
                       "testdevice");
  const Executable executable = open(compiled(std::move(module)));
  EXPECT_EQ(journal().count(Work::kCopyIn), 1U);
  for (int i = 0; i < 2; ++i) {
    Context context = contextOf(executable);
    ASSERT_EQ(runError(context), "");
    expectOutput(context, 0, [](float x) { return (x + 2) * 2; });
  }
  EXPECT_EQ(journal().count(Work::kCopyIn), 3U);
}

TEST_F(DevicesTest, AValueGoesFromDeviceToDevice) {
  Module module = load(kRelay, kBoth, kReluHereNegThere);
  const std::string program = linked(module);
  EXPECT_EQ(countOf(program, "tsr.copy_buffer"), 3U) << program;
  const Executable executable = open(compiled(std::move(module)));
  Context context = contextOf(executable);
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(runError(context), "");
    expectOutput(context, 0, [](float x) { return -relu(x); });
  }
  EXPECT_EQ(journal().count(Work::kCopyIn), 20U);
  EXPECT_EQ(journal().count(Work::kPeerCopy), 20U);
  EXPECT_EQ(journal().count(Work::kCopyOut), 20U);
}

// Each of the five instructions waits for the one before.
TEST_F(DevicesTest, EventsOrderWhatDependsOnEachOther) {
  Module module = load(kRelay, kBoth, kReluHereNegThere);
  const std::string program = linked(module);
  EXPECT_EQ(countOf(program, "after ["), 4U) << program;
  for (int event = 0; event < 4; ++event) {
    const std::string pair =
        "after [" + std::to_string(event) + "] signals " + std::to_string(event + 1);
    EXPECT_EQ(countOf(program, pair), 1U) << pair << "\n" << program;
  }
}

TEST_F(DevicesTest, WithoutDevicesThereAreNoEvents) {
  Module module = load(kRelay, "native");
  EXPECT_EQ(countOf(linked(module), "signals"), 0U);
}

// A view between regions of two devices lies in the memory of the first.
TEST_F(DevicesTest, ViewsBetweenRegionsTouchNoHost) {
  Module module = load(R"(
    func.func @main(%x: !m) -> tensor<8xf32> {
      %from = tsr.constant dense<8> : tensor<1xi64> -> tensor<1xi64>
      %to = tsr.constant dense<16> : tensor<1xi64> -> tensor<1xi64>
      %flat = tsr.constant dense<16> : tensor<1xi64> -> tensor<1xi64>
      %0 = tsr.relu %x : (!m) -> !m
      %1 = tsr.reshape %0, %flat : (!m, tensor<1xi64>) -> tensor<16xf32>
      %2 = tsr.slice %1, %from, %to {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<8xf32>
      %3 = tsr.neg %2 : (tensor<8xf32>) -> tensor<8xf32>
      return %3 : tensor<8xf32>
    })",
                       kBoth, R"([{"op": "neg", "must": "testdevice:1"}])");
  const std::string program = linked(module);
  EXPECT_EQ(countOf(program, "tsr.copy_buffer"), 3U) << program;
  EXPECT_EQ(countOf(program, "tsr.view"), 2U) << program;
  const Executable executable = open(compiled(std::move(module)));
  Context context = contextOf(executable);
  ASSERT_EQ(runError(context), "");
  auto output = context.output(0);
  ASSERT_TRUE(output);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(static_cast<const float*>(output->data)[i], -relu(x_[8 + i]));
  EXPECT_EQ(journal().count(Work::kPeerCopy), 1U);
  EXPECT_EQ(journal().marks().back().sizeBytes, 32U);
}

TEST_F(DevicesTest, CallersTensorsInItsMemoryBindWithoutACopy) {
  Module module = load(R"(
    func.func @main(%x: !far) -> !far {
      %0 = tsr.relu %x : (!far) -> !far
      return %0 : !far
    })",
                       "testdevice:1");
  const std::string program = linked(module);
  EXPECT_EQ(countOf(program, "tsr.copy_buffer"), 0U) << program;
  const Executable executable = open(compiled(std::move(module)));
  EXPECT_STREQ(executable.info().inputs[0]->memory_space, "testdevice:1");
  auto context = Context::create(executable);
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_FALSE(context->setInput(0, ElementType::kF32, shape_, x_.data()));
  void* in = allocate(1, 64);
  void* out = allocate(1, 64);
  EXPECT_FALSE(isReadable(in));
  write(1, in, x_.data(), 64);
  tessera_dltensor tensor = Context::plainTensor(ElementType::kF32, shape_, in);
  tensor.device = {.device_type = kDlpackDevice, .device_id = 1};
  ASSERT_TRUE(context->setInput(0, tensor));
  ASSERT_EQ(runError(*context), "");
  EXPECT_FALSE(isReadable(context->output(0)->data));
  tensor.data = out;
  ASSERT_TRUE(context->setOutput(0, tensor));
  ASSERT_EQ(runError(*context), "");
  EXPECT_EQ(context->output(0)->data, out);
  std::vector<float> values(16);
  read(1, values.data(), out, 64);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], relu(x_[i]));
  EXPECT_EQ(journal().count(Work::kCopyIn) + journal().count(Work::kCopyOut), 0U);
  free(1, in);
  free(1, out);
}

// The region on device 0 ends only when the copy to device 1 has, which begins behind it.
// No region says whose memory it is.
TEST_F(DevicesTest, WhatIsOnlyCopiedIsInItsMemory) {
  Module module = load(R"(
    func.func @main(%x: !m) -> (!near, !far) {
      %0 = tsr.copy %x : (!m) -> !near
      %1 = tsr.copy %x : (!m) -> !far
      return %0, %1 : !near, !far
    })",
                       kBoth);
  const Executable executable = open(compiled(std::move(module)));
  EXPECT_STREQ(executable.info().outputs[0]->memory_space, "testdevice:0");
  EXPECT_STREQ(executable.info().outputs[1]->memory_space, "testdevice:1");
  Context context = contextOf(executable);
  ASSERT_EQ(runError(context), "");
  for (uint32_t device = 0; device < 2; ++device) {
    auto output = context.output(device);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_FALSE(isReadable(output->data));
    std::vector<float> values(x_.size());
    read(device, values.data(), output->data, values.size() * sizeof(float));
    EXPECT_EQ(values, x_);
  }
}

TEST_F(DevicesTest, ACopyToOneDeviceOverlapsWorkOfTheOther) {
  Module module = load(R"(
    func.func @main(%x: !m) -> (!m, !m) {
      %0 = tsr.relu %x : (!m) -> !m
      %1 = tsr.softmax %x : (!m) -> !m
      %2 = tsr.neg %1 : (!m) -> !m
      return %0, %2 : !m, !m
    })",
                       kBoth, kReluHereNegThere);
  const Executable executable = open(compiled(std::move(module)));
  Context context = contextOf(executable);
  journal().hold(kRegion0, endOf(kCopyTo1));
  journal().hold(kCopyTo1, kRegion0);
  ASSERT_EQ(runError(context), "");
  expectOutput(context, 0, relu);
  const std::vector<Mark> marks = journal().marks();
  const auto place = [&](const Mark& wanted) {
    size_t at = 0;
    while (at < marks.size() &&
           (marks[at].work != wanted.work || marks[at].device != wanted.device ||
            marks[at].isEnd != wanted.isEnd))
      ++at;
    return at;
  };
  EXPECT_LT(place(kRegion0), place(endOf(kCopyTo1)));
  EXPECT_LT(place(endOf(kCopyTo1)), place(endOf(kRegion0)));
  EXPECT_LT(place(endOf(kRegion0)), marks.size());
}

TEST_F(DevicesTest, MemoryIsGivenBack) {
  {
    const Executable executable = open(compiled(load(kRelay, kBoth, kReluHereNegThere)));
    Context context = contextOf(executable);
    EXPECT_GT(numAllocations(0), 0U);
    EXPECT_GT(numAllocations(1), 0U);
  }
  EXPECT_EQ(numAllocations(0) + numAllocations(1), 0U);
}

TEST_F(DevicesTest, WhatFailsToLoadIsNamed) {
  const auto executable = tryOpen(compiled(load(kRelu, "testdevice:1 -fail=load")));
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().message,
            "region 'testdevice_0': testdevice:1 loads nothing (-fail=load)");
}

TEST_F(DevicesTest, WhatFailsToRunIsNamedAndRunsAgain) {
  const Executable executable = open(compiled(load(kRelu, "testdevice -fail=run:2")));
  Context context = contextOf(executable);
  EXPECT_EQ(runError(context), "");
  EXPECT_EQ(runError(context), "region 'testdevice_0': testdevice:0 fails run 2 (-fail=run:2)");
  EXPECT_EQ(runError(context), "");
  expectOutput(context, 0, relu);
}

/// The artifact with a second way to run each region: the target without its fault.
std::vector<std::byte> withAlternative(const std::vector<std::byte>& bytes) {
  // Borrowed bytes begin where a page could.
  const std::unique_ptr<void, decltype(&std::free)> page(
      std::aligned_alloc(4096, (bytes.size() + 4095) / 4096 * 4096), &std::free);
  std::memcpy(page.get(), bytes.data(), bytes.size());
  auto artifact = artifact::parse({static_cast<std::byte*>(page.get()), bytes.size()});
  EXPECT_TRUE(artifact);
  for (artifact::Region& region : artifact->bundle.regions) {
    artifact::Implementation other = region.implementations.front();
    other.target = "testdevice -copy_gbps=0 -fail=none -launch_us=0";
    region.implementations.push_back(other);
  }
  auto written = artifact::writeMemory(artifact->bundle);
  EXPECT_TRUE(written);
  return *written;
}

TEST_F(DevicesTest, TheNextImplementationRunsWhatOneFails) {
  for (const char* fault : {"load", "run:1"}) {
    const std::vector<std::byte> bytes =
        compiled(load(kRelu, std::string("testdevice -fail=") + fault));
    const std::vector<std::byte> both = withAlternative(bytes);
    const Executable executable = open(both);
    Context context = contextOf(executable);
    EXPECT_EQ(runError(context), "") << fault;
    expectOutput(context, 0, relu);
  }
}

// Work that another waited for failed: no other implementation reads what it left.
TEST_F(DevicesTest, WhatWaitsForFailedWorkFails) {
  const Executable executable = open(compiled(load(kRelay, kBoth, kReluHereNegThere)));
  Context context = contextOf(executable);
  journal().hold(kRegion0, {.work = Work::kCopyOut, .device = 7}, std::chrono::milliseconds(1));
  EXPECT_EQ(runError(context), "region 'testdevice_0': testdevice:0 was held up for too long");
  journal().clear();
  EXPECT_EQ(runError(context), "");
  expectOutput(context, 0, [](float x) { return -relu(x); });
}

// The runtime has no limit for a run: whoever calls it waits, and others go on.
TEST_F(DevicesTest, AHangingDeviceHangsItsRunAlone) {
  const Executable hanging = open(compiled(load(kRelu, "testdevice -fail=hang")));
  Context context = contextOf(hanging);
  std::string error = "it did not return";
  std::thread caller([&] { error = runError(context); });
  while (journal().marks().size() < 3) std::this_thread::yield();  // The copy, then the region.
  const Executable other = open(compiled(load(kRelu, "testdevice:1")));
  Context free = contextOf(other);
  EXPECT_EQ(runError(free), "");
  for (const Mark& mark : journal().marks())
    EXPECT_FALSE(mark.work == Work::kRegion && mark.device == 0 && mark.isEnd);
  journal().release();
  caller.join();
  EXPECT_EQ(error, "");
  expectOutput(context, 0, relu);
}

TEST_F(DevicesTest, WrongValuesAreWrong) {
  const Executable executable = open(compiled(load(kRelu, "testdevice -fail=wrong")));
  Context context = contextOf(executable);
  EXPECT_EQ(runError(context), "");
  const auto output = context.output(0);
  ASSERT_TRUE(output);
  EXPECT_EQ(static_cast<const float*>(output->data)[0], relu(x_[0]) + 1);
  EXPECT_EQ(static_cast<const float*>(output->data)[1], relu(x_[1]));
}

TEST_F(DevicesTest, CostsAreSimulated) {
  const Executable executable =
      open(compiled(load(kRelu, "testdevice -copy_gbps=0.00001 -launch_us=5000")));
  Context context = contextOf(executable);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(runError(context), "");
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  // A copy of 64 bytes there, the launch and a copy back, one behind the other.
  EXPECT_GE(took.count(), 6.4 + 5 + 6.4);
  expectOutput(context, 0, relu);
}

}  // namespace
}  // namespace tessera::backend_testdevice
