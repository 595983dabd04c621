#include "base/alignment.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/large_memory.h"
#include "base/shape_text.h"

namespace tessera::base {
namespace {

TEST(AlignmentTest, RoundsUpToMultiples) {
  EXPECT_EQ(alignUp(0), 0U);
  EXPECT_EQ(alignUp(1), kBufferAlignment);
  EXPECT_EQ(alignUp(kBufferAlignment), kBufferAlignment);
  EXPECT_EQ(alignUp(4097, 4096), 8192U);
}

TEST(AlignmentTest, MemoryIsAlignedAndAbsenceIsNull) {
  for (const size_t sizeBytes : {0UL, 1UL, 64UL, 1000UL}) {
    const AlignedMemory memory = allocateAligned(sizeBytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % TESSERA_BUFFER_ALIGNMENT, 0U);
  }
  EXPECT_EQ(allocateAligned(SIZE_MAX), nullptr);
}

TEST(AlignmentTest, LargeMemoryIsWritableToItsEnd) {
  for (const size_t sizeBytes : {0UL, 100UL, (2UL << 20) - 1, 2UL << 20, (5UL << 20) + 12}) {
    const AlignedMemory memory = allocateLarge(sizeBytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % TESSERA_BUFFER_ALIGNMENT, 0U);
    std::memset(memory.get(), 1, sizeBytes);
  }
  EXPECT_EQ(allocateLarge(SIZE_MAX), nullptr);
}

TEST(ShapeTextTest, ShowsUnknownSizes) {
  EXPECT_EQ(shapeText({}), "[]");
  const int64_t shape[] = {2, -1, 0};
  EXPECT_EQ(shapeText(shape), "[2, ?, 0]");
}

}  // namespace
}  // namespace tessera::base
