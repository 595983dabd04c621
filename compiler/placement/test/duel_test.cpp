// Who wins over several races.
#include "compiler/placement/whole_plans/duel.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera::placement {
namespace {

std::vector<Turn> turns(std::mt19937_64& random, double seconds, size_t count = 9) {
  std::normal_distribution<double> noise(seconds, seconds * 0.03);
  std::vector<Turn> turns(count);
  for (Turn& each : turns) each.seconds = noise(random);
  return turns;
}

TEST(Duel, AFewSamplesOfEachRaceAddUp) {
  std::mt19937_64 random(1);
  size_t numWonAtOnce = 0, numWon = 0;
  constexpr int kDuels = 50;
  for (int i = 0; i < kDuels; ++i) {
    Duel duel;
    for (int race = 0; race < 4; ++race) {
      duel.addRace(turns(random, 0.97), turns(random, 1));
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
  duel.addRace(turns(random, 0.5), turns(random, 1));
  EXPECT_TRUE(duel.isWon());
  duel.addRace(turns(random, 1.1), turns(random, 1));
  EXPECT_TRUE(duel.isLost());
  EXPECT_FALSE(duel.isWon());
}

TEST(Duel, EqualPlansHardlyWin) {
  std::mt19937_64 random(1);
  size_t numWon = 0;
  for (int i = 0; i < 200; ++i) {
    Duel duel;
    for (int race = 0; race < 3; ++race) duel.addRace(turns(random, 1), turns(random, 1));
    numWon += duel.isWon() ? 1 : 0;
  }
  EXPECT_LE(numWon, 2U);
}

/// Two that are far apart only while nothing disturbs the machine, which is most of neither race.
TEST(Duel, WhoWinsOnACalmMachineWins) {
  std::vector<Turn> challenger, incumbent;
  for (int i = 0; i < 20; ++i) {
    const bool isCalm = i % 3 == 0;
    challenger.push_back({.seconds = isCalm ? 38e-6 : 53e-6, .isCalm = isCalm});
    incumbent.push_back({.seconds = isCalm ? 45e-6 : 50e-6, .isCalm = isCalm});
  }
  Duel duel, disturbed;
  duel.addRace(challenger, incumbent);
  EXPECT_TRUE(duel.isWon());
  for (Turn& each : incumbent) each.isCalm = false;
  disturbed.addRace(challenger, incumbent);  // There is nothing better than all of them.
  EXPECT_TRUE(disturbed.isLost());
}

TEST(Duel, WhoLeftTheRaceAtOnceIsMuchSlower) {
  Duel duel;
  duel.addRace(std::vector<Turn>(9, {1.0}), std::vector<Turn>(1, {4.0}));
  EXPECT_TRUE(duel.isWon());
  Duel unknown;
  unknown.addRace({}, std::vector<Turn>(9, {1.0}));
  EXPECT_TRUE(unknown.isLost());
}

}  // namespace
}  // namespace tessera::placement
