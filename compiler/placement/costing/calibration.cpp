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

namespace {

/// Of parts that were chosen, and of those that were not.
struct Seen {
  std::vector<double> ofOthers = {}, ofAll = {};

  void add(double value, const TimedPart& part) {
    ofAll.push_back(value);
    if (!part.isChosen) ofOthers.push_back(value);
  }
  const std::vector<double>& values() const {
    constexpr size_t kEnough = 3;
    return ofOthers.size() < kEnough ? ofAll : ofOthers;
  }
};

}  // namespace

Calibration::Calibration(const std::vector<TimedPart>& parts) {
  llvm::DenseMap<mlir::Attribute, Seen> ratios, anyRests;
  for (const TimedPart& part : parts)
    if (part.alone >= kLongEnough) ratios[part.target].add(part.inModel / part.alone, part);
  // What is further off is a disturbed machine's.
  constexpr double kLeastFactor = 0.8, kMostFactor = 1.25;
  for (const auto& [target, seen] : ratios)
    factors_[target] = std::clamp(drawnTo(1, seen.values()), kLeastFactor, kMostFactor);
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, Seen> rests;
  for (const TimedPart& part : parts) {
    const double rest = part.inModel - part.alone * factorOf(part.target);
    anyRests[part.target].add(rest, part);
    if (part.before) rests[{part.before, part.target}].add(rest, part);
  }
  for (const auto& [target, seen] : anyRests) anyChange_[target] = drawnTo(0, seen.values());
  for (const auto& [targets, seen] : rests)
    changes_[targets] = drawnTo(anyChange_.lookup(targets.second), seen.values());
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

double Calibration::restOf(ir::TargetAttr before, ir::TargetAttr target) const {
  const auto it = changes_.find({before, target});
  return it == changes_.end() ? anyChange_.lookup(target) : it->second;
}

double Calibration::inModel(ir::TargetAttr before, ir::TargetAttr target, double alone) const {
  return atLeast(alone * factorOf(target) + restOf(before, target), alone);
}

double Calibration::inModel(ir::TargetAttr target, double alone) const {
  return inModel(target, target, alone);
}

double Calibration::ofChange(ir::TargetAttr before, ir::TargetAttr target) const {
  return std::max(0.0, restOf(before, target) - restOf(target, target));
}

}  // namespace tessera::placement
