#include "compiler/placement/timing/race.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

namespace tessera::placement {

/// As many times are looked at to see whether they still fall, and so far below the ones before.
static constexpr size_t kLastWarmup = 2;
static constexpr double kStillFalling = 0.98;
/// So many times the least number of samples are taken for as many calm ones.
static constexpr size_t kMostTries = 3;
/// So many times slower than another one's median nobody is by chance.
static constexpr double kHopeless = 2;

static double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// None of the last times is less than all before them.
static bool isWarm(const std::vector<double>& times) {
  if (times.size() <= kLastWarmup) return false;
  const auto last = times.end() - kLastWarmup;
  return *std::min_element(last, times.end()) >=
         *std::min_element(times.begin(), last) * kStillFalling;
}

static double disturbedYardstick(const std::vector<Measured>& samples, const Calm& limits) {
  if (samples.empty()) return 0;
  std::vector<double> yardsticks;
  for (const Measured& sample : samples) {
    if (isCalm(sample, limits)) return 0;
    yardsticks.push_back(std::max(sample.before.atReference(), sample.after.atReference()));
  }
  // Where threads share a core it may take no longer.
  return std::max(median(yardsticks), limits.reference * (1 + limits.slowdown));
}

namespace {

class Race {
 public:
  Race(const Track& track, const RaceOptions& options)
      : track_(track), options_(options), random_(options.seed) {
    result_.competitors.resize(track.numCompetitors);
    for (size_t i = 0; i < track.numCompetitors; ++i) running_.push_back(i);
    start_ = now();
  }

  RaceResult run() {
    warmUp();
    yardstick_ = yardstick();
    for (size_t round = 0; round < options_.maxSamples && !running_.empty(); ++round) {
      if (!runRound()) break;
      summarizeAll();
      if (options_.areRivals)
        dropThoseThatCannotWin();
      else
        dropTheNarrow();
      if (std::ranges::all_of(running_, [&](size_t i) { return isNarrow(i); })) break;
    }
    summarizeAll();
    for (const size_t i : running_)
      result_.competitors[i].finish = isNarrow(i) ? Finish::kNarrow : Finish::kSpent;
    result_.waited = waited_;
    return std::move(result_);
  }

 private:
  double now() const { return track_.now ? track_.now() : steadySeconds(); }
  bool isOver() const { return now() - start_ - waited_ >= options_.maxSeconds; }

  Reading yardstick() {
    if (!track_.yardstick) return {};
    return result_.yardsticks.emplace_back(track_.yardstick());
  }

  /// Fisher and Yates, so that a seed means the same with every standard library.
  std::vector<size_t> drawOrder(std::vector<size_t> order) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    return order;
  }

  void leave(size_t competitor, Finish finish) {
    result_.competitors[competitor].finish = finish;
    std::erase(running_, competitor);
  }

  std::optional<double> sample(size_t competitor) {
    Result<double> seconds = track_.sample(competitor);
    if (seconds) return *seconds;
    result_.competitors[competitor].error = std::move(seconds).error();
    leave(competitor, Finish::kFailed);
    return {};
  }

  void warmUp() {
    std::vector<size_t> cold = running_;
    for (size_t round = 0; round < options_.maxWarmup && !cold.empty(); ++round) {
      for (const size_t i : drawOrder(cold)) {
        if (isOver()) return;
        std::vector<double>& times = result_.competitors[i].warmup;
        if (const std::optional<double> seconds = sample(i)) times.push_back(*seconds);
        if (isWarm(times) || result_.competitors[i].error) std::erase(cold, i);
      }
    }
  }

  bool hasEnough(size_t competitor) const {
    const Competitor& of = result_.competitors[competitor];
    return of.seconds.size() >= options_.minSamples ||
           of.samples.size() >= options_.minSamples * kMostTries;
  }

  /// Whether there was time for any of it: always for those that lack samples, and for the rivals
  /// of those.
  bool runRound() {
    const bool areAllRich = std::ranges::all_of(running_, [&](size_t i) { return hasEnough(i); });
    bool goesOn = false;
    for (const size_t i : drawOrder(running_)) {
      const bool mayLeave = options_.areRivals ? areAllRich : hasEnough(i);
      if (mayLeave && isOver()) continue;
      measure(i);
      goesOn = true;
    }
    return goesOn;
  }

  Calm calm() const {
    Calm calm = options_.calm;
    if (calm.reference == 0)
      calm.reference = result_.yardsticks.empty() ? 1 : undisturbed(result_.yardsticks);
    return calm;
  }

  bool isPatient() const { return waited_ < options_.patience; }

  /// Until the machine is undisturbed. Nobody sleeps meanwhile: threads that wake up at the same
  /// time are more often given one core than those that never stop.
  void wait() {
    const Calm limits = calm();
    const double start = now(), waitedBefore = waited_;
    while (isPatient() && !isCalm(yardstick_, limits)) {
      yardstick_ = yardstick();
      waited_ = waitedBefore + now() - start;
    }
  }

  void measure(size_t competitor) {
    while (true) {
      wait();
      const double start = now();
      const std::optional<double> seconds = sample(competitor);
      const Reading before = std::exchange(yardstick_, yardstick());
      if (!seconds) return;
      const Measured measured{.seconds = *seconds, .before = before, .after = yardstick_};
      if (isPatient() && !isCalm(measured, calm())) {
        waited_ += now() - start;
        continue;
      }
      result_.competitors[competitor].samples.push_back(measured);
      return;
    }
  }

  void summarizeAll() {
    const Calm limits = calm();
    result_.reference = limits.reference;
    for (Competitor& competitor : result_.competitors) {
      competitor.seconds = corrected(competitor.samples, limits);
      competitor.turns.clear();
      for (const Measured& sample : competitor.samples)
        competitor.turns.push_back({.seconds = sample.seconds, .isCalm = isCalm(sample, limits)});
      competitor.disturbedYardstick = disturbedYardstick(competitor.samples, limits);
      competitor.summary = summarize(competitor.seconds, options_.level);
    }
  }

  bool isNarrow(size_t competitor) const {
    return result_.competitors[competitor].summary.relativeHalfWidth() <=
           options_.relativeHalfWidth;
  }

  void dropThoseThatCannotWin() {
    double leastHigh = std::numeric_limits<double>::infinity(), leastMedian = leastHigh;
    for (const size_t i : running_) {
      leastHigh = std::min(leastHigh, result_.competitors[i].summary.high);
      leastMedian = std::min(leastMedian, result_.competitors[i].summary.median);
    }
    for (const size_t i : std::vector(running_)) {
      const Competitor& competitor = result_.competitors[i];
      double least = std::ranges::min(competitor.seconds);
      if (!competitor.warmup.empty()) least = std::min(least, std::ranges::min(competitor.warmup));
      if (competitor.summary.low > leastHigh || least > leastMedian * kHopeless)
        leave(i, Finish::kSlower);
    }
  }

  void dropTheNarrow() {
    for (const size_t i : std::vector(running_)) {
      if (isNarrow(i)) leave(i, Finish::kNarrow);
    }
  }

  const Track& track_;
  const RaceOptions& options_;
  std::mt19937_64 random_;
  RaceResult result_;
  std::vector<size_t> running_;  ///< Competitors by number.
  Reading yardstick_;            ///< The last one.
  double start_ = 0;
  double waited_ = 0;  ///< For a machine that was disturbed; samples taken then count, too.
};

}  // namespace

RaceResult race(const Track& track, const RaceOptions& options) {
  return Race(track, options).run();
}

}  // namespace tessera::placement
