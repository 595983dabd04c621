// The optional parts of the backend ABI, with a runtime half made for the test: its symbols compute
// y = sum of inputs.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "artifact/test/test_bundles.h"
#include "artifact/writer.h"
#include "runtime/test/runtime_fixture.h"

namespace tessera::runtime::test {
namespace {

/// What the fake backend saw; one test at a time uses it.
struct Log {
  int created = 0;
  int destroyed = 0;
  std::vector<std::string> signatures;
  std::vector<bool> constantInputs;
  float constantValue = 0;
  int32_t loadThreads = 0;
  bool isWholeRangeDone = false;
};
Log* currentLog = nullptr;

int32_t create(void*, const tessera_host_services* services, const void* blob, size_t size,
               void** instance) {
  if (size > 0 && *static_cast<const char*>(blob) == 'X') {
    services->log(services->host, TESSERA_LOG_ERROR, "blob begins with X");
    return 1;
  }
  ++currentLog->created;
  *instance = currentLog;
  return 0;
}

void destroy(void*) { ++currentLog->destroyed; }

int32_t findSymbol(void*, const tessera_host_services*, const char* name,
                   const tessera_signature* signature, void** symbol) {
  std::string text = std::string(name) + ":";
  for (uint32_t i = 0; i < signature->num_inputs; ++i) {
    const tessera_argument_type& type = *signature->inputs[i];
    EXPECT_EQ(type.size, sizeof(type));
    text += " " + std::to_string(type.rank) + "/" + std::to_string(type.dims[0]) + "/" +
            type.layout + "/" + std::to_string(type.size_bytes);
  }
  currentLog->signatures.push_back(text);
  *symbol = nullptr;
  return 0;
}

int32_t run(void*, const tessera_call* call) {
  auto* y = static_cast<float*>(call->outputs[0]->data);
  if (y == nullptr) return 1;
  for (int64_t i = 0; i < call->outputs[0]->shape[0]; ++i) {
    y[i] = 0;
    for (uint32_t k = 0; k < call->num_inputs; ++k)
      y[i] += static_cast<const float*>(call->inputs[k]->data)[i];
  }
  return 0;
}

int32_t prepareConstants(void*, const tessera_host_services* services, void*,
                         const tessera_dltensor* const* inputs, uint32_t count, uint8_t* released) {
  currentLog->loadThreads = services->num_threads(services->host);
  std::array<int, 1000> done = {};
  services->parallel_for(
      services->host, 1000,
      [](void* context, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++static_cast<int*>(context)[i];
      },
      done.data());
  currentLog->isWholeRangeDone = std::ranges::count(done, 1) == 1000;
  for (uint32_t i = 0; i < count; ++i) {
    currentLog->constantInputs.push_back(inputs[i] != nullptr);
    if (inputs[i] != nullptr)
      currentLog->constantValue = *static_cast<const float*>(inputs[i]->data);
    released[i] = inputs[i] != nullptr ? 1 : 0;
  }
  return 0;
}

int32_t inferShapes(void*, const tessera_call* call, int64_t* const* dims) {
  dims[0][0] = call->inputs[0]->shape[0];
  return 0;
}

tessera_backend_runtime fakeBackend() {
  tessera_backend_runtime half = {};
  half.size = sizeof(half);
  half.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  half.name = "fake";
  half.version = "1.2";
  half.create = create;
  half.destroy = destroy;
  half.find_symbol = findSymbol;
  half.run = run;
  half.prepare_constants = prepareConstants;
  half.infer_shapes = inferShapes;
  return half;
}

class BackendAbiTest : public ::testing::Test {
 protected:
  void SetUp() override { currentLog = &log_; }
  void TearDown() override { currentLog = nullptr; }

  /// y [?] = x0 [?] + x1 [?], run by the fake backend.
  static artifact::Bundle bundle() {
    artifact::Bundle made =
        oneKernel("sum", {input({artifact::kDynamic}), input({artifact::kDynamic})},
                  {output({artifact::kDynamic})});
    made.regions[0].implementations[0].target = "fake";
    made.codeBlobs = {artifact::Blob::owned(std::vector<std::byte>(4))};
    return made;
  }
  /// y [?] = x0 [?] + {5, 0}.
  static artifact::Bundle sumWithConstant() {
    artifact::Bundle made = bundle();
    made.inputs.pop_back();
    made.buffers[1] = artifact::test::plainBuffer({2}, artifact::Storage::kConstant);
    const float value = 5;
    std::vector<std::byte> bytes(8);
    std::memcpy(bytes.data(), &value, sizeof(value));
    made.constants = {{.contentHash = "c", .data = artifact::Blob::owned(bytes)}};
    return made;
  }
  Result<Executable> loadWith(const artifact::Bundle& bundle) {
    TESSERA_TRY(const std::vector<std::byte> bytes, artifact::writeMemory(bundle));
    return Executable::loadMemory(bytes, {.backends = backends_, .copyMemory = true});
  }

  Log log_;
  tessera_backend_runtime half_ = fakeBackend();
  std::array<const tessera_backend_runtime*, 1> backends_ = {&half_};
};

TEST_F(BackendAbiTest, L4_RX_InferredShapesAreAllocatedBeforeTheRun) {
  {
    auto executable = loadWith(bundle());
    ASSERT_TRUE(executable) << executable.error().message;
    EXPECT_STREQ(executable->info().regions[0]->backend, "fake");
    Context context = mustCreate(*executable);
    const std::vector<float> a = {1, 2, 3};
    const std::vector<float> b = {10, 20, 30};
    const std::vector<int64_t> shape = {3};
    ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, a.data()));
    ASSERT_TRUE(context.setInput(1, ElementType::kF32, shape, b.data()));
    ASSERT_TRUE(context.run());
    EXPECT_EQ(valuesOf<float>(*context.output(0)), (std::vector<float>{11, 22, 33}));
  }
  EXPECT_EQ(log_.created, 1);
  EXPECT_EQ(log_.destroyed, 1);
  EXPECT_EQ(log_.signatures, (std::vector<std::string>{"sum: 1/-1//-1 1/-1//-1"}));
}

TEST_F(BackendAbiTest, ConstantsArePreparedOnce) {
  auto executable = loadWith(sumWithConstant());
  ASSERT_TRUE(executable) << executable.error().message;
  EXPECT_EQ(log_.constantInputs, (std::vector<bool>{false, true}));
  EXPECT_EQ(log_.constantValue, 5);
  cpu_set_t cores;
  ASSERT_EQ(sched_getaffinity(0, sizeof(cores), &cores), 0);
  EXPECT_EQ(log_.loadThreads, CPU_COUNT(&cores));
  EXPECT_TRUE(log_.isWholeRangeDone);
}

TEST_F(BackendAbiTest, OlderHalvesWithoutOptionalFieldsWork) {
  half_.size = offsetof(tessera_backend_runtime, device_create);
  auto executable = loadWith(bundle());
  ASSERT_TRUE(executable) << executable.error().message;
  EXPECT_TRUE(log_.constantInputs.empty());
}

TEST_F(BackendAbiTest, AFieldThatIsOnlyPartlyKnownIsNotRead) {
  half_.size = offsetof(tessera_backend_runtime, prepare_constants) + 1;
  auto executable = loadWith(sumWithConstant());
  ASSERT_TRUE(executable) << executable.error().message;
  EXPECT_TRUE(log_.constantInputs.empty());
  half_.size = offsetof(tessera_backend_runtime, infer_shapes) + 1;
  executable = loadWith(bundle());
  ASSERT_TRUE(executable) << executable.error().message;
  Context context = mustCreate(*executable);
  const std::vector<float> x = {1, 2, 3};
  const std::vector<int64_t> shape = {3};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
  ASSERT_TRUE(context.setInput(1, ElementType::kF32, shape, x.data()));
  EXPECT_FALSE(context.run());  // The symbol relies on infer_shapes.
}

TEST_F(BackendAbiTest, RePackedConstantsAreChecked) {
  auto bytes = artifact::writeMemory(sumWithConstant());
  ASSERT_TRUE(bytes);
  // The constant is the last blob: 64 bytes before the 64-byte aligned header.
  uint64_t headerOffset = 0;
  std::memcpy(&headerOffset, bytes->data() + 24, sizeof(headerOffset));
  (*bytes)[headerOffset - 64] ^= std::byte{1};
  const std::unique_ptr<std::byte, decltype(&std::free)> aligned(
      static_cast<std::byte*>(std::aligned_alloc(64, (bytes->size() + 63) / 64 * 64)), &std::free);
  std::memcpy(aligned.get(), bytes->data(), bytes->size());
  const std::span<const std::byte> borrowed(aligned.get(), bytes->size());
  auto executable = Executable::loadMemory(borrowed, {.backends = backends_});
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().message.find(
                "region 'sum': blob 1 of the artifact differs from its checksum"),
            0u)
      << executable.error().message;
  half_.prepare_constants = nullptr;  // Read in place: checked on request only.
  EXPECT_TRUE(Executable::loadMemory(borrowed, {.backends = backends_}));
}

TEST_F(BackendAbiTest, ANewerOneThatCanDoWithThisRuntimeIsUsed) {
  half_.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION + 1;
  half_.least_abi_version = 1;
  auto executable = loadWith(bundle());
  EXPECT_TRUE(executable) << executable.error().message;
}

TEST_F(BackendAbiTest, ANewerOneThatSaysNothingOfOlderRuntimesIsNotUsed) {
  half_.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION + 1;
  auto executable = loadWith(bundle());
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().message,
            "region 'sum': backend 'fake' of the caller has ABI version 2 and needs a runtime of "
            "version 2 "
            "or later, this one has version 1");
}

TEST_F(BackendAbiTest, ReasonOfARefusedBlobIsReported) {
  artifact::Bundle made = bundle();
  made.codeBlobs = {artifact::Blob::owned(std::vector<std::byte>(4, std::byte{'X'}))};
  auto executable = loadWith(made);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().message, "region 'sum': blob begins with X");
}

}  // namespace
}  // namespace tessera::runtime::test
