// How good predictions are: plans that nobody chose, drawn at random, run beside those that won.
#pragma once

#include "compiler/placement/whole_plans/predictions.h"

namespace tessera::placement {

/// What predictions are judged by. All of it is to outlive the call.
struct Judged {
  const PlanRequest& request;
  const CandidateSet& set;
  WholePlans& plans;
  PartCosts& costs;
  Predictions& predictions;
  std::optional<size_t> winner = {};  ///< Of the plans, where it is settled.
};

/// Draws the request's number of plans, all different, and runs them and greedy placement, a few at
/// a time beside the best; the fastest of them once more. Each is predicted for the race that it
/// was in.
void judgePredictions(const Judged& judged);

/// Seconds that the cheapest mosaic takes where conversions and changes cost nothing: its tiles,
/// measured once more after they were chosen. 0 where it is not found.
double costWithoutConversions(PartCosts& costs);

}  // namespace tessera::placement
