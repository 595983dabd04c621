// What kernels say through services->refuse, and the memory that they take through
// services->allocate.
#include <gtest/gtest.h>

#include "runtime/memory/scratch_memory.h"
#include "runtime/test/runtime_fixture.h"

namespace tessera::runtime::test {
namespace {

TEST(RefusalTest, NamesNodeAndNumbersAndLeavesTheContextUsable) {
  artifact::Bundle bundle = oneKernel("refuse_negative", {input({1})}, {output({1})});
  bundle.regions[0].nodeNames = {"first", "second"};
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  uint64_t bytes = 0;
  for (const float x : {-3.0f, 4.0f, -5.0f, 6.0f}) {
    const std::vector<int64_t> shape = {1};
    ASSERT_TRUE(context.setInput("x0", ElementType::kF32, shape, &x));
    const Status status = context.run();
    EXPECT_EQ(static_cast<bool>(status), x > 0);
    if (x > 0) {
      EXPECT_EQ(valuesOf<float>(*context.output("y0")), std::vector<float>{x});
    } else {
      EXPECT_EQ(status.error().code, ErrorCode::kInvalidInput);
      EXPECT_NE(
          status.error().message.find("node 'second': x is " + std::to_string(static_cast<int>(x)) +
                                      ", expected at least 0"),
          std::string::npos)
          << status.error().message;
    }
    // What a call does not release is there for the next one.
    if (bytes == 0) bytes = context.memoryBytes();
    EXPECT_EQ(context.memoryBytes(), bytes);
  }
}

TEST(ScratchMemoryTest, TakesTheSmallestBlockThatFits) {
  ScratchMemory memory;
  void* large = memory.allocate(4096);
  void* small = memory.allocate(64);
  ASSERT_NE(large, nullptr);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % TESSERA_BUFFER_ALIGNMENT, 0u);
  memory.releaseAll();
  EXPECT_EQ(memory.allocate(64), small);
  EXPECT_EQ(memory.allocate(100), large);
  memory.release(large);
  EXPECT_EQ(memory.allocate(4000), large);
  EXPECT_EQ(memory.sizeBytes(), 4096u + 64u);
}

TEST(ScratchMemoryTest, GrowsAFreeBlockInsteadOfKeepingIt) {
  ScratchMemory memory;
  memory.release(memory.allocate(64));
  EXPECT_NE(memory.allocate(4096), nullptr);
  EXPECT_EQ(memory.sizeBytes(), 4096u);
  EXPECT_EQ(memory.allocate(UINT64_MAX - 1), nullptr);
  memory.release(nullptr);
}

TEST(ScratchMemoryTest, ThreadsOfABodyGetMemoryOfTheirOwn) {
  const Executable executable = mustLoad(oneKernel("allocate_in_threads", {}, {output({64})}));
  Context context = mustCreate(executable);
  uint64_t bytes = 0;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(context.run());
    for (const float value : valuesOf<float>(*context.output("y0"))) EXPECT_EQ(value, 1);
    if (bytes == 0) bytes = context.memoryBytes();
    EXPECT_EQ(context.memoryBytes(), bytes);
  }
}

TEST(ScratchMemoryTest, ABodyWithoutMemoryFailsTheCall) {
  const Executable executable = mustLoad(oneKernel("run_short_in_threads", {}, {output({1})}));
  Context context = mustCreate(executable);
  for (int i = 0; i < 2; ++i) {
    const Status status = context.run();
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("no memory for the temporaries of a kernel"),
              std::string::npos)
        << status.error().message;
  }
}

}  // namespace
}  // namespace tessera::runtime::test
