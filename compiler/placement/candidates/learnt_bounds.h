// What measurements of some candidates say about others.
#pragma once

#include <map>

#include "compiler/placement/candidates/candidate_set.h"

namespace tessera::placement {

/// Estimates of candidates that were not measured, on the careful side: bounds below which a
/// measurement hardly falls. A target's time for an operator is its least share of a measured tile
/// that holds it, shared out as the roofline says; where there is none, what the best of the others
/// took for it times the least ratio of this target to that over operators of its name. Their sum
/// over a tile, times nearly the least ratio of any of the target's tiles to such a sum, is the
/// bound.
/// Only the roofline (lower_bound.h) is one for sure: what is learnt can be wrong where a target
/// does far better at one candidate than at all that were measured before it.
class LearntBounds {
 public:
  LearntBounds(const OperatorGraph& graph, const partition::OwnerIndex& owners,
               const CandidateSet& candidates);

  /// Candidate classes worth measuring first, for others to be judged by: single operators, a few
  /// of each name, from the largest to the smallest, by every target that takes them.
  std::vector<size_t> someSingles() const;
  /// Those next: single operators that nobody measured, by targets that are not out of the
  /// question for operators of their name.
  std::vector<size_t> otherSingles() const;
  void learn(size_t candidateClass, double seconds);
  /// In seconds; 0 while too little is known.
  double of(size_t candidateClass) const;

 private:
  using Kind = size_t;  ///< Operators of one name, attributes and types.

  struct TargetTimes {
    bool isOfProcessors = true;   ///< Rooflines hold: nobody told bounds of their own.
    std::vector<double> seconds;  ///< By kind; infinite where nothing is known.
    std::vector<double> ratios;   ///< Of tiles of several operators to sums over them, ascending.
  };

  double rooflineOf(size_t target, Kind kind) const;
  double estimate(size_t target, Kind kind) const;
  double sumOf(size_t target, llvm::ArrayRef<uint32_t> nodes) const;
  double leastRatioToTheBest(size_t target, llvm::StringRef name) const;
  double ratioOfTiles(size_t target) const;

  struct ClassTile {
    size_t target = 0;
    llvm::ArrayRef<uint32_t> nodes;
  };
  std::vector<Kind> kinds_;             ///< By node.
  std::vector<llvm::StringRef> names_;  ///< By kind.
  std::vector<double> weights_;         ///< By kind: seconds, the roofline of it alone.
  std::vector<ClassTile> tiles_;        ///< By candidate class; without nodes: it has no tile.
  std::vector<TargetTimes> times_;      ///< By target.
};

}  // namespace tessera::placement
