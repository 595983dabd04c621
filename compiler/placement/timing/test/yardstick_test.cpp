// Samples by what was taken beside them.
#include "compiler/placement/timing/yardstick.h"

#include <gtest/gtest.h>

#include "compiler/placement/timing/summary.h"
#include "compiler/placement/timing/test/fake_machine.h"

namespace tessera::placement {
namespace {

TEST(Yardstick, SamplesAreAsOnTheMachineOfTheReference) {
  const std::vector<Measured> samples = {{.seconds = 3, .before = {2}, .after = {2}},
                                         {.seconds = 6, .before = {4}, .after = {4}},
                                         {.seconds = 4.5, .before = {2.9}, .after = {3.1}}};
  const auto all = [&](double reference) {
    return corrected(samples, {.reference = reference, .steadiness = 0.1, .slowdown = 2});
  };
  EXPECT_EQ(all(2), (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(all(4), (std::vector<double>{6, 6, 6}));
}

TEST(Yardstick, WhatADisturbedMachineTookCountsWhereThereIsNothingElse) {
  std::vector<Measured> samples = {{.seconds = 3, .before = {2}, .after = {2}},
                                   {.seconds = 4, .before = {4}, .after = {4}}};
  const Calm calm{.reference = 2};
  EXPECT_EQ(corrected(samples, calm), (std::vector<double>{3}));
  samples.erase(samples.begin());
  const std::vector<double> guessed = corrected(samples, calm);
  ASSERT_EQ(guessed.size(), 1U);
  EXPECT_DOUBLE_EQ(guessed.front(), 4 / 1.2);  // The yardstick lost half its speed, the work less.
}

TEST(Yardstick, SamplesInMidChangeAreLeftOut) {
  const std::vector<Measured> samples = {{.seconds = 1, .before = {1}, .after = {1.2}},
                                         {.seconds = 2, .before = {1.2}, .after = {1}},
                                         {.seconds = 3, .before = {1}, .after = {1.05}}};
  EXPECT_EQ(corrected(samples, {.reference = 1.025, .steadiness = 0.1}), (std::vector<double>{3}));
  EXPECT_EQ(corrected(samples, {.reference = 1, .steadiness = 0.3}).size(), 3U);
  EXPECT_TRUE(isSteady({.seconds = 1, .before = {1}, .after = {1.1}}, 0.1));
}

TEST(Yardstick, WorkSlowsDownAsACoreComputesNotAsThreadsWait) {
  // Cores far from each other, then a slower clock, then a faster one.
  const std::vector<Measured> samples = {
      {.seconds = 3, .before = {1.15, 1}, .after = {1.15, 1}},
      {.seconds = 3.3, .before = {1.1, 1.1}, .after = {1.1, 1.1}},
      {.seconds = 2.7, .before = {0.9, 0.9}, .after = {0.9, 0.9}}};
  const std::vector<double> seconds = corrected(samples, {.reference = 1});
  ASSERT_EQ(seconds.size(), 3U);
  for (const double each : seconds) EXPECT_DOUBLE_EQ(each, 3);
}

TEST(Yardstick, AClockThatGoesUpAndDownIsNoDisturbance) {
  const Calm calm{.reference = 1};
  EXPECT_TRUE(isCalm({.seconds = 1, .before = {1.3, 1.3}, .after = {1.1, 1.1}}, calm));
  EXPECT_FALSE(isCalm({.seconds = 1, .before = {1.3, 1}, .after = {1.3, 1}}, calm));  // They wait.
  EXPECT_FALSE(isCalm({.seconds = 1, .before = {1.6, 1.6}, .after = {1.6, 1.6}}, calm));
  EXPECT_TRUE(isCalm({.seconds = 1, .before = {1, 1, 1.1}, .after = {1, 1, 1}}, calm));
  EXPECT_FALSE(isCalm({.seconds = 1, .before = {1, 1, 1.6}, .after = {1, 1, 1}}, calm));  // Shared.
}

TEST(Yardstick, OneMachineHasOneReference) {
  const CoreSpeed known = {.latency = 6e-6, .throughput = 12e-6};
  EXPECT_EQ(referenceOf({}, known).latency, 6e-6);
  const auto expectReference = [&](const CoreSpeed& fast, const CoreSpeed& expected) {
    EXPECT_DOUBLE_EQ(referenceOf(known, fast).latency, expected.latency);
    EXPECT_DOUBLE_EQ(referenceOf(known, fast).throughput, expected.throughput);
  };
  expectReference({7e-6, 14e-6}, known);            // A slower clock.
  expectReference({5e-6, 10e-6}, known);            // A faster one.
  expectReference({6e-6, 24e-6}, known);            // Two share the core.
  expectReference({6e-6, 6e-6}, {6e-6, 6e-6});      // They did before.
  expectReference({0.6e-6, 1e-6}, {0.6e-6, 1e-6});  // Another machine.
}

TEST(Yardstick, AClockAndALoadAreToldApart) {
  const CoreSpeed reference = {.latency = 6e-6, .throughput = 12e-6};
  const Reading slower = readingOf(1, {12e-6, 24e-6}, reference);
  EXPECT_DOUBLE_EQ(slower.clock, 2);
  EXPECT_DOUBLE_EQ(slower.load, 1);
  const Reading loaded = readingOf(1, {6e-6, 24e-6}, reference);
  EXPECT_DOUBLE_EQ(loaded.clock, 1);
  EXPECT_DOUBLE_EQ(loaded.load, 2);
}

/// Whatever the machine is like while this runs.
TEST(Yardstick, ItTellsTheSpeedOfThisMachine) {
  Yardstick yardstick;
  const double seconds = yardstick.calibrate(0.01);
  EXPECT_TRUE(yardstick.core().isKnown());
  EXPECT_GT(seconds, yardstick.core().latency);
  const Reading reading = yardstick.time();
  EXPECT_GT(reading.clock, 0);
  EXPECT_GT(reading.load, 0);
}

TEST(Yardstick, WhereThreadsNeverHadCoresNothingIsSaid) {
  std::vector<Reading> readings(50, Reading{.seconds = 88, .clock = 1, .load = 2.1});
  EXPECT_FALSE(hadCores(readings));
  readings.resize(60, Reading{.seconds = 162, .clock = 1, .load = 1});
  EXPECT_TRUE(hadCores(readings));
}

TEST(Yardstick, BetweenTwoSpeedsTheFasterOneCounts) {
  const std::vector<Measured> samples = {{.seconds = 3, .before = {9}, .after = {1}}};
  EXPECT_EQ(corrected(samples, {.reference = 1}), (std::vector<double>{3}));
}

TEST(Yardstick, UndisturbedIsTheFastStateWithoutItsOutliers) {
  std::vector<Reading> readings(30, Reading{.seconds = 1});
  readings.resize(100, Reading{.seconds = 2});
  readings.push_back({.seconds = 0.1});  // Of a clock that jumped.
  EXPECT_EQ(undisturbed(readings), 1);
}

/// Two threads on one core compute at half the speed, and what one writes is near the other.
TEST(Yardstick, ASharedCoreIsNotUndisturbed) {
  std::vector<Reading> readings(50, Reading{.seconds = 162, .clock = 1, .load = 1});
  readings.resize(100, Reading{.seconds = 88, .clock = 1, .load = 2.1});
  EXPECT_EQ(undisturbed(readings), 162);
  EXPECT_EQ(undisturbed(std::span(readings).last(50)), 88);  // There is nothing else.
  readings.assign(10, Reading{.seconds = 88});               // Nobody knows.
  EXPECT_EQ(undisturbed(readings), 88);
}

TEST(Yardstick, AThrottlingThatComesAndGoesIsNoPartOfTheResult) {
  FakeMachine machine(1);
  machine.slowness = [](double now) { return static_cast<int>(now / 0.05) % 2 == 0 ? 1.0 : 2.0; };
  std::vector<Measured> samples(200);
  std::vector<Reading> readings = {{.seconds = machine.run(75e-6, 0.005)}};
  std::vector<double> raw;
  for (Measured& sample : samples) {
    sample = {.seconds = machine.run(1e-3, 0.02), .before = readings.back()};
    sample.after = {.seconds = machine.run(75e-6, 0.005)};
    readings.push_back(sample.after);
    raw.push_back(sample.seconds);
  }
  const std::vector<double> seconds =
      corrected(samples, {.reference = undisturbed(readings), .steadiness = 0.1, .slowdown = 2});
  EXPECT_LT(seconds.size(), samples.size());
  EXPECT_NEAR(median(seconds), 1e-3, 0.03e-3);
  EXPECT_LT(quantile(seconds, 0.99), 1.1e-3);  // Without them, half of all are about 2 ms.
  EXPECT_GT(quantile(raw, 0.75), 1.8e-3);
}

TEST(Yardstick, TheWorkIsDoneAndAlwaysTheSame) {
  Yardstick yardstick, other;
  yardstick.time();
  other.time();
  EXPECT_EQ(yardstick.result(0), other.result(0));
  EXPECT_GT(yardstick.result(0), 0);
  // 300,000 additions: no machine leaves out that they take time.
  EXPECT_GT(yardstick.time().seconds, 1e-6);
}

TEST(Yardstick, EveryThreadDoesItAndReadsWhatAnotherWrote) {
  std::vector<int> numBodies(3);
  Yardstick yardstick(3, [&](const Yardstick::Body& body) {
    for (size_t i = 0; i < 3; ++i, ++numBodies[i - 1]) body(i);
  });
  yardstick.time();
  EXPECT_EQ(numBodies[0], 16);  // Twice: waking up, computing, three times writing and reading.
  EXPECT_EQ(numBodies[2], numBodies[0]);
  EXPECT_EQ(yardstick.result(2), yardstick.result(0));
}

TEST(Yardstick, CalibratingGivesTheLeast) {
  Yardstick yardstick;
  double least = 0, once = 0;
  // Nothing is told while others have the cores: it comes true between what they do.
  for (int attempt = 0; attempt < 1000 && (least == 0 || once == 0); ++attempt) {
    least = yardstick.calibrate(0.02);
    once = yardstick.calibrate(0);
  }
  EXPECT_GT(least, 0);
  EXPECT_LE(least, once * 1.5);
}

}  // namespace
}  // namespace tessera::placement
