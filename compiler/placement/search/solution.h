// A choice of candidates, what it costs and whether it is one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/placement/problem.h"
#include "compiler/placement/search/ticks.h"

namespace tessera::placement::search {

using CandidateId = uint32_t;  ///< Index into Problem::candidates.

struct Solution {
  std::vector<CandidateId> chosen = {};  ///< By first node.
  double seconds = 0;
  double lowerBound = 0;    ///< No choice costs less.
  std::string solver = {};  ///< "tree", "ilp" or "frontier".
  std::string remark = {};  ///< Why not a better solver; empty where there is none.

  /// How much more than necessary it may cost, as a share of its cost.
  double gap() const { return seconds > lowerBound ? (seconds - lowerBound) / seconds : 0; }
};

/// The `count` cheapest of both, each once, cheapest first.
std::vector<Solution> cheapestOf(std::vector<Solution> a, std::vector<Solution> b, size_t count);

/// Which chosen candidate each node is in. For choices that cover each node once.
class Cover {
 public:
  Cover(const Problem& problem, std::span<const CandidateId> chosen);

  CandidateId operator[](NodeId node) const { return of_[node]; }
  void replace(CandidateId candidate);  ///< Gives it its nodes.

  /// The state in which a value is given. Of one that nobody gives: 0.
  StateId given(ValueId value) const;
  /// Calls with the class of each conversion that is paid for a value.
  template <typename Visit>
  void forEachConversion(ValueId value, Visit visit) const;
  Ticks conversionTicks(ValueId value) const;

 private:
  /// One bit for each state in which somebody needs it from outside.
  uint64_t needed(ValueId id) const;

  const Problem* problem_;
  std::vector<CandidateId> of_;
};

/// The classes of all that a choice pays, each as often as it is paid, without kFree: those of its
/// candidates, and of a conversion for each value and each state, other than the one in which it
/// is given, that a candidate outside its producer's reads it in or the model returns it in.
std::vector<ClassId> paidClasses(const Problem& problem, std::span<const CandidateId> chosen);
/// Their sum: what every solver minimises.
Ticks costOf(const Problem& problem, std::span<const CandidateId> chosen);

/// Whether each node is in one chosen candidate, the candidates can run one after another, and all
/// of it can be had. Errors (kInvalidInput): what does not hold.
Status checkChoice(const Problem& problem, std::span<const CandidateId> chosen);

template <typename Visit>
void Cover::forEachConversion(ValueId value, Visit visit) const {
  const uint64_t states = needed(value);
  if (states == 0) return;
  const StateId from = given(value);
  for (StateId to = 0; to < problem_->values[value].numStates; ++to)
    if (to != from && (states >> to & 1) != 0) visit(problem_->values[value].conversion(from, to));
}

}  // namespace tessera::placement::search
