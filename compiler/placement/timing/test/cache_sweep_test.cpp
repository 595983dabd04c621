// After a sweep, data that was in the caches has to be fetched again.
#include "compiler/placement/timing/cache_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace tessera::placement {
namespace {

TEST(CacheSweep, WhatWasReadLastIsFetchedAgain) {
  EXPECT_GE(lastLevelCacheBytes(), size_t{1} << 17);
  // Small beside any last level, and beside this test's patience.
  std::vector<size_t> data(1 << 16, 1);
  volatile size_t sink = 0;
  const auto read = [&] {
    const auto start = std::chrono::steady_clock::now();
    sink = sink + std::accumulate(data.begin(), data.end(), size_t{0});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  CacheSweep sweep;
  double warm = 1, cold = 1;
  for (int i = 0; i < 20; ++i) {
    read();
    warm = std::min(warm, read());
    sweep.sweep();
    cold = std::min(cold, read());
  }
  EXPECT_GT(cold, warm);
}

}  // namespace
}  // namespace tessera::placement
