// Whether one plan beats another, over races in one process after the other: where memory lies, and
// which moment it is, makes more of a difference than chance within a race.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/timing/paired.h"

namespace tessera::placement {

/// By more than the noise and by half a percent, from pairs of turns (paired.h); or by half,
/// however few there are: who is that much slower leaves a race early.
bool isSurelyFaster(std::span<const Turn> challenger, std::span<const Turn> incumbent);

class Duel {
 public:
  void addRace(std::span<const Turn> challenger, std::span<const Turn> incumbent);

  size_t numRaces() const { return numRaces_; }
  /// The challenger was not ahead in each race.
  bool isLost() const { return isLost_; }
  /// It is surely faster, over all races.
  bool isWon() const;

 private:
  Pairs pairs_;  ///< Of all races.
  size_t numRaces_ = 0;
  bool isLost_ = false;
};

}  // namespace tessera::placement
