#include "base/version.h"

#include <gtest/gtest.h>

namespace tessera::base {
namespace {

TEST(VersionTest, NumbersAreComparedOneByOne) {
  EXPECT_TRUE(isOlderVersion("1.2", "1.10"));
  EXPECT_TRUE(isOlderVersion("1", "1.0.1"));
  EXPECT_TRUE(isOlderVersion("", "0.1"));
  EXPECT_FALSE(isOlderVersion("2", "1.9"));
  EXPECT_FALSE(isOlderVersion("1.0", "1"));
  EXPECT_FALSE(isOlderVersion("1", ""));
}

}  // namespace
}  // namespace tessera::base
