// What candidates and conversions cost, as far as it is known.
#pragma once

#include <chrono>
#include <limits>
#include <set>

#include "compiler/placement/candidates/learnt_bounds.h"
#include "compiler/placement/costing/calibration.h"
#include "compiler/placement/costing/class_subjects.h"
#include "compiler/placement/search/lazy.h"

namespace tessera::placement {

/// The problem of a set of candidates, and who fills it with measurements.
class PartCosts {
 public:
  /// All of these are to outlive it; the set may grow (grow()).
  PartCosts(const PlanRequest& request, const OperatorGraph& graph,
            const partition::OwnerIndex& owners, const CandidateSet& candidates);

  const SearchProblem& search() const { return search_; }
  search::Problem& problem() { return search_.problem; }
  /// By candidate class; those measured.
  const llvm::DenseMap<size_t, Measurement>& measurements() const { return measurements_; }
  size_t numMeasured() const { return numMeasured_; }
  size_t numRounds() const { return numRounds_; }
  /// Whether not all was measured that was asked for.
  bool isCutShort() const { return isCutShort_; }

  /// Makes the problem anew after the set got more candidates; what is known stays known.
  void grow();
  /// A look at every operator by itself, from which bounds are learnt.
  void survey();
  /// Classes that nobody looked at get a glance, and what would do the same work as any of them
  /// does, too; the others are measured carefully. False: measuring is to stop.
  bool measure(const search::Round& round);
  /// What was measured on a disturbed machine may be much cheaper: from now on it costs a bound,
  /// and is measured again, once, where that matters. False: nothing was.
  bool doubtDisturbed();
  /// What a choice costs, after measuring what of it was not.
  double measuredSum(const std::vector<search::CandidateId>& chosen);
  /// What the tiles of a choice cost, measured once more: it was chosen by what they took before.
  double tilesMeasuredAgain(const std::vector<search::CandidateId>& chosen);
  /// What a call takes by itself, where a candidate or a conversion that is the same was measured
  /// carefully.
  std::optional<double> aloneOf(const PlacedCall& call) const;
  /// The same after measuring it, where there is one.
  std::optional<double> measuredAloneOf(const PlacedCall& call);
  /// Measures those of the calls once more that were measured on a disturbed machine, while there
  /// is patience: it may have come to rest. False: there were none.
  bool timeDisturbedAgain(llvm::ArrayRef<PlacedCall> calls);
  /// Memory that the runtime has for a call by itself; 0 where that was not measured.
  uint64_t memoryOf(const PlacedCall& call) const;
  /// Nothing whose memory is known and more may be chosen; what is measured from now on, neither.
  void limitMemory(uint64_t bytes);
  /// A call that ran in a model, and what it took there by what it was to take.
  struct Seen {
    PlacedCall call;
    double ratio = 1;
  };
  /// From now on the costs of the problem are those in a model: what the calibration says, times
  /// what was seen of the same class.
  void calibrate(const Calibration& calibration, llvm::ArrayRef<Seen> seen);
  /// What calls of this class take in models by what the calibration says.
  double correctionOf(const PlacedCall& call) const;

 private:
  /// A cost class as it was measured.
  struct Known {
    search::CostClass cost = {};  ///< Without what a change costs.
    double alone = 0;
    double correction = 1;
  };

  void report(const search::Round& round) const;
  double inModel(search::ClassId id, double alone) const;
  uint64_t memoryOf(search::ClassId id) const;
  void setUp();
  void rebuild();
  std::vector<search::ClassId> withRivals(const std::vector<search::ClassId>& classes) const;
  void raiseBounds();
  double boundOfGlance(search::ClassId id, const Measurement& glance) const;
  void measure(const std::vector<search::ClassId>& classes, Effort effort);
  void take(search::ClassId id, const Measurement& measurement, Effort effort);
  void takeOne(search::ClassId id, Measurement measurement, Effort effort);
  void setSeen(search::ClassId id);
  bool isStopped() const;
  void settleForGlances();

  const PlanRequest& request_;
  const OperatorGraph& graph_;
  const partition::OwnerIndex& owners_;
  const CandidateSet& set_;
  SearchProblem search_;
  ClassSubjects subjects_;
  size_t numMeasured_ = 0, numRounds_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool isCutShort_ = false;
  std::vector<bool> isSeen_;         ///< By cost class: somebody looked at it.
  std::vector<double> alone_;        ///< By cost class, of those measured carefully.
  std::vector<double> corrections_;  ///< By cost class, times what the calibration says.
  std::set<size_t> doubted_;         ///< Candidate classes to be measured again, once.
  Calibration calibration_;
  Changes changes_;                                             ///< Of the calibration.
  uint64_t mostMemory_ = std::numeric_limits<uint64_t>::max();  ///< Bytes, of a candidate.
  std::vector<double> rooflines_;                               ///< By cost class.
  std::optional<LearntBounds> bounds_;                          ///< None before the survey.
  llvm::DenseMap<size_t, Measurement> measurements_;
};

}  // namespace tessera::placement
