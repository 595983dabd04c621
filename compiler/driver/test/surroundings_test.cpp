// After a sweep, data that was in the caches has to be fetched again.
#include "compiler/driver/measuring/surroundings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>

#include "compiler/placement/timing/caches.h"

namespace tessera::driver {
namespace {

TEST(Surroundings, WhatWasReadLastIsFetchedAgain) {
  EXPECT_GE(placement::lastLevelCacheBytes(), size_t{1} << 17);
  // Small beside any last level, and beside this test's patience.
  std::vector<size_t> data(1 << 16, 1);
  volatile size_t sink = 0;
  const auto read = [&] {
    const auto start = std::chrono::steady_clock::now();
    sink = sink + std::accumulate(data.begin(), data.end(), size_t{0});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Surroundings surroundings;
  double warm = 1, cold = 1;
  for (int i = 0; i < 20; ++i) {
    read();
    warm = std::min(warm, read());
    surroundings.sweep(placement::sweepingAll(2).bytes, 2);
    cold = std::min(cold, read());
  }
  EXPECT_GT(cold, warm);
}

TEST(Surroundings, WhatIsWrittenIsAllOfIt) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{9999}}) {
    std::vector<std::byte> from(size, std::byte{7}), to(size + 1);
    Surroundings::write({to.data(), size}, from, 2);
    EXPECT_EQ(std::ranges::count(to, std::byte{7}), static_cast<ptrdiff_t>(size));
  }
}

TEST(Caches, TheLastLevelIsThatOfOneCoreComplex) {
  // What all complexes of a socket have together is more than a core gets to see.
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  std::string size;
  if (!(file >> size)) GTEST_SKIP() << "the system does not tell of a third level";
  EXPECT_EQ(std::to_string(placement::lastLevelCacheBytes() >> 10) + "K", size);
}

TEST(Caches, TheRestOfAModelTakesAsMuchAsItTouches) {
  using placement::restOfModel, placement::RestOfModel;
  constexpr uint64_t kMega = 1 << 20;
  const uint64_t last = placement::lastLevelCacheBytes();
  EXPECT_EQ(restOfModel(0, 0, 2), RestOfModel());
  EXPECT_EQ(restOfModel(5 * kMega, kMega, 2).bytes, 4 * kMega);
  EXPECT_EQ(restOfModel(7 * kMega, kMega, 2).bytes, 8 * kMega);
  EXPECT_EQ(restOfModel(100 * last, last / 2, 2),
            (RestOfModel{.bytes = placement::sweepingAll(2).bytes, .leavesBuffersNear = true}));
  EXPECT_FALSE(restOfModel(100 * last, last, 2).leavesBuffersNear);
  EXPECT_GT(placement::sweepingAll(2).bytes, last);
}

}  // namespace
}  // namespace tessera::driver
