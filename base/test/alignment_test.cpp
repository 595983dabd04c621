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

TEST(ShapeTextTest, ShowsUnknownSizes) {
  EXPECT_EQ(shapeText({}), "[]");
  const int64_t shape[] = {2, -1, 0};
  EXPECT_EQ(shapeText(shape), "[2, ?, 0]");
}

}  // namespace
}  // namespace tessera::base
