// Which schedule what was measured speaks for.
#include "compiler/driver/schedules/learnt_schedules.h"

#include <gtest/gtest.h>

namespace tessera::driver {
namespace {

class LearntSchedulesTest : public testing::Test {
 protected:
  LearntSchedulesTest() : store_(*costs::openSqliteStore(costs::kStoreInMemory)) {}

  void keep(const std::string& schedule, std::vector<double> samples, uint32_t threads = 2) {
    const TimedSchedule timed{.target = target_.toString(),
                              .shapeClass = schedules_.shapeClass,
                              .schedule = schedule,
                              .samples = std::move(samples)};
    ASSERT_TRUE(LearntSchedules(*store_, threads).keep(std::span(&timed, 1)));
  }
  std::string fastest(uint32_t threads = 2) {
    const auto found = LearntSchedules(*store_, threads).fastest(target_, schedules_);
    EXPECT_TRUE(found) << found.error().toString();
    return found->value_or("its own");
  }
  bool isKnown() { return *LearntSchedules(*store_, 2).knows(target_, schedules_); }

  std::unique_ptr<costs::Store> store_;
  target::Target target_{.kind = "fast"};
  backend_api::Schedules schedules_{.shapeClass = "product 1x2x3", .choices = {"a", "b"}};
};

TEST_F(LearntSchedulesTest, TheFastestByItsMedian) {
  keep("", {10, 10, 10});
  keep("a", {8, 8, 1});
  keep("b", {7, 7, 100});
  EXPECT_EQ(fastest(), "b");
}

TEST_F(LearntSchedulesTest, TheTargetsOwnUnlessAnotherIsWorthwhile) {
  EXPECT_EQ(fastest(), "its own");
  keep("a", {8});
  EXPECT_EQ(fastest(), "its own") << "nobody knows what its own takes";
  keep("", {8.1});
  EXPECT_EQ(fastest(), "its own");
  keep("b", {7});
  EXPECT_EQ(fastest(), "b");
}

TEST_F(LearntSchedulesTest, WhatTheTargetNoLongerOffersCountsForNothing) {
  keep("", {10});
  keep("gone", {1});
  keep("a", {9});
  EXPECT_EQ(fastest(), "a");
}

TEST_F(LearntSchedulesTest, TheLastMeasurementCounts) {
  keep("", {10});
  keep("a", {1});
  keep("a", {11});
  EXPECT_EQ(fastest(), "its own");
}

TEST_F(LearntSchedulesTest, OtherNumbersOfThreadsAreOtherThings) {
  keep("", {10});
  keep("a", {5});
  EXPECT_EQ(fastest(1), "its own");
}

TEST_F(LearntSchedulesTest, AClassIsKnownOnceAllChoicesAre) {
  keep("", {10});
  keep("a", {5});
  EXPECT_FALSE(isKnown());
  keep("b", {5});
  EXPECT_TRUE(isKnown());
}

}  // namespace
}  // namespace tessera::driver
