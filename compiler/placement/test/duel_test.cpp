// Who wins over several races.
#include "compiler/placement/whole_plans/duel.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera::placement {
namespace {

std::vector<double> samples(std::mt19937_64& random, double seconds, size_t count = 9) {
  std::normal_distribution<double> noise(seconds, seconds * 0.03);
  std::vector<double> times(count);
  for (double& each : times) each = noise(random);
  return times;
}

TEST(Duel, AFewSamplesOfEachRaceAddUp) {
  std::mt19937_64 random(1);
  size_t numWonAtOnce = 0, numWon = 0;
  constexpr int kDuels = 50;
  for (int i = 0; i < kDuels; ++i) {
    Duel duel;
    for (int race = 0; race < 4; ++race) {
      duel.addRace(samples(random, 0.97), samples(random, 1));
      if (race == 0 && duel.isWon()) ++numWonAtOnce;
    }
    EXPECT_EQ(duel.numRaces(), 4U);
    numWon += duel.isWon() ? 1 : 0;
  }
  EXPECT_LT(numWonAtOnce, kDuels / 3);
  EXPECT_GT(numWon, kDuels / 2);
}

TEST(Duel, WhoIsNotAheadInOneOfThemLoses) {
  std::mt19937_64 random(1);
  Duel duel;
  duel.addRace(samples(random, 0.5), samples(random, 1));
  EXPECT_TRUE(duel.isWon());
  duel.addRace(samples(random, 1.1), samples(random, 1));
  EXPECT_TRUE(duel.isLost());
  EXPECT_FALSE(duel.isWon());
}

TEST(Duel, EqualPlansHardlyWin) {
  std::mt19937_64 random(1);
  size_t numWon = 0;
  for (int i = 0; i < 200; ++i) {
    Duel duel;
    for (int race = 0; race < 3; ++race) duel.addRace(samples(random, 1), samples(random, 1));
    numWon += duel.isWon() ? 1 : 0;
  }
  EXPECT_LE(numWon, 2U);
}

TEST(Duel, WhoLeftTheRaceAtOnceIsMuchSlower) {
  Duel duel;
  duel.addRace(std::vector<double>(9, 1.0), std::vector<double>(1, 4.0));
  EXPECT_TRUE(duel.isWon());
  Duel unknown;
  unknown.addRace({}, std::vector<double>(9, 1.0));
  EXPECT_TRUE(unknown.isLost());
}

}  // namespace
}  // namespace tessera::placement
