#include "compiler/placement/whole_plans/predictions.h"

#include <numeric>

namespace tessera::placement {

/// As far as its calls tell. When those were timed the machine may have been slower than while the
/// plans raced, or the race's time was put beside those of a slower machine later on.
static double secondsOf(const Measurement& plan) {
  return std::min(plan.seconds, std::accumulate(plan.calls.begin(), plan.calls.end(), 0.0));
}

void Predictions::learn() {
  std::vector<TimedPart> parts;
  std::vector<PlacedCall> calls;  // Of each part.
  for (size_t number = 0; number < plans_.size(); ++number) {
    const size_t before = parts.size();
    addParts(number, parts, calls);
    if (parts.size() > before) learnt_[number] = secondsOf(plans_[number].measured);
  }
  calibration_ = Calibration(parts);
  std::vector<PartCosts::Seen> seen;
  for (const auto& [part, call] : llvm::zip_equal(parts, calls)) {
    const double expected = calibration_.inModel(part.before, part.target, part.alone);
    if (expected > 0 && part.inModel > 0)
      seen.push_back({.call = call, .ratio = part.inModel / expected});
  }
  costs_.calibrate(calibration_, seen);
}

static constexpr size_t kFewCalls = 8;

void Predictions::addParts(size_t number, std::vector<TimedPart>& parts,
                           std::vector<PlacedCall>& ofParts) {
  const Contestant& plan = plans_[number];
  if (!plan.tiles || plan.measured.calls.empty()) return;
  const std::vector<PlacedCall>& calls = plans_.calls(number);
  const std::vector<double>& seconds = plan.measured.calls;
  if (calls.size() != seconds.size()) return;
  const double share =
      secondsOf(plan.measured) / std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const bool isChosen = plan.origin == Origin::kSearch || plan.origin == Origin::kPrevious;
  for (size_t i = 0; i < calls.size(); ++i) {
    // What a target takes of a whole model tells most of it.
    const bool isMissed = plan.origin == Origin::kAlone && calls.size() <= kFewCalls;
    const std::optional<double> alone =
        isMissed ? costs_.measuredAloneOf(calls[i]) : costs_.aloneOf(calls[i]);
    if (!alone || calls[i].nodes.empty()) continue;
    ofParts.push_back(calls[i]);
    parts.push_back({.before = i == 0 ? ir::TargetAttr() : calls[i - 1].target,
                     .target = calls[i].target,
                     .alone = *alone,
                     .inModel = seconds[i] * share,
                     .isChosen = isChosen});
  }
}

std::optional<double> Predictions::of(size_t number, Missing missing) {
  const std::vector<PlacedCall>& calls = plans_.calls(number);
  double sum = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const std::optional<double> alone =
        missing == Missing::kMeasured ? costs_.measuredAloneOf(calls[i]) : costs_.aloneOf(calls[i]);
    if (!alone) return std::nullopt;
    const ir::TargetAttr before = i == 0 ? ir::TargetAttr() : calls[i - 1].target;
    sum += calls[i].nodes.empty() ? *alone
                                  : calibration_.inModel(before, calls[i].target, *alone) *
                                        costs_.correctionOf(calls[i]);
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

}  // namespace tessera::placement
