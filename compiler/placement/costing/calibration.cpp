#include "compiler/placement/costing/calibration.h"

#include <algorithm>
#include <map>

namespace tessera::placement {

/// Shorter parts are mostly what every call costs.
static constexpr double kLongEnough = 50e-6;

namespace {

/// What parts tell of one thing, and how much of a model they are.
struct Telling {
  std::vector<std::pair<double, double>> values = {};  ///< And the weight of each.
  double weight = 0, sumOfSquares = 0;

  void add(double value, double weightOfIt) {
    values.emplace_back(value, weightOfIt);
    weight += weightOfIt;
    sumOfSquares += weightOfIt * weightOfIt;
  }

  /// Half of the weight lies below it; between two where the half ends with the first.
  double median() const {
    std::vector<std::pair<double, double>> sorted = values;
    std::ranges::sort(sorted);
    double below = 0;
    for (size_t i = 0; i + 1 < sorted.size(); ++i) {
      below += sorted[i].second;
      if (2 * below == weight) return (sorted[i].first + sorted[i + 1].first) / 2;
      if (2 * below > weight) return sorted[i].first;
    }
    return sorted.back().first;
  }

  /// As if so many more had been seen for which nothing was different. Seen are as many as would
  /// say as much if all weighed the same (Kish's effective size of a sample).
  double drawnTo(double nothing, double unseen) const {
    const double count = weight * weight / sumOfSquares;
    return nothing + (median() - nothing) * count / (count + unseen);
  }
};

/// Of parts that were chosen, and of those that were not.
struct Seen {
  Telling ofOthers = {}, ofAll = {};

  void add(double value, const TimedPart& part, double weight) {
    ofAll.add(value, weight);
    if (!part.isChosen) ofOthers.add(value, weight);
  }
  const Telling& telling() const {
    constexpr double kEnough = 0.2;
    return ofOthers.weight < kEnough * ofAll.weight ? ofAll : ofOthers;
  }
};

}  // namespace

Calibration::Calibration(const std::vector<TimedPart>& parts) {
  llvm::DenseMap<mlir::Attribute, Seen> ratios, anyRests;
  for (const TimedPart& part : parts)
    if (part.alone >= kLongEnough)
      ratios[part.target].add(part.inModel / part.alone, part, part.alone);
  // What is further off is a disturbed machine's.
  constexpr double kLeastFactor = 0.8, kMostFactor = 1.25;
  constexpr double kUnseen = 1, kUnseenChanges = 2;
  for (const auto& [target, seen] : ratios)
    factors_[target] = std::clamp(seen.telling().drawnTo(1, kUnseen), kLeastFactor, kMostFactor);
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, Seen> rests;
  for (const TimedPart& part : parts) {
    const double rest = part.inModel - part.alone * factorOf(part.target);
    anyRests[part.target].add(rest, part, 1);
    if (part.before) rests[{part.before, part.target}].add(rest, part, 1);
  }
  for (const auto& [target, seen] : anyRests)
    anyChange_[target] = seen.telling().drawnTo(0, kUnseenChanges);
  for (const auto& [targets, seen] : rests)
    changes_[targets] = seen.telling().drawnTo(anyChange_.lookup(targets.second), kUnseenChanges);
}

double Calibration::factorOf(ir::TargetAttr target) const {
  const auto it = factors_.find(target);
  return it == factors_.end() ? 1 : it->second;
}

/// Nothing takes less than a part of what it takes by itself, whatever was seen.
static double atLeast(double seconds, double alone) {
  constexpr double kLeast = 0.6;
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
