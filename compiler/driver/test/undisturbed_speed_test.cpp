// What is known of a machine's speed changes when it is seen for sure.
#include "compiler/driver/measuring/undisturbed_speed.h"

#include <gtest/gtest.h>

namespace tessera::driver {
namespace {

TEST(UndisturbedSpeed, WhatIsLessThreeTimesCounts) {
  UndisturbedSpeed speed(nullptr, "machine", 2);
  speed.noteCalibration({.yardstickSeconds = 300e-6, .core = {6e-6, 11e-6}});
  for (const double outlier : {40e-6, 310e-6, 160e-6}) speed.noteYardstick(outlier);
  EXPECT_EQ(speed.get().yardstickSeconds, 300e-6);
  speed.noteYardstick(170e-6);
  EXPECT_EQ(speed.get().yardstickSeconds, 170e-6);
  for (const double little : {169e-6, 168e-6, 167e-6}) speed.noteYardstick(little);
  EXPECT_EQ(speed.get().yardstickSeconds, 170e-6);
  EXPECT_EQ(speed.get().core.throughput, 11e-6);
}

TEST(UndisturbedSpeed, TheStoreKeepsIt) {
  const auto store = costs::openSqliteStore(costs::kStoreInMemory);
  ASSERT_TRUE(store);
  UndisturbedSpeed(store->get(), "machine", 2)
      .noteCalibration({.yardstickSeconds = 160e-6, .core = {6e-6, 11e-6}});
  const UndisturbedSpeed again(store->get(), "machine", 2), other(store->get(), "machine", 1);
  EXPECT_EQ(again.get().yardstickSeconds, 160e-6);
  EXPECT_EQ(again.get().core.latency, 6e-6);
  EXPECT_EQ(again.get().core.throughput, 11e-6);
  EXPECT_EQ(other.get().yardstickSeconds, 0);
}

}  // namespace
}  // namespace tessera::driver
