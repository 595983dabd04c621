#include "compiler/placement/costing/calibration.h"

#include <algorithm>
#include <map>

#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

/// Shorter parts are mostly what every call costs.
static constexpr double kLongEnough = 50e-6;

/// As if so many more had been seen for which nothing was different.
static double drawnTo(double nothing, const std::vector<double>& seen) {
  constexpr double kUnseen = 2;
  const auto count = static_cast<double>(seen.size());
  return nothing + (median(seen) - nothing) * count / (count + kUnseen);
}

Calibration::Calibration(const std::vector<TimedPart>& parts) {
  llvm::DenseMap<mlir::Attribute, std::vector<double>> ratios, anyRests;
  for (const TimedPart& part : parts)
    if (part.alone >= kLongEnough) ratios[part.target].push_back(part.inModel / part.alone);
  // What is further off is a disturbed machine's.
  constexpr double kLeastFactor = 0.8, kMostFactor = 1.25;
  for (const auto& [target, seen] : ratios)
    factors_[target] = std::clamp(drawnTo(1, seen), kLeastFactor, kMostFactor);
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, std::vector<double>> rests;
  for (const TimedPart& part : parts) {
    const double rest = part.inModel - part.alone * factorOf(part.target);
    anyRests[part.target].push_back(rest);
    if (part.before) rests[{part.before, part.target}].push_back(rest);
  }
  for (const auto& [target, seen] : anyRests) anyChange_[target] = drawnTo(0, seen);
  for (const auto& [targets, seen] : rests)
    changes_[targets] = drawnTo(anyChange_.lookup(targets.second), seen);
}

double Calibration::factorOf(ir::TargetAttr target) const {
  const auto it = factors_.find(target);
  return it == factors_.end() ? 1 : it->second;
}

/// Nothing takes less than a part of what it takes by itself, whatever was seen.
static double atLeast(double seconds, double alone) {
  constexpr double kLeast = 0.3;
  return std::max(seconds, alone * kLeast);
}

double Calibration::inModel(ir::TargetAttr before, ir::TargetAttr target, double alone) const {
  const auto it = changes_.find({before, target});
  if (it == changes_.end()) return inModel(target, alone);
  return atLeast(alone * factorOf(target) + it->second, alone);
}

double Calibration::inModel(ir::TargetAttr target, double alone) const {
  return atLeast(alone * factorOf(target) + anyChange_.lookup(target), alone);
}

}  // namespace tessera::placement
