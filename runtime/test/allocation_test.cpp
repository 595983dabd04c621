// A run of a static program allocates nothing: malloc and its relatives are replaced by counting
// ones, which libstdc++'s operator new and the runtime's own library call too.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>

#include "artifact/test/test_bundles.h"
#include "artifact/writer.h"
#include "runtime/test/runtime_fixture.h"

static std::atomic<int> allocationCount = 0;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
// glibc's own. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* data, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void* malloc(size_t size) {
  ++allocationCount;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocationCount;
  return __libc_calloc(count, size);
}
void* realloc(void* data, size_t size) {
  ++allocationCount;
  return __libc_realloc(data, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocationCount;
  return __libc_memalign(alignment, size);
}
}
constexpr bool kCounts = true;
#else
constexpr bool kCounts = false;  // The sanitizers replace malloc themselves.
#endif

namespace tessera::runtime::test {
namespace {

int allocationsOfRun(Context& context) {
  const int before = allocationCount;
  const bool ok = context.run().has_value();
  const int after = allocationCount;
  EXPECT_TRUE(ok);
  return after - before;
}

class AllocationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kCounts) GTEST_SKIP() << "a sanitizer owns malloc";
  }
  const std::vector<float> x_ = std::vector<float>(4096, 1);
};

TEST_F(AllocationTest, CountingWorks) {
  const int before = allocationCount;
  std::free(std::malloc(10));
  const std::vector<int> values(100);
  EXPECT_GE(allocationCount - before, 2) << values.size();
}

TEST_F(AllocationTest, StaticRunAllocatesNothing) {
  const Executable executable = mustLoad(artifact::test::staticBundle(kernelCode()));
  Context context = mustCreate(executable);
  const std::vector<int64_t> shape = {2, 8};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
  for (int round = 0; round < 3; ++round) EXPECT_EQ(allocationsOfRun(context), 0);
  ASSERT_TRUE(context.setProfiling(true));
  EXPECT_EQ(allocationsOfRun(context), 0);
}

TEST_F(AllocationTest, ParallelRunAllocatesNothingOnceTheTeamExists) {
  const Executable executable =
      mustLoad(oneKernel("increment4096", {input({4096})}, {output({4096})}));
  Context context = mustCreate(executable, 2);
  const std::vector<int64_t> shape = {4096};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
  (void)allocationsOfRun(context);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(allocationsOfRun(context), 0);
}

TEST_F(AllocationTest, DynamicRunAllocatesOnlyToGrow) {
  const Executable executable = mustLoad(artifact::test::dynamicBundle(kernelCode()));
  Context context = mustCreate(executable);
  const auto allocationsFor = [&](int64_t batch) {
    const std::vector<int64_t> shape = {batch, 3};
    EXPECT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
    return allocationsOfRun(context);
  };
  EXPECT_EQ(allocationsFor(100), 1);
  EXPECT_EQ(allocationsFor(100), 0);
  EXPECT_EQ(allocationsFor(7), 0);
  EXPECT_EQ(allocationsFor(1000), 1);
}

TEST_F(AllocationTest, SharedMemoryStays) {
  // Buffers of several sizes take turns in the same memory: 100, 7 and 1000 rows of 3.
  artifact::Bundle bundle = oneKernel("twice_dynamic", {}, {});
  bundle.program.clear();
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t first = 3 * i;
    bundle.inputs.push_back({.name = "x" + std::to_string(i), .buffer = first});
    bundle.buffers.push_back(input({artifact::kDynamic, 3}));
    for (int k = 0; k < 2; ++k) {
      bundle.buffers.push_back(
          artifact::test::plainBuffer({artifact::kDynamic, 3}, artifact::Storage::kDynamic));
    }
    bundle.program.emplace_back(
        artifact::CallInstruction{.region = 0, .inputs = {first}, .outputs = {first + 1}});
    bundle.program.emplace_back(
        artifact::CallInstruction{.region = 0, .inputs = {first + 1}, .outputs = {first + 2}});
  }
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  constexpr std::array<int64_t, 3> kRows = {100, 7, 1000};
  for (uint32_t i = 0; i < 3; ++i) {
    const std::vector<int64_t> shape = {kRows[i], 3};
    ASSERT_TRUE(context.setInput(i, ElementType::kF32, shape, x_.data()));
  }
  EXPECT_EQ(allocationsOfRun(context), 4);  // Two for 100 rows, two for 1000.
  EXPECT_EQ(allocationsOfRun(context), 0);
}

/// A half whose work needs memory that the artifact does not know: it says so when it prepares.
tessera_backend_runtime preparingHalf() {
  tessera_backend_runtime half = {};
  half.size = sizeof(half);
  half.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  half.name = "preparing";
  half.version = "1";
  half.create = [](void*, const tessera_host_services*, const void*, size_t, void**) -> int32_t {
    return 0;
  };
  half.destroy = [](void*) {};
  half.find_symbol = [](void*, const tessera_host_services*, const char*, const tessera_signature*,
                        void**) -> int32_t { return 0; };
  half.prepare = [](void*, const tessera_host_services* services, void*, void** state,
                    uint64_t* workspaceBytes) -> int32_t {
    *workspaceBytes = 100000 * static_cast<uint64_t>(services->num_threads(services->host));
    *state = new int(7);
    return 0;
  };
  half.release = [](void*, void*, void* state) { delete static_cast<int*>(state); };
  half.run = [](void*, const tessera_call* call) -> int32_t {
    const tessera_host_services* services = call->services;
    const size_t bytes = 100000 * static_cast<size_t>(services->num_threads(services->host));
    const bool isReady = services->workspace(services->host, bytes) != nullptr &&
                         *static_cast<int*>(call->state) == 7;
    return isReady ? 0 : 1;
  };
  return half;
}

TEST_F(AllocationTest, WhatWasPreparedIsNotAllocatedAgain) {
  artifact::Bundle bundle = oneKernel("work", {input({4096})}, {output({4096})});
  bundle.regions[0].implementations[0].target = "preparing";
  const tessera_backend_runtime half = preparingHalf();
  const std::array<const tessera_backend_runtime*, 1> backends = {&half};
  auto bytes = artifact::writeMemory(bundle);
  ASSERT_TRUE(bytes);
  auto executable = Executable::loadMemory(*bytes, {.backends = backends, .copyMemory = true});
  ASSERT_TRUE(executable) << executable.error().message;
  Context context = mustCreate(*executable, 2);
  const std::vector<int64_t> shape = {4096};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
  EXPECT_EQ(allocationsOfRun(context), 0);
  ASSERT_TRUE(context.setNumThreads(4));
  EXPECT_EQ(allocationsOfRun(context), 0);
}

}  // namespace
}  // namespace tessera::runtime::test
