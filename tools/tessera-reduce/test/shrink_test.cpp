// What is left in the end, and how many questions that takes.
#include "tools/tessera-reduce/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tessera::reduce {
namespace {

Parts first(uint32_t count) {
  Parts parts(count);
  std::iota(parts.begin(), parts.end(), 0U);
  return parts;
}

/// Interesting is what holds all of these; counts the questions.
struct Needs {
  Parts needed;
  size_t numAsked = 0;

  Parts shrunk(uint32_t count) {
    return shrink(first(count), [this](const Parts& parts) {
      ++numAsked;
      return std::ranges::includes(parts, needed);
    });
  }
};

TEST(Shrink, OneToBlameIsFoundInAFewQuestions) {
  for (const uint32_t blamed : {0U, 1U, 500U, 999U}) {
    Needs needs{.needed = {blamed}};
    EXPECT_EQ(needs.shrunk(1000), (Parts{blamed}));
    EXPECT_LE(needs.numAsked, 25U);
  }
}

TEST(Shrink, SeveralThatAreNeededStay) {
  for (const Parts& needed : {Parts{3, 4}, Parts{0, 99}, Parts{10, 50, 51, 90}}) {
    Needs needs{.needed = needed};
    EXPECT_EQ(needs.shrunk(100), needed);
  }
}

TEST(Shrink, NothingCanBeLeftOutInTheEnd) {
  // Interesting is what has an odd number of even parts.
  const auto isInteresting = [](const Parts& parts) {
    return std::ranges::count_if(parts, [](uint32_t part) { return part % 2 == 0; }) % 2 == 1;
  };
  const Parts left = shrink(first(49), isInteresting);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_TRUE(isInteresting(left));
}

TEST(Shrink, OnePartIsNotAskedAbout) {
  Needs needs{.needed = {0}};
  EXPECT_EQ(needs.shrunk(1), (Parts{0}));
  EXPECT_EQ(needs.numAsked, 0U);
}

}  // namespace
}  // namespace tessera::reduce
