// What whole plans will take, by what their parts took.
#pragma once

#include <map>

#include "compiler/placement/costing/calibration.h"
#include "compiler/placement/costing/part_costs.h"
#include "compiler/placement/whole_plans/whole_plans.h"

namespace tessera::placement {

class Predictions {
 public:
  /// Both are to outlive it.
  Predictions(WholePlans& plans, PartCosts& costs) : plans_(plans), costs_(costs) {}

  /// Tells the costs what parts take in the midst of a model, from the plans that ran, but for
  /// greedy placement and others whose prediction is judged.
  void learn();

  /// What a plan's calls took together when it was learnt from; 0: it was not.
  double secondsWhenLearnt(size_t number) const {
    const auto it = learnt_.find(number);
    return it == learnt_.end() ? 0 : it->second;
  }

  /// Parts that were not measured carefully are, or are they not looked at.
  enum class Missing : uint8_t { kUnknown, kMeasured };
  /// Seconds: the sum of what a plan's calls take behind each other. Nothing where one of them is
  /// unknown.
  std::optional<double> of(size_t number, Missing missing);

 private:
  void addParts(size_t number, std::vector<TimedPart>& parts, std::vector<PlacedCall>& calls);

  WholePlans& plans_;
  PartCosts& costs_;
  Calibration calibration_;
  std::map<size_t, double> learnt_;  ///< By plan: secondsWhenLearnt.
};

}  // namespace tessera::placement
