// Whether one plan beats another, over races in one process after the other: where memory lies, and
// which moment it is, makes more of a difference than chance within a race.
#pragma once

#include <span>
#include <vector>

namespace tessera::placement {

/// By more than the noise and by half a percent, from samples taken in turns; or by half, however
/// few samples there are: who is that much slower leaves a race early.
bool isSurelyFaster(std::span<const double> challenger, std::span<const double> incumbent);

class Duel {
 public:
  /// The samples of one race, the i-th right before or after the other's i-th.
  void addRace(std::span<const double> challenger, std::span<const double> incumbent);

  size_t numRaces() const { return numRaces_; }
  /// The challenger was not ahead in each race.
  bool isLost() const { return isLost_; }
  /// It is surely faster, over all races.
  bool isWon() const { return !isLost_ && isSurelyFaster(challenger_, incumbent_); }

 private:
  std::vector<double> challenger_, incumbent_;  ///< In pairs.
  size_t numRaces_ = 0;
  bool isLost_ = false;
};

}  // namespace tessera::placement
