// Races on machines made up: fair ones, throttled ones, noisy ones.
#include "compiler/placement/timing/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/placement/timing/paired.h"
#include "compiler/placement/timing/test/fake_machine.h"

namespace tessera::placement {
namespace {

double total(const RaceResult& result, size_t competitor) {
  return static_cast<double>(result.competitors[competitor].samples.size());
}

/// Who has the least median of those that stayed to the end; else of those that left for one that
/// failed later.
std::optional<size_t> winnerOf(const RaceResult& result) {
  std::optional<size_t> best;
  for (size_t i = 0; i < result.competitors.size(); ++i) {
    const Competitor& each = result.competitors[i];
    if (each.finish == Finish::kFailed) continue;
    const auto rank = [](const Competitor& of) {
      return std::pair(of.finish == Finish::kSlower, of.summary.median);
    };
    if (!best || rank(each) < rank(result.competitors[*best])) best = i;
  }
  return best;
}

TEST(Race, TheFastestWinsAndIntervalsAreNarrow) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    FakeMachine machine(seed);
    const RaceResult result = race(machine.track({1.1e-3, 1e-3, 1.3e-3}), {.seed = seed});
    ASSERT_EQ(winnerOf(result), 1U) << seed;
    const Competitor& best = result.competitors[1];
    EXPECT_EQ(best.finish, Finish::kNarrow);
    EXPECT_LE(best.summary.relativeHalfWidth(), 0.02);
    EXPECT_NEAR(best.summary.median, 1e-3, 0.03e-3);
    EXPECT_EQ(result.competitors[2].finish, Finish::kSlower);
  }
}

TEST(Race, LookingAfterEachRoundCostsLittleOfTheLevel) {
  int numHeld = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    FakeMachine machine(seed);
    machine.noise = 0.04;
    const RaceResult result =
        race(machine.track({1e-3, 1.005e-3}), {.calm = {.reference = 75e-6}, .seed = seed});
    const Summary& summary = result.competitors[0].summary;
    if (summary.low <= 1e-3 && 1e-3 <= summary.high) ++numHeld;
  }
  EXPECT_GE(numHeld, 455);  // 91 % of intervals at 95 %.
}

TEST(Race, AClearLoserIsAskedFewTimes) {
  FakeMachine machine(1);
  machine.noise = 0.06;
  const RaceResult result = race(machine.track({1e-3, 1.02e-3, 1.5e-3, 20e-3}));
  EXPECT_EQ(total(result, 3), 1);  // Beside its warm-up.
  EXPECT_LE(result.competitors[3].warmup.size(), 5U);
  EXPECT_LE(total(result, 2), 10);
  EXPECT_EQ(result.competitors[2].finish, Finish::kSlower);
  EXPECT_GE(total(result, 0), 25);
  EXPECT_EQ(total(result, 0), total(result, 1));  // Those that may win stay together.
}

TEST(Race, WhoDoesOtherWorkLeavesWhenItIsKnown) {
  FakeMachine machine(1);
  const RaceResult result = race(machine.track({1e-3, 20e-3}), {.areRivals = false});
  for (const Competitor& competitor : result.competitors) {
    EXPECT_EQ(competitor.finish, Finish::kNarrow);
    EXPECT_LE(competitor.summary.relativeHalfWidth(), 0.02);
  }
  EXPECT_NEAR(result.competitors[1].summary.median, 20e-3, 0.6e-3);
}

TEST(Race, AThrottlingInMidRaceIsNoPartOfTheResult) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    FakeMachine machine(seed);
    machine.slowness = [](double now) { return now < 0.04 ? 1.0 : 2.0; };
    const RaceResult result =
        race(machine.track({1e-3, 1.05e-3}), {.relativeHalfWidth = 0, .maxSamples = 60});
    EXPECT_EQ(winnerOf(result), 0U) << seed;
    EXPECT_NEAR(result.competitors[0].summary.median, 1e-3, 0.03e-3) << seed;
    EXPECT_NEAR(result.competitors[1].summary.median, 1.05e-3, 0.03e-3) << seed;
    // Without the yardstick the median is wherever the step was.
    EXPECT_GT(summarize(secondsOf(result.competitors[0].turns)).median, 1.5e-3) << seed;
  }
}

TEST(Race, ADisturbedMachineIsWaitedFor) {
  FakeMachine machine(1);
  // Work loses less than the yardstick does: what is divided out would be too much.
  const auto isDisturbed = [&] { return machine.clock > 0.02 && machine.clock < 0.1; };
  Track track{
      .numCompetitors = 1,
      .sample = [&](size_t) -> Result<double> {
        return machine.run(isDisturbed() ? 1.4e-3 : 1e-3, 0.02);
      },
      .yardstick =
          [&] { return Reading{.seconds = machine.run(isDisturbed() ? 150e-6 : 75e-6, 0.005)}; },
      .now = [&] { return machine.clock; }};
  const RaceOptions options{
      .relativeHalfWidth = 0, .minSamples = 30, .maxSamples = 30, .patience = 1};
  const Competitor patient = race(track, options).competitors.front();
  EXPECT_EQ(patient.seconds.size(), 30U);
  for (const double seconds : secondsOf(patient.turns)) EXPECT_LT(seconds, 1.2e-3);
  machine.clock = 0;
  RaceOptions impatient = options;
  impatient.patience = 0;
  const Competitor other = race(track, impatient).competitors.front();
  EXPECT_LT(other.seconds.size(), 30U);  // Those in between count for nothing.
  EXPECT_EQ(other.samples.size(), 30U);
  const size_t numCalm = std::ranges::count(other.turns, true, &Turn::isCalm);
  EXPECT_EQ(numCalm, other.seconds.size());
}

TEST(Race, SamplesThatDoNotCountAreTakenAgainWhateverTheTime) {
  FakeMachine machine(1);
  // Every other stretch of 10 ms.
  const auto isDisturbed = [&] { return static_cast<int>(machine.clock / 0.01) % 2 == 1; };
  const Track track{
      .numCompetitors = 1,
      .sample = [&](size_t) -> Result<double> { return machine.run(1e-3, 0.02); },
      .yardstick =
          [&] { return Reading{.seconds = machine.run(isDisturbed() ? 150e-6 : 75e-6, 0.005)}; },
      .now = [&] { return machine.clock; }};
  const RaceOptions options{.relativeHalfWidth = 0,
                            .minSamples = 20,
                            .maxSeconds = 0,
                            .calm = {.reference = 75e-6},
                            .areRivals = false};
  const Competitor all = race(track, options).competitors.front();
  EXPECT_EQ(all.seconds.size(), 20U);
  EXPECT_GT(all.samples.size(), 25U);
  EXPECT_LE(all.samples.size(), 60U);
}

/// Two threads on one core exchange data faster than those on two do.
TEST(Race, ASharedCoreIsADisturbanceHoweverFastTheYardstick) {
  FakeMachine machine(1);
  Track track = machine.track({1e-3});
  track.yardstick = [] { return Reading{.seconds = 50e-6, .clock = 1, .load = 2}; };
  const RaceOptions options{.minSamples = 5, .maxSamples = 5, .calm = {.reference = 75e-6}};
  const Competitor shared = race(track, options).competitors.front();
  EXPECT_GT(shared.disturbedYardstick, 75e-6 * 1.1);
  EXPECT_EQ(std::ranges::count(shared.turns, true, &Turn::isCalm), 0);
  track.yardstick = [] { return Reading{.seconds = 80e-6, .clock = 1, .load = 1.1}; };
  EXPECT_EQ(race(track, options).competitors.front().disturbedYardstick, 0);
}

TEST(Race, PatienceEnds) {
  FakeMachine machine(1);
  const Track track = machine.track({1e-3});
  const RaceResult result =
      race(track, {.minSamples = 5, .maxSamples = 5, .calm = {.reference = 1e-6}, .patience = 0.5});
  EXPECT_EQ(result.competitors.front().samples.size(), 5U);
  EXPECT_GE(machine.clock, 0.5);
  EXPECT_LT(machine.clock, 0.6);
}

TEST(Race, DriftDecidesNothingWhereOneAfterTheOtherItWould) {
  int numWrongInOrder = 0, numWrong = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto slower = [](double now) { return 1 + now * 4; };
    FakeMachine machine(seed);
    machine.slowness = slower;
    std::vector<double> first,
        second;  // The slower one goes first, on a machine that is still fast.
    for (int i = 0; i < 40; ++i) first.push_back(machine.run(1.05e-3, 0.02));
    for (int i = 0; i < 40; ++i) second.push_back(machine.run(1e-3, 0.02));
    if (median(first) < median(second)) ++numWrongInOrder;

    FakeMachine again(seed);
    again.slowness = slower;
    Track track = again.track({1.05e-3, 1e-3});
    track.yardstick = {};  // Interleaving alone.
    const RaceResult result = race(track, {.relativeHalfWidth = 0, .maxSamples = 40, .seed = seed});
    if (winnerOf(result) != 1U) ++numWrong;
    EXPECT_TRUE(comparePaired(secondsOf(result.competitors[1].turns),
                              secondsOf(result.competitors[0].turns))
                    .isFaster)
        << seed;
  }
  EXPECT_EQ(numWrongInOrder, 50);
  EXPECT_LE(numWrong, 1);
}

TEST(Race, WarmingUpLastsAsLongAsTimesFall) {
  std::vector<size_t> numAsked(2, 0);
  const Track track{.numCompetitors = 2,
                    .sample = [&](size_t i) -> Result<double> {
                      const auto call = static_cast<double>(numAsked[i]++);
                      return 1e-3 * (1 + (i == 1 ? 2 * std::exp(-call / 2) : 0));
                    },
                    .now = [] { return 0.0; }};
  const RaceResult result = race(track);
  EXPECT_EQ(result.competitors[0].warmup.size(), 3U);
  EXPECT_GE(result.competitors[1].warmup.size(), 8U);
  EXPECT_LE(result.competitors[1].warmup.size(), 20U);
  EXPECT_NEAR(result.competitors[1].summary.median, 1e-3, 0.05e-3);
  const RaceResult bounded = race(track, {.maxWarmup = 2});
  EXPECT_EQ(bounded.competitors[0].warmup.size(), 2U);
}

TEST(Race, EveryRoundHasItsOwnOrder) {
  std::vector<size_t> asked;
  const Track track{.numCompetitors = 3,
                    .sample = [&](size_t i) -> Result<double> {
                      asked.push_back(i);
                      return 1.0;
                    },
                    .now = [] { return 0.0; }};
  const RaceOptions options{.relativeHalfWidth = -1, .maxSamples = 300, .maxWarmup = 0};
  race(track, options);
  ASSERT_EQ(asked.size(), 900U);
  std::map<std::vector<size_t>, int> orders;
  for (size_t i = 0; i < asked.size(); i += 3) ++orders[{&asked[i], &asked[i] + 3}];
  ASSERT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 50, 25);
  const std::vector<size_t> first = std::exchange(asked, {});
  race(track, options);
  EXPECT_EQ(asked, first);  // Equal seeds, equal orders.
}

TEST(Race, WhoFailsIsAskedNoMore) {
  for (const size_t failsAt : {0, 2, 5}) {
    FakeMachine machine(1);
    Track track = machine.track({1e-3, 0.5e-3, 1.1e-3});
    size_t numAsked = 0;
    track.sample = [&, sample = track.sample](size_t i) -> Result<double> {
      if (i == 1 && numAsked++ == failsAt) return targetFailed("it crashed");
      return sample(i);
    };
    const RaceResult result = race(track);
    EXPECT_EQ(numAsked, failsAt + 1);
    EXPECT_EQ(result.competitors[1].finish, Finish::kFailed);
    EXPECT_EQ(result.competitors[1].error->message, "it crashed");
    EXPECT_EQ(winnerOf(result), 0U);
  }
}

TEST(Race, TimeIsBounded) {
  FakeMachine machine(1);
  machine.noise = 0.3;
  const RaceResult result =
      race(machine.track({0.1, 0.11}), {.relativeHalfWidth = 0.001, .maxSeconds = 3});
  EXPECT_GE(machine.clock, 3);
  EXPECT_LT(machine.clock, 3.5);
  EXPECT_EQ(result.competitors[0].finish, Finish::kSpent);
  FakeMachine slow(1);
  const RaceResult none = race(slow.track({10, 30, 20}), {.maxSeconds = 1});
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(total(none, i), 1);
  EXPECT_EQ(winnerOf(none), 0U);
}

TEST(Race, NumbersOfSamplesAreBounded) {
  FakeMachine machine(1);
  machine.noise = 0.5;
  const RaceResult result = race(machine.track({1e-3, 1e-3}), {.maxSamples = 17});
  EXPECT_EQ(total(result, 0), 17);
  EXPECT_EQ(result.competitors[1].finish, Finish::kSpent);
}

TEST(Race, AGivenReferenceMakesRacesComparable) {
  for (const double speed : {1.0, 1.15}) {
    FakeMachine machine(1);
    machine.slowness = [speed](double) { return speed; };
    const RaceResult result = race(machine.track({1e-3}), {.calm = {.reference = 75e-6}});
    EXPECT_NEAR(result.competitors[0].summary.median, 1e-3, 0.03e-3) << speed;
  }
}

TEST(Race, NobodyRacesAlone) { EXPECT_TRUE(race({.numCompetitors = 0}).competitors.empty()); }

}  // namespace
}  // namespace tessera::placement
