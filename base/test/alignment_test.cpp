#include "base/alignment.h"

#include <gtest/gtest.h>

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

TEST(ShapeTextTest, ShowsUnknownSizes) {
  EXPECT_EQ(shapeText({}), "[]");
  const int64_t shape[] = {2, -1, 0};
  EXPECT_EQ(shapeText(shape), "[2, ?, 0]");
}

}  // namespace
}  // namespace tessera::base
