#include "base/number_ranges.h"

#include <gtest/gtest.h>

namespace tessera::base {
namespace {

using Numbers = std::vector<size_t>;

TEST(NumberRanges, NeighboursAreJoined) {
  EXPECT_EQ(writeRanges(Numbers{}), "");
  EXPECT_EQ(writeRanges(Numbers{1, 3, 4, 5, 7, 8}), "1 3-5 7-8");
}

TEST(NumberRanges, WhatWasWrittenIsRead) {
  for (const Numbers& numbers : {Numbers{}, Numbers{0}, Numbers{1, 3, 4, 5, 9}})
    EXPECT_EQ(readRanges(writeRanges(numbers), 10), numbers);
}

TEST(NumberRanges, WhatIsNoneIsRefused) {
  for (const char* text :
       {"x", "1 ", " 1", "1-", "-1", "1,2", "10", "1-10", "99999999999999999999"})
    EXPECT_FALSE(readRanges(text, 10)) << text;
}

}  // namespace
}  // namespace tessera::base
