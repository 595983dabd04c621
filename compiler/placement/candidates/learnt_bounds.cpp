#include "compiler/placement/candidates/learnt_bounds.h"

#include <algorithm>
#include <limits>

#include "compiler/placement/candidates/lower_bound.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::placement {

using namespace mlir;

static constexpr double kUnknown = std::numeric_limits<double>::infinity();
/// So much of each name is looked at first, and so many kinds or tiles are evidence.
static constexpr size_t kSurveyed = 5, kEnoughKinds = 4, kEnoughTiles = 8;
/// So many times slower than the best of the others everywhere is out of the question.
static constexpr double kHopeless = 2;
/// A tile may take so much of what its operators take one by one, while there is no evidence.
static constexpr double kUntriedRatio = 0.25;
/// The ratio that one tile of twenty is below: the least may be an accident of the clock.
static constexpr double kLowShare = 0.05;
/// What nobody saw yet may be better than what was seen by this.
static constexpr double kMargin = 0.9;

/// All that tells operators apart whose values do not matter.
static std::string kindOf(Operation* op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getName() << op->getAttrDictionary();
  for (const Type type : op->getOperandTypes()) stream << type;
  for (const Type type : op->getResultTypes()) stream << type;
  return text;
}

LearntBounds::LearntBounds(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                           const CandidateSet& candidates) {
  llvm::StringMap<Kind> kinds;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    Operation* op = graph.operation(node);
    const auto [it, isNew] = kinds.try_emplace(kindOf(op), names_.size());
    kinds_.push_back(it->second);
    if (!isNew) continue;
    names_.push_back(op->getName().getStringRef());
    weights_.push_back(operatorBound(op));
  }
  times_.resize(owners.size());
  for (TargetTimes& times : times_) times.seconds.assign(names_.size(), kUnknown);
  tiles_.resize(candidates.classes.size());
  for (const CandidateTile& tile : candidates.tiles) {
    const size_t target = owners.indexOf(*owners.find(tile.tile.target));
    tiles_[tile.classNumber] = {.target = target, .nodes = tile.tile.nodes};
    const ModuleOp placed = *candidates.classes[tile.classNumber].module;
    if (times_[target].isOfProcessors) times_[target].isOfProcessors = !isTold(placed, owners);
  }
}

std::vector<size_t> LearntBounds::someSingles() const {
  std::map<StringRef, std::vector<Kind>> kindsOfName;
  for (auto [kind, name] : llvm::enumerate(names_)) kindsOfName[name].push_back(kind);
  std::vector<bool> isSurveyed(names_.size());
  for (auto& [name, kinds] : kindsOfName) {
    std::ranges::stable_sort(kinds, [&](Kind a, Kind b) { return weights_[a] > weights_[b]; });
    const size_t count = std::min(kSurveyed, kinds.size());
    for (size_t i = 0; i < count; ++i) isSurveyed[kinds[i * kinds.size() / count]] = true;
  }
  std::vector<size_t> classes;
  for (auto [number, tile] : llvm::enumerate(tiles_)) {
    if (tile.nodes.size() == 1 && isSurveyed[kinds_[tile.nodes.front()]]) classes.push_back(number);
  }
  return classes;
}

std::vector<size_t> LearntBounds::otherSingles() const {
  std::vector<size_t> classes;
  for (auto [number, tile] : llvm::enumerate(tiles_)) {
    if (tile.nodes.size() != 1) continue;
    const Kind kind = kinds_[tile.nodes.front()];
    if (times_[tile.target].seconds[kind] != kUnknown) continue;
    if (leastRatioToTheBest(tile.target, names_[kind]) < kHopeless) classes.push_back(number);
  }
  return classes;
}

void LearntBounds::learn(size_t candidateClass, double seconds) {
  if (seconds <= 0) return;  // The host program does it: nothing follows for others.
  const auto& [target, nodes] = tiles_[candidateClass];
  TargetTimes& times = times_[target];
  const double sum = sumOf(target, nodes);
  if (nodes.size() > 1 && sum > 0) {
    const double ratio = seconds / sum;
    times.ratios.insert(std::ranges::upper_bound(times.ratios, ratio), ratio);
  }
  double weight = 0;
  for (const uint32_t node : nodes) weight += weights_[kinds_[node]];
  if (weight <= 0) return;
  for (const uint32_t node : nodes) {
    double& least = times.seconds[kinds_[node]];
    least = std::min(least, seconds * weights_[kinds_[node]] / weight);
  }
}

double LearntBounds::leastRatioToTheBest(size_t target, StringRef name) const {
  double least = kUnknown;
  size_t numKinds = 0;
  for (Kind kind = 0; kind < names_.size(); ++kind) {
    const double own = times_[target].seconds[kind];
    if (names_[kind] != name || own == kUnknown) continue;
    double best = kUnknown;  // Zero is the host program's, which says nothing.
    for (auto [other, times] : llvm::enumerate(times_))
      if (other != target && times.seconds[kind] > 0) best = std::min(best, times.seconds[kind]);
    if (best == kUnknown) continue;
    least = std::min(least, own / best);
    ++numKinds;
  }
  return numKinds < kEnoughKinds || least == kUnknown ? 0 : least;
}

double LearntBounds::rooflineOf(size_t target, Kind kind) const {
  return times_[target].isOfProcessors ? weights_[kind] : 0;
}

double LearntBounds::estimate(size_t target, Kind kind) const {
  if (times_[target].seconds[kind] != kUnknown) return times_[target].seconds[kind];
  double best = kUnknown;
  for (const TargetTimes& times : times_) best = std::min(best, times.seconds[kind]);
  const double ratio = best == kUnknown ? 0 : leastRatioToTheBest(target, names_[kind]);
  const double roofline = rooflineOf(target, kind);
  return ratio == 0 ? roofline : std::max(roofline, best * ratio * kMargin);
}

double LearntBounds::sumOf(size_t target, ArrayRef<uint32_t> nodes) const {
  double sum = 0;
  for (const uint32_t node : nodes) sum += estimate(target, kinds_[node]);
  return sum;
}

double LearntBounds::ratioOfTiles(size_t target) const {
  const std::vector<double>& ratios = times_[target].ratios;
  if (ratios.size() < kEnoughTiles)
    return ratios.empty() ? kUntriedRatio : std::min(kUntriedRatio, ratios.front());
  return ratios[static_cast<size_t>(kLowShare * static_cast<double>(ratios.size()))];
}

double LearntBounds::of(size_t candidateClass) const {
  const auto& [target, nodes] = tiles_[candidateClass];
  const double ratio = nodes.size() > 1 ? std::min(1.0, ratioOfTiles(target)) : 1;
  return sumOf(target, nodes) * ratio * kMargin;
}

}  // namespace tessera::placement
