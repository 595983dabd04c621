// From a model to a plan: candidates, what they cost, the cheapest choice, a race of whole plans.
#pragma once

#include "compiler/placement/candidates/proposal.h"
#include "compiler/placement/plan.h"

namespace tessera::placement {

/// What a search tells while it goes on.
struct Progress {
  std::string what;  ///< "candidates", "measuring", "plans"
  size_t done = 0, total = 0;
  double bestSeconds = 0;  ///< Of the best plan so far, as predicted; 0: there is none.
  double secondsLeft = 0;  ///< Until `total`, at the speed so far; 0: not known.
};

/// What a plan is to be best at.
enum class Objective : uint8_t {
  kLatency,
  kMemory,  ///< The least memory of those that are not much slower than the fastest.
};

struct PlanRequest {
  /// At phase `pre_partition`, rules of the user noted at its operators (apply-pins). Not changed.
  mlir::ModuleOp module = {};
  /// Runs phase `partition`: as its plan says, where the module has one, else greedily.
  PlaceTile place = {};
  Measurer* measurer = nullptr;
  /// A plan that won before, elsewhere or with other code: it runs with the others.
  std::optional<std::vector<Tile>> previous = {};
  Objective objective = Objective::kLatency;
  double latencyBound = 1.1;  ///< Of kMemory: how much slower than the fastest plan.
  size_t numRandomPlans = 0;  ///< That run with the others, to judge predictions by.
  std::function<void(const Progress&)> progress = {};
  /// True: no more parts are measured, what is there counts. May be empty.
  std::function<bool()> isStopped = {};
  /// True: nothing is. May be empty.
  std::function<bool()> isCancelled = {};
};

/// Errors (kInvalidInput): a size is open; what does not run cannot be measured.
Status checkSizes(mlir::ModuleOp module);

/// The best plans of the search, every target alone (the host target runs the rest), greedy
/// placement and the previous plan run as wholes. One of the search wins where it is faster by more
/// than the noise.
/// After a cancel nothing runs: the search's plan wins, if there is one, else greedy placement.
/// Errors: those of checkSizes; kTargetFailed, no plan runs.
Result<FoundPlan> findPlan(const PlanRequest& request);

/// What greedy placement makes of a module at phase `pre_partition`, and what every target says
/// about every operator, without measuring. Errors: kTargetFailed, a target that is not there.
Result<FoundPlan> describeGreedy(mlir::ModuleOp module, const PlaceTile& place);

}  // namespace tessera::placement
