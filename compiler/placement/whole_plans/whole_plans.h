// Plans that run end to end, in turns.
#pragma once

#include "compiler/placement/find_plan.h"
#include "compiler/placement/placed_calls.h"

namespace tessera::placement {

class WholePlans {
 public:
  /// All of these are to outlive it.
  WholePlans(const PlanRequest& request, const OperatorGraph& graph)
      : request_(request), graph_(graph) {}

  /// Gives its number: that of the same plan of the search where there is one. What a target alone
  /// makes of a model runs beside it all the same, in its own name.
  size_t add(Contestant contestant);
  const Contestant& operator[](size_t number) const { return contestants_[number]; }
  Contestant& operator[](size_t number) { return contestants_[number]; }
  size_t size() const { return contestants_.size(); }

  /// Runs these against each other: their times are those of this race from now on. Times of
  /// others change as those of plans that had run before do.
  void race(const std::vector<size_t>& numbers, bool areRivals = true);
  /// These, the winner where there is one, and the fastest of the others.
  void raceWithBest(std::vector<size_t> numbers, std::optional<size_t> winner,
                    bool areRivals = true);
  /// Of those that ran, the fastest that is, or is not, of the search; nothing where none ran.
  std::optional<size_t> fastest(bool isOfSearch) const;
  std::optional<size_t> fastest() const;  ///< Of all.
  /// It, and those of no search that take no more than a share longer; of equal programs one.
  std::vector<size_t> nearlyAsFastAs(size_t number, double share);
  /// By more than the noise, in the race that both were in last.
  bool isFaster(size_t challenger, size_t incumbent) const;
  /// It, and those of the search that are not slower by more than the noise.
  std::vector<size_t> asFastAs(size_t number) const;
  /// What was wrong with the machine during the races, each once.
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// What it calls; empty where it cannot be placed. Known once asked for.
  const std::vector<PlacedCall>& calls(size_t number);

  /// Of those that are as fast as `ofSearch`, and faster than `other`, the one that changes targets
  /// least.
  size_t simplest(size_t ofSearch, size_t other) const;

  /// All of them, the winner in front: the given one, else the fastest that has no search behind
  /// it.
  std::vector<Contestant> take(std::optional<size_t> winner) &&;
  /// The same with the one in front that takes the least memory, of those that are slower than the
  /// fastest by no more than `latencyBound`, in the race that both were in.
  std::vector<Contestant> takeSmallest(double latencyBound) &&;

 private:
  std::vector<double> secondsOfAll() const;
  void scaleOthers(llvm::ArrayRef<double> before);
  void scaleToOne(const std::vector<size_t>& numbers);

  const PlanRequest& request_;
  const OperatorGraph& graph_;
  std::vector<Contestant> contestants_;
  size_t numRaces_ = 0;
  std::vector<std::string> remarks_;
  std::vector<std::optional<std::vector<PlacedCall>>> calls_;
};

}  // namespace tessera::placement
