#include "compiler/placement/whole_plans/whole_plans.h"

#include <cmath>

#include "compiler/placement/costing/part_costs.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/timing/paired.h"
#include "compiler/placement/timing/summary.h"
#include "compiler/placement/whole_plans/duel.h"

namespace tessera::placement {

using namespace mlir;

static bool isOfSearch(const Contestant& contestant) {
  return contestant.origin == Origin::kSearch;
}

static bool isDrawn(const Contestant& contestant) { return contestant.origin == Origin::kDrawn; }

static bool runs(const Contestant& contestant) {
  return contestant.measured.outcome == costs::Outcome::kOk && contestant.measured.seconds > 0;
}

static bool areEqual(const PlannedTile& a, const PlannedTile& b) { return a.tile == b.tile; }

size_t WholePlans::add(Contestant contestant) {
  for (size_t number = 0; number < contestants_.size(); ++number) {
    const Contestant& present = contestants_[number];
    const bool isProposed = isOfSearch(contestant) || isDrawn(contestant);
    const bool isLike = isOfSearch(present) || (isDrawn(present) && isDrawn(contestant));
    if (isProposed && isLike && contestant.tiles &&
        llvm::equal(*present.tiles, *contestant.tiles, areEqual))
      return number;
  }
  contestants_.push_back(std::move(contestant));
  calls_.emplace_back();
  return contestants_.size() - 1;
}

/// The same calls in the same order are the same code, however they came about. Plans that cannot
/// be placed have none.
static bool areOneProgram(ArrayRef<PlacedCall> a, ArrayRef<PlacedCall> b) {
  return !a.empty() && a == b;
}

void WholePlans::race(const std::vector<size_t>& numbers, bool areRivals) {
  if (request_.isCancelled && request_.isCancelled()) return;
  ++numRaces_;
  if (request_.progress) request_.progress({.what = "plans", .done = 0, .total = numbers.size()});
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<Subject> subjects;
  std::vector<size_t> running;
  SmallVector<mlir::Value> inputs(graph_.entry().getArguments());
  SmallVector<mlir::Value> outputs;
  for (const mlir::Value value : graph_.entry().getBody().front().getTerminator()->getOperands())
    outputs.push_back(graph_.origin(value));
  std::vector<std::pair<size_t, size_t>> same;  // Who waits, and for whom.
  for (const size_t number : numbers) {
    Contestant& contestant = contestants_[number];
    const auto runsAlready = llvm::find_if(
        running, [&](size_t other) { return areOneProgram(calls(number), calls(other)); });
    if (runsAlready != running.end()) {
      same.emplace_back(number, *runsAlready);
      continue;
    }
    ModuleOp source = request_.module;
    OwningOpRef<ModuleOp> module = source.clone();
    if (contestant.tiles)
      (*module)->setAttr(kPlanAttribute,
                         toAttribute(module->getContext(), tilesOf(*contestant.tiles)));
    if (const Status status = request_.place(*module); !status) {
      contestant.measured = {.outcome = costs::Outcome::kFailed, .reason = status.error().message};
      continue;
    }
    subjects.push_back({.name = contestant.name,
                        .module = *module,
                        .target = {},
                        .inputs = inputs,
                        .outputs = outputs});
    modules.push_back(std::move(module));
    running.push_back(number);
  }
  const std::vector<double> before = secondsOfAll();
  for (auto [number, measured] : llvm::zip_equal(
           running, checkedTimes(request_.measurer->measureWhole(subjects, areRivals)))) {
    if (!measured.isTaken) return;  // It was interrupted: what was known before stands.
    contestants_[number].measured = measured;
    contestants_[number].race = numRaces_;
  }
  for (std::string& remark : request_.measurer->remarks())
    if (!llvm::is_contained(remarks_, remark)) remarks_.push_back(std::move(remark));
  if (areRivals) scaleToOne(running);
  for (const auto& [number, other] : same) {
    contestants_[number].measured = contestants_[other].measured;
    contestants_[number].race = numRaces_;
  }
  scaleOthers(before);
}

/// 0 of those that did not run.
std::vector<double> WholePlans::secondsOfAll() const {
  std::vector<double> seconds;
  for (const Contestant& each : contestants_)
    seconds.push_back(runs(each) ? each.measured.seconds : 0);
  return seconds;
}

/// Those of earlier races ran on a machine that was faster or slower: by as much as those who ran
/// again tell. Plans that were drawn are predicted for the race that they were in.
void WholePlans::scaleOthers(ArrayRef<double> before) {
  std::vector<double> ratios;
  for (auto [number, each] : llvm::enumerate(contestants_))
    if (each.race == numRaces_ && runs(each) && before[number] > 0)
      ratios.push_back(each.measured.seconds / before[number]);
  if (ratios.empty()) return;
  const double factor = median(ratios);
  for (Contestant& each : contestants_) {
    if (each.race == numRaces_ || !runs(each) || isDrawn(each)) continue;
    for (double* time : {&each.measured.seconds, &each.measured.low, &each.measured.high})
      *time *= factor;
  }
}

void WholePlans::raceWithBest(std::vector<size_t> numbers, std::optional<size_t> winner,
                              bool areRivals) {
  for (const std::optional<size_t> best : {winner, fastest(true), fastest(false)})
    if (best && !llvm::is_contained(numbers, *best)) numbers.push_back(*best);
  race(numbers, areRivals);
}

/// The median of what one takes by what the other does.
static double ratioOf(ArrayRef<Turn> one, ArrayRef<Turn> other) {
  const Pairs pairs = pairsOf(one, other);
  return comparePaired(pairs.challenger, pairs.incumbent).ratio.median;
}

/// What the turns of a race say of two of them, they say best. Those that left early ran on a
/// machine that was another one later on, and a yardstick behind code whose threads do not sleep at
/// once says that the machine is slow. All are scaled to the one that stayed longest and whose
/// samples are most nearly as they were taken. Where nobody leaves for being slower, who stays
/// longest is who varies most, and nobody is scaled.
void WholePlans::scaleToOne(const std::vector<size_t>& numbers) {
  std::optional<size_t> one;
  const auto rank = [&](size_t number) {
    const Measurement& measured = contestants_[number].measured;
    const double correction = std::log(measured.seconds / median(secondsOf(measured.turns)));
    return std::pair(measured.turns.size(), -std::abs(correction));
  };
  for (const size_t number : numbers) {
    const Contestant& each = contestants_[number];
    if (runs(each) && !each.measured.turns.empty() && (!one || rank(number) > rank(*one)))
      one = number;
  }
  if (!one) return;
  const Measurement stayed = contestants_[*one].measured;
  for (const size_t number : numbers) {
    Measurement& other = contestants_[number].measured;
    if (number == *one || !runs(contestants_[number]) || other.turns.empty()) continue;
    const double ratio = ratioOf(other.turns, stayed.turns);
    const double factor = stayed.seconds * ratio / other.seconds;
    for (double* each : {&other.seconds, &other.low, &other.high}) *each *= factor;
  }
}

std::vector<size_t> WholePlans::asFastAs(size_t number) const {
  std::vector<size_t> numbers = {number};
  for (auto [other, contestant] : llvm::enumerate(contestants_))
    if (other != number && isOfSearch(contestant) && runs(contestant) &&
        contestant.race == contestants_[number].race && !isFaster(number, other))
      numbers.push_back(other);
  return numbers;
}

std::optional<size_t> WholePlans::fastest(bool ofSearch) const {
  std::optional<size_t> best;
  for (auto [number, contestant] : llvm::enumerate(contestants_)) {
    if (isOfSearch(contestant) != ofSearch || isDrawn(contestant) || !runs(contestant)) continue;
    if (!best || contestant.measured.seconds < contestants_[*best].measured.seconds) best = number;
  }
  return best;
}

std::vector<size_t> WholePlans::nearlyAsFastAs(size_t number, double share) {
  const double most = contestants_[number].measured.seconds * (1 + share);
  std::vector<size_t> numbers = {number};
  for (size_t other = 0; other < contestants_.size(); ++other) {
    const Contestant& each = contestants_[other];
    const auto isSame = [&](size_t one) {
      return one == other || areOneProgram(calls(one), calls(other));
    };
    if (!isOfSearch(each) && !isDrawn(each) && runs(each) && each.measured.seconds <= most &&
        llvm::none_of(numbers, isSame))
      numbers.push_back(other);
  }
  return numbers;
}

std::optional<size_t> WholePlans::fastest() const {
  const std::optional<size_t> ofSearch = fastest(true), other = fastest(false);
  if (!ofSearch || !other) return ofSearch ? ofSearch : other;
  const auto seconds = [&](size_t number) { return contestants_[number].measured.seconds; };
  return seconds(*ofSearch) < seconds(*other) ? ofSearch : other;
}

const std::vector<PlacedCall>& WholePlans::calls(size_t number) {
  std::optional<std::vector<PlacedCall>>& calls = calls_[number];
  if (!calls) {
    std::optional<std::vector<Tile>> tiles;
    if (contestants_[number].tiles) tiles = tilesOf(*contestants_[number].tiles);
    calls = placedCalls(graph_, tiles, request_.place);
  }
  return *calls;
}

static bool isBetter(const Contestant& a, const Contestant& b) {
  if (isDrawn(a) != isDrawn(b)) return isDrawn(b);
  if (runs(a) != runs(b)) return runs(a);
  return runs(a) && a.measured.seconds < b.measured.seconds;
}

/// Operators that read what another target computed.
static size_t numChanges(const OperatorGraph& graph, const Contestant& contestant) {
  llvm::DenseMap<uint32_t, ir::TargetAttr> targets;
  for (const PlannedTile& planned : *contestant.tiles)
    for (const uint32_t node : planned.tile.nodes) targets[node] = planned.tile.target;
  size_t count = 0;
  for (uint32_t node = 0; node < graph.size(); ++node)
    for (const mlir::Value value : graph.reads(node)) {
      const uint32_t producer = graph.producerOf(value);
      count += producer < graph.size() && targets.lookup(producer) != targets.lookup(node) ? 1 : 0;
    }
  return count;
}

bool WholePlans::isFaster(size_t challenger, size_t incumbent) const {
  const Contestant &ours = contestants_[challenger], &theirs = contestants_[incumbent];
  // Times of other races were taken on a machine that may have been another one.
  return ours.race == theirs.race && isSurelyFaster(ours.measured.turns, theirs.measured.turns);
}

/// The median over the turns of their race, where they had one.
static double ratioOf(const Contestant& a, const Contestant& b) {
  if (a.race != b.race || a.measured.turns.empty() || b.measured.turns.empty())
    return a.measured.seconds / b.measured.seconds;
  return ratioOf(a.measured.turns, b.measured.turns);
}

/// The winner stands in front.
static std::vector<Contestant> compared(std::vector<Contestant> contestants) {
  const Contestant& winner = contestants.front();
  for (Contestant& each : contestants)
    if (runs(each) && runs(winner) && each.race == winner.race)
      each.winnersShare = ratioOf(winner, each);
  return contestants;
}

std::vector<Contestant> WholePlans::takeSmallest(double latencyBound) && {
  const auto fastest = std::ranges::min_element(contestants_, isBetter);
  const auto isSlow = [&](const Contestant& each) {
    return &each != &*fastest && !(ratioOf(each, *fastest) <= latencyBound);
  };
  auto smallest = fastest;
  for (auto it = contestants_.begin(); it != contestants_.end(); ++it)
    if (runs(*it) && !isDrawn(*it) && !isSlow(*it) && it->memoryBytes < smallest->memoryBytes)
      smallest = it;
  std::rotate(contestants_.begin(), smallest, smallest + 1);
  return compared(std::move(contestants_));
}

size_t WholePlans::simplest(size_t ofSearch, size_t other) const {
  size_t simplest = ofSearch;
  for (const size_t number : asFastAs(ofSearch))
    if (isFaster(number, other) &&
        numChanges(graph_, contestants_[number]) < numChanges(graph_, contestants_[simplest]))
      simplest = number;
  return simplest;
}

std::vector<Contestant> WholePlans::take(std::optional<size_t> winner) && {
  if (!winner) winner = fastest(false);
  if (!winner) winner = fastest();
  if (winner) {
    const auto it = contestants_.begin() + static_cast<ptrdiff_t>(*winner);
    std::rotate(contestants_.begin(), it, it + 1);
  }
  std::stable_sort(contestants_.begin() + (winner ? 1 : 0), contestants_.end(), isBetter);
  return compared(std::move(contestants_));
}

}  // namespace tessera::placement
