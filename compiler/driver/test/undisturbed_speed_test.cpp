// What is known of a machine's speed changes when it is seen for sure.
#include "compiler/driver/measuring/undisturbed_speed.h"

#include <gtest/gtest.h>

namespace tessera::driver {
namespace {

TEST(UndisturbedSpeed, WhatIsLessThreeTimesOfTenCounts) {
  UndisturbedSpeed speed(nullptr, "machine", 2);
  speed.noteYardstick(200e-6);  // Of a machine of which nothing is known.
  EXPECT_EQ(speed.get().yardstickSeconds, 0);
  speed.noteCalibration({.yardstickSeconds = 300e-6, .core = {6e-6, 11e-6}});
  for (const double outlier : {40e-6, 310e-6, 160e-6}) speed.noteYardstick(outlier);
  EXPECT_EQ(speed.get().yardstickSeconds, 300e-6);
  speed.noteYardstick(170e-6);
  EXPECT_EQ(speed.get().yardstickSeconds, 170e-6);
  for (const double little : {169e-6, 168e-6, 167e-6}) speed.noteYardstick(little);
  EXPECT_EQ(speed.get().yardstickSeconds, 170e-6);
  EXPECT_EQ(speed.get().core.throughput, 11e-6);
  for (int i = 0; i < 30; ++i) speed.noteYardstick(i % 5 == 0 ? 40e-6 : 175e-6);
  EXPECT_EQ(speed.get().yardstickSeconds, 170e-6);
}

/// Threads that share a core exchange data in less time than they ever do on two.
TEST(UndisturbedSpeed, WhatWasSeenOnASharedCoreGivesWay) {
  UndisturbedSpeed speed(nullptr, "machine", 2);
  speed.noteCalibration({.yardstickSeconds = 88e-6, .core = {6e-6, 22e-6}});
  EXPECT_EQ(speed.get().yardstickSeconds, 88e-6);  // There is nothing else.
  speed.noteCalibration({.yardstickSeconds = 162e-6, .core = {6e-6, 11e-6}});
  EXPECT_EQ(speed.get().yardstickSeconds, 162e-6);
  EXPECT_EQ(speed.get().core.throughput, 11e-6);
  speed.noteCalibration({.yardstickSeconds = 0, .core = {6e-6, 11e-6}});  // Nobody knows.
  EXPECT_EQ(speed.get().yardstickSeconds, 162e-6);
  speed.noteCalibration({.yardstickSeconds = 100e-6, .core = {4e-6, 7.4e-6}});  // Another machine.
  EXPECT_EQ(speed.get().yardstickSeconds, 100e-6);
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
