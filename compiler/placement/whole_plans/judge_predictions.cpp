#include "compiler/placement/whole_plans/judge_predictions.h"

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "compiler/placement/planned_tile.h"
#include "compiler/placement/whole_plans/drawn_plan.h"

namespace tessera::placement {

using llvm::ArrayRef;

static constexpr double kNever = std::numeric_limits<double>::infinity();

namespace {

class Judging {
 public:
  explicit Judging(const Judged& judged) : judged_(judged) {}

  void run() {
    std::vector<size_t> numbers = addRandomPlans();
    for (size_t number = 0; number < plans().size(); ++number)
      if (plans()[number].origin == Origin::kGreedy) numbers.push_back(number);
    measurePartsOf(numbers);
    constexpr size_t kMostAtOnce = 32;  // All of them are alive.
    for (size_t at = 0; at < numbers.size(); at += kMostAtOnce)
      predictInRace(ArrayRef(numbers).slice(at, std::min(kMostAtOnce, numbers.size() - at)));
    constexpr size_t kMostAgain = 10;
    if (numbers.size() > kMostAgain) predictInRace(fastestOf(std::move(numbers), kMostAgain));
  }

 private:
  WholePlans& plans() const { return judged_.plans; }

  /// By its calls; by its tiles where one of them is several calls, which nobody measured.
  double sumOf(size_t number) const {
    const auto ofTiles = ofTiles_.find(number);
    return judged_.predictions.of(number, Predictions::Missing::kMeasured)
        .value_or(ofTiles == ofTiles_.end() ? 0 : ofTiles->second);
  }

  std::vector<size_t> addRandomPlans() {
    constexpr size_t kTriesEach = 4;
    std::mt19937_64 random(1);
    std::vector<size_t> numbers;
    const size_t wanted = judged_.request.numRandomPlans;
    for (size_t i = 0; i < kTriesEach * wanted && numbers.size() < wanted; ++i) {
      if (judged_.request.isCancelled && judged_.request.isCancelled()) break;
      const auto solution = drawPlan(judged_.costs.problem(), random);
      if (!solution) continue;
      const double seconds = judged_.costs.measuredSum(solution->chosen);
      if (!std::isfinite(seconds)) continue;
      const size_t before = plans().size();
      const size_t number =
          plans().add({.name = "random " + std::to_string(numbers.size() + 1),
                       .origin = Origin::kDrawn,
                       .tiles = plannedTiles(judged_.set, judged_.costs.measurements(), *solution),
                       .predicted = seconds});
      ofTiles_[number] = seconds;
      if (number == before) numbers.push_back(number);
    }
    return numbers;
  }

  /// Those that were measured on a disturbed machine once more; what whole plans told is about
  /// these times then.
  void measurePartsOf(ArrayRef<size_t> numbers) {
    std::vector<PlacedCall> calls;
    for (const size_t number : numbers) {
      (void)sumOf(number);
      llvm::append_range(calls, plans().calls(number));
    }
    if (judged_.costs.timeDisturbedAgain(calls)) judged_.predictions.learn();
  }

  /// Where the machine is not as fast as when it was learnt from they run again: plans do not all
  /// lose the same by that.
  void predictInRace(ArrayRef<size_t> numbers) {
    constexpr size_t kMostRaces = 3;
    constexpr double kAsFast = 0.08;
    double speed = speedOfRace(numbers);
    for (size_t i = 1; i < kMostRaces && std::abs(speed - 1) > kAsFast; ++i) {
      if (judged_.request.isCancelled && judged_.request.isCancelled()) break;
      judged_.request.measurer->renew();
      speed = speedOfRace(numbers);
    }
    for (const size_t number : numbers) {
      const double sum = sumOf(number);
      if (sum > 0) plans()[number].predicted = sum * speed;
    }
  }

  /// Runs them. What the best plans take now that were learnt from before tells how fast the
  /// machine is.
  double speedOfRace(ArrayRef<size_t> numbers) {
    std::vector<size_t> known;
    for (const Origin origin : {Origin::kSearch, Origin::kAlone})
      if (const auto best = fastestOf(origin)) known.push_back(*best);
    std::vector<size_t> all = numbers.vec();
    llvm::append_range(all, known);
    plans().raceWithBest(std::move(all), judged_.winner, /*areRivals=*/false);
    std::vector<double> speeds;
    for (const size_t number : known) {
      const double learnt = judged_.predictions.secondsWhenLearnt(number);
      if (learnt > 0) speeds.push_back(plans()[number].measured.seconds / learnt);
    }
    return speeds.empty() ? 1 : std::accumulate(speeds.begin(), speeds.end(), 0.0) / speeds.size();
  }

  /// Of a run; never where there was none.
  double secondsOf(size_t number) const {
    const Measurement& measured = plans()[number].measured;
    return measured.outcome == costs::Outcome::kOk && measured.seconds > 0 ? measured.seconds
                                                                           : kNever;
  }

  std::optional<size_t> fastestOf(Origin origin) const {
    std::optional<size_t> best;
    for (size_t number = 0; number < plans().size(); ++number)
      if (plans()[number].origin == origin &&
          secondsOf(number) < (best ? secondsOf(*best) : kNever))
        best = number;
    return best;
  }

  std::vector<size_t> fastestOf(std::vector<size_t> numbers, size_t count) const {
    std::ranges::sort(numbers, {}, [&](size_t number) { return secondsOf(number); });
    numbers.resize(std::min(count, numbers.size()));
    return numbers;
  }

  const Judged& judged_;
  std::map<size_t, double> ofTiles_;  ///< By plan: what its tiles take together.
};

}  // namespace

void judgePredictions(const Judged& judged) { Judging(judged).run(); }

double costWithoutConversions(PartCosts& costs) {
  search::Problem free = costs.problem();
  for (auto [cost, subject] : llvm::zip_equal(free.classes, costs.search().subjects))
    if (subject.isConversion()) cost = {.seconds = 0, .isMeasured = true};
  const auto measure = [&](const search::Round& round, search::Problem& present) {
    const bool goesOn = costs.measure(round);
    for (const search::ClassId id : round.classes)
      present.classes[id] = costs.problem().classes[id];
    return goesOn;
  };
  const auto found = search::solveLazily(free, measure, kQuickSearch);
  return found ? costs.tilesMeasuredAgain(found->solution.chosen) : 0;
}

}  // namespace tessera::placement
