#include "base/greedy_placement.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tessera::base {
namespace {

PlacedBuffer buffer(int64_t sizeBytes, int64_t first, int64_t last) {
  return {.sizeBytes = sizeBytes, .first = first, .last = last};
}

TEST(GreedyPlacementTest, BuffersThatNeverLiveTogetherShareMemory) {
  std::vector<PlacedBuffer> buffers = {buffer(64, 0, 1), buffer(128, 1, 2), buffer(64, 2, 3)};
  EXPECT_EQ(placeBuffers(buffers), 192);
  EXPECT_EQ(buffers[0].offset, 128);
  EXPECT_EQ(buffers[1].offset, 0);
  EXPECT_EQ(buffers[2].offset, 128);
  EXPECT_EQ(greatestLiveBytes(buffers), 192);
}

TEST(GreedyPlacementTest, GapsAreFilledFromBelow) {
  std::vector<PlacedBuffer> buffers = {buffer(300, 0, 9), buffer(200, 0, 3), buffer(150, 0, 9),
                                       buffer(100, 5, 9), buffer(100, 6, 9)};
  EXPECT_EQ(placeBuffers(buffers), 650);
  EXPECT_EQ(buffers[3].offset, 300);
  EXPECT_EQ(buffers[4].offset, 400);
}

TEST(GreedyPlacementTest, NothingTakesNothing) {
  EXPECT_EQ(placeBuffers({}), 0);
  EXPECT_EQ(greatestLiveBytes({}), 0);
}

TEST(GreedyPlacementTest, RandomBuffersNeverOverlap) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 50; ++round) {
    std::vector<PlacedBuffer> buffers;
    for (int i = 0; i < 40; ++i) {
      const auto first = static_cast<int64_t>(random() % 30);
      buffers.push_back(buffer(64 * static_cast<int64_t>(1 + random() % 20), first,
                               first + static_cast<int64_t>(random() % 10)));
    }
    const int64_t total = placeBuffers(buffers);
    EXPECT_LE(greatestLiveBytes(buffers), total) << "seed " << kSeed << ", round " << round;
    for (size_t i = 0; i < buffers.size(); ++i) {
      const PlacedBuffer& a = buffers[i];
      EXPECT_LE(a.offset + a.sizeBytes, total);
      for (size_t j = 0; j < i; ++j) {
        const PlacedBuffer& b = buffers[j];
        const bool aliveTogether = a.first <= b.last && b.first <= a.last;
        const bool overlap = a.offset < b.offset + b.sizeBytes && b.offset < a.offset + a.sizeBytes;
        EXPECT_FALSE(aliveTogether && overlap) << "seed " << kSeed << ", round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::base
