// Faster by more than the noise, and not by luck.
#include "compiler/placement/timing/paired.h"

#include <gtest/gtest.h>

#include "compiler/placement/timing/test/fake_machine.h"

namespace tessera::placement {
namespace {

/// Pairs of a challenger of some speed and an incumbent of 1 ms on a machine that gets slower.
Comparison onADriftingMachine(double challenger, double leastGain, uint64_t seed) {
  FakeMachine machine(seed);
  machine.slowness = [](double now) { return 1 + now * 5; };
  std::vector<double> first, second;
  for (int i = 0; i < 40; ++i) {
    if (i % 2 == 0) first.push_back(machine.run(challenger, 0.03));
    second.push_back(machine.run(1e-3, 0.03));
    if (i % 2 == 1) first.push_back(machine.run(challenger, 0.03));
  }
  return comparePaired(first, second, {.leastGain = leastGain});
}

TEST(Paired, WhatIsNotFasterRarelyWins) {
  int numWon = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    if (onADriftingMachine(1e-3, 0, seed).isFaster) ++numWon;
  }
  EXPECT_LE(numWon, 35);  // One side of 95 %.
}

TEST(Paired, WhatIsFasterWins) {
  int numWon = 0, numWonEnough = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Comparison comparison = onADriftingMachine(0.95e-3, 0, seed);
    EXPECT_NEAR(comparison.ratio.median, 0.95, 0.04);
    if (comparison.isFaster) ++numWon;
    if (onADriftingMachine(0.95e-3, 0.05, seed).isFaster) ++numWonEnough;
  }
  EXPECT_GE(numWon, 190);
  EXPECT_LE(numWonEnough, 10);  // It has to gain more than it does.
}

TEST(Paired, CalmTurnsArePairedWhereThereAreEnough) {
  const auto turns = [](double seconds, int numCalm) {
    std::vector<Turn> turns;
    for (int i = 0; i < 12; ++i) turns.push_back({.seconds = seconds + i, .isCalm = i < numCalm});
    return turns;
  };
  const Pairs calm = pairsOf(turns(100, 6), turns(200, 12));
  EXPECT_EQ(calm.challenger, (std::vector<double>{100, 101, 102, 103, 104, 105}));
  EXPECT_EQ(calm.incumbent, (std::vector<double>{200, 201, 202, 203, 204, 205}));
  EXPECT_EQ(pairsOf(turns(100, 5), turns(200, 12)).challenger.size(), 12U);
  EXPECT_EQ(pairsOf(turns(100, 12), {}).challenger.size(), 0U);
}

TEST(Paired, FewPairsDecideNothing) {
  const std::vector<double> fast(5, 1.0), slow(50, 9.0);
  EXPECT_FALSE(comparePaired(fast, slow).isFaster);
  EXPECT_EQ(comparePaired(fast, slow).ratio.numSamples, 5U);
  EXPECT_TRUE(comparePaired(std::vector<double>(6, 1.0), slow).isFaster);
  EXPECT_FALSE(comparePaired({}, slow).isFaster);
}

}  // namespace
}  // namespace tessera::placement
