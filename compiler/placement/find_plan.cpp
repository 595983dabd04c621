#include "compiler/placement/find_plan.h"

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/candidates/preferences.h"
#include "compiler/placement/costing/part_costs.h"
#include "compiler/placement/node_answers.h"
#include "compiler/placement/placed_parts.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/plan_memory.h"
#include "compiler/placement/whole_plans.h"

namespace tessera::placement {

using namespace mlir;

namespace {

class Planner {
 public:
  Planner(const PlanRequest& request, partition::OwnerIndex owners)
      : request_(request),
        owners_(std::move(owners)),
        graph_(ir::entryFunction(request.module)),
        collector_(graph_, request_.place),
        plans_(request_, graph_) {}

  Result<FoundPlan> run() {
    report({.what = "candidates"});
    collector_.add(proposeTiles(graph_, owners_, request_.place));
    costs_.emplace(request_, graph_, owners_, collector_.set());
    if (!request_.measurer->isExact()) costs_->survey();
    // Without a search, too, whole plans may run.
    if (const Status status = search(); !status) plan_.searchFailure = status.error().message;
    addSingles();
    if (isCancelled()) {
      preferUnseen();
    } else {
      race();
      searchAgain();
      winner_ = settle();
      if (!winner_) winner_ = plans_.fastest(/*isOfSearch=*/false);
      if (request_.numRandomPlans > 0) judgePredictions();
      if (request_.objective == Objective::kMemory) economize();
      if (isCancelled() && !plans_.fastest())
        preferUnseen();
      else
        plan_.contestants = request_.objective == Objective::kMemory
                                ? std::move(plans_).takeSmallest(request_.latencyBound)
                                : std::move(plans_).take(winner_);
    }
    count();
    if (plan_.contestants.front().measured.outcome != costs::Outcome::kOk)
      return targetFailed("no plan runs: " + plan_.contestants.front().measured.reason);
    explain();
    return std::move(plan_);
  }

 private:
  void report(const Progress& progress) const {
    if (request_.progress) request_.progress(progress);
  }

  bool isStopped() const { return isCancelled() || (request_.isStopped && request_.isStopped()); }
  bool isCancelled() const { return request_.isCancelled && request_.isCancelled(); }
  const CandidateSet& set() const { return collector_.set(); }
  const llvm::DenseMap<size_t, Measurement>& measurements() const { return costs_->measurements(); }
  search::Problem& problem() { return costs_->problem(); }

  void count() {
    plan_.numProposals = set().numProposals;
    plan_.numDeclined = set().declined.size();
    plan_.numCandidates = set().tiles.size();
    plan_.numClasses = costs_->search().subjects.size();
    plan_.numMeasuredClasses = costs_->numMeasured();
    plan_.numRounds = costs_->numRounds();
    plan_.isStopped = plan_.isStopped || costs_->isCutShort() || isCancelled();
  }

  /// The cheapest choice; what of it could be one tile is measured, too, and chosen from again
  /// until nothing new arises.
  Result<search::LazySolution> solve() {
    constexpr size_t kMaxUnions = 8;  ///< Rounds: each may join what the last one chose.
    const auto measureRound = [&](const search::Round& round, search::Problem&) {
      return costs_->measure(round);
    };
    auto found = search::solveLazily(problem(), measureRound);
    for (size_t i = 0; i < kMaxUnions && found && !found->isStopped; ++i) {
      std::vector<Tile> chosen;
      for (const search::CandidateId id : found->solution.chosen)
        chosen.push_back(set().tiles[id].tile);
      const size_t before = set().tiles.size();
      collector_.add(proposeUnions(graph_, chosen));
      costs_->grow();  // What is declined is a class, too.
      if (set().tiles.size() == before) break;
      found = search::solveLazily(problem(), measureRound);
    }
    return found;
  }

  Status search() {
    TESSERA_TRY(const search::LazySolution found, solve());
    plan_.lowerBound = found.solution.lowerBound;
    plan_.solver = found.solution.solver;
    plans_.add(contestantOf(kSearchName.str(), found.solution));
    addNextBest(found.solution);
    return {};
  }

  /// Costs of parts do not quite add up: what is next to the cheapest may be faster.
  void addNextBest(const search::Solution& found) {
    constexpr size_t kNumBest = 3;
    auto best = search::kBest(measuredProblem(), kNumBest, kQuick);
    if (!best) return;
    const auto isFound = [&](const search::Solution& each) { return each.chosen == found.chosen; };
    std::erase_if(*best, isFound);
    best->resize(std::min(best->size(), kNumBest - 1));
    for (const search::Solution& solution : *best) addOfSearch(solution);
  }

  search::Problem measuredProblem() {
    search::Problem measured = problem();
    for (search::CostClass& cost : measured.classes)
      if (!cost.isMeasured) cost.seconds = std::numeric_limits<double>::infinity();
    return measured;
  }

  /// Its number, and whether it is new.
  std::pair<size_t, bool> addOfSearch(const search::Solution& solution) {
    const size_t before = plans_.size();
    const std::string name = (kSearchName + " " + llvm::Twine(++numOfSearch_)).str();
    const size_t number = plans_.add(contestantOf(name, solution));
    return {number, number == before};
  }

  Contestant contestantOf(const std::string& name, const search::Solution& solution) const {
    std::vector<PlannedTile> tiles;
    for (const search::CandidateId id : solution.chosen)
      tiles.push_back(plannedTile(set().tiles[id]));
    return {.name = name, .tiles = std::move(tiles), .predicted = solution.seconds};
  }

  PlannedTile plannedTile(const CandidateTile& from) const {
    PlannedTile planned{.tile = from.tile,
                        .rule = from.rule,
                        .evidence = set().classes[from.classNumber].name,
                        .cost = measurements().lookup(from.classNumber)};
    if (!planned.cost.key.empty()) planned.evidence = planned.cost.key;
    for (const CandidateTile& other : set().tiles) {
      if (other.tile.nodes != from.tile.nodes || other.tile.target == from.tile.target) continue;
      const auto cost = measurements().find(other.classNumber);
      if (cost == measurements().end() || cost->second.outcome != costs::Outcome::kOk) continue;
      if (planned.runnerUp && planned.runnerUpSeconds <= cost->second.seconds) continue;
      planned.runnerUp = other.tile.target;
      planned.runnerUpSeconds = cost->second.seconds;
    }
    return planned;
  }

  /// What a user would get without a search: it must not be better.
  void addSingles() {
    const Preferences preferences(graph_, owners_);
    for (size_t i = 0; i < owners_.size(); ++i) {
      Tile all{.nodes = llvm::to_vector(llvm::seq<uint32_t>(0, graph_.size())),
               .target = owners_.attribute(owners_[i]),
               .reads = {}};
      if (!preferences.allow(all.nodes, all.target)) continue;
      plans_.add({.name = "only " + owners_[i].target.toString(),
                  .tiles = std::vector{PlannedTile{.tile = std::move(all)}}});
    }
    plans_.add({.name = kGreedy.str()});
    if (!request_.previous) return;
    std::vector<PlannedTile> tiles;
    for (const Tile& tile : *request_.previous) tiles.push_back({.tile = tile});
    plans_.add({.name = "previous", .tiles = std::move(tiles)});
  }

  /// Runs all of them end to end.
  void race() {
    std::vector<size_t> all(plans_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    plans_.race(all);
    plan_.remarks = request_.measurer->remarks();
  }

  /// The plan of the search that wins, if one does: it has to be faster than all others in one
  /// process after the other, since where memory lies, and which moment it is, makes more of a
  /// difference than chance within a race. Of those that the noise does not tell apart, the one
  /// that changes targets least. When time is up one race is enough.
  std::optional<size_t> settle() {
    constexpr size_t kMostRaces = 6, kEnoughWins = 3;
    std::map<std::pair<size_t, size_t>, size_t> numWins;
    for (size_t i = 0;; ++i) {
      const auto ofSearch = plans_.fastest(true), other = plans_.fastest(false);
      if (!ofSearch || !other) return ofSearch;
      size_t& wins = numWins[{*ofSearch, *other}];
      if (plans_[*ofSearch].race == plans_[*other].race) {
        if (!plans_.isFaster(*ofSearch, *other)) return std::nullopt;
        const bool isEnough = request_.measurer->isExact() || isStopped();
        if (++wins == kEnoughWins || isEnough) return plans_.simplest(*ofSearch, *other);
      }
      if (i == kMostRaces || isStopped()) return std::nullopt;
      request_.measurer->renew();
      std::vector<size_t> numbers = plans_.asFastAs(*ofSearch);
      numbers.push_back(*other);
      plans_.race(numbers);
    }
  }

  /// What parts took in the plans that ran is learnt from, and the search goes again, until it
  /// finds no other plan.
  void searchAgain() {
    constexpr size_t kMaxTimes = 3;
    for (size_t i = 0; i < kMaxTimes && !costs_->isCutShort() && !isCancelled(); ++i) {
      calibration_ = calibrationOf();
      costs_->calibrate(calibration_);
      predictAll();
      const Result<search::LazySolution> found = solve();
      if (!found || isCancelled()) return;
      plan_.lowerBound = found->solution.lowerBound;
      const auto [number, isNew] = addOfSearch(found->solution);
      plans_[number].predicted = predictedOf(number, found->solution.seconds);
      if (!isNew) return;
      raceWithBest({number});
    }
  }

  /// Of plans of the search and of targets alone: greedy placement and others are for judging.
  Calibration calibrationOf() {
    std::vector<TimedPart> parts;
    for (size_t number = 0; number < plans_.size(); ++number) {
      if (!plans_[number].tiles || plans_[number].measured.calls.empty()) continue;
      const std::vector<PlacedCall>& calls = plans_.calls(number);
      const std::vector<double>& seconds = plans_[number].measured.calls;
      if (calls.size() != seconds.size()) continue;
      // When they were timed the machine may have been slower than while the plans raced.
      const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
      const double speed = std::min(1.0, plans_[number].measured.seconds / sum);
      for (size_t i = 0; i < calls.size(); ++i) {
        const std::optional<double> alone = costs_->aloneOf(calls[i]);
        if (!alone || calls[i].nodes.empty()) continue;
        parts.push_back({.before = i == 0 ? ir::TargetAttr() : calls[i - 1].target,
                         .target = calls[i].target,
                         .alone = *alone,
                         .inModel = seconds[i] * speed});
      }
    }
    return Calibration(parts);
  }

  void predictAll() {
    for (size_t number = 0; number < plans_.size(); ++number)
      plans_[number].predicted = predictedOf(number, plans_[number].predicted);
  }

  /// The sum of what its calls take behind each other; `otherwise` where one of them is unknown.
  double predictedOf(size_t number, double otherwise) {
    const std::vector<PlacedCall>& calls = plans_.calls(number);
    double sum = 0;
    for (size_t i = 0; i < calls.size(); ++i) {
      const std::optional<double> alone =
          isJudging_ ? costs_->measuredAloneOf(calls[i]) : costs_->aloneOf(calls[i]);
      if (!alone) return otherwise;
      const ir::TargetAttr before = i == 0 ? ir::TargetAttr() : calls[i - 1].target;
      sum +=
          calls[i].nodes.empty() ? *alone : calibration_.inModel(before, calls[i].target, *alone);
    }
    return sum > 0 ? sum : otherwise;
  }

  /// The cheapest plans whose parts all take less memory than those of the fastest plan do, less
  /// and less of it. The memory of all plans is told.
  void economize() {
    constexpr std::array kShares = {0.9, 0.75, 0.6, 0.45, 0.3};
    const auto fastest = plans_.fastest();
    if (!fastest || isCancelled()) return;
    uint64_t most = 0;
    for (const PlacedCall& call : plans_.calls(*fastest)) {
      const uint64_t told = costs_->memoryOf(call);
      most = std::max(most, told + hiddenBytes(graph_, call.nodes, told));
    }
    std::vector<size_t> numbers = {*fastest};
    for (const double share : kShares) {
      costs_->limitMemory(static_cast<uint64_t>(static_cast<double>(most) * share));
      const Result<search::LazySolution> found = solve();
      if (!found || costs_->isCutShort()) break;
      if (const auto [number, isNew] = addOfSearch(found->solution); isNew)
        numbers.push_back(number);
    }
    if (numbers.size() > 1) plans_.race(numbers);
    for (size_t number = 0; number < plans_.size(); ++number)
      plans_[number].memoryBytes = memoryOf(number);
  }

  uint64_t memoryOf(size_t number) {
    uint64_t bytes = plans_[number].measured.memoryBytes;
    for (const PlacedCall& call : plans_.calls(number))
      bytes += hiddenBytes(graph_, call.nodes, costs_->memoryOf(call));
    return bytes;
  }

  /// Plans drawn at random, and greedy placement, are predicted and run.
  void judgePredictions() {
    isJudging_ = true;
    std::vector<size_t> numbers = addRandomPlans();
    for (size_t number = 0; number < plans_.size(); ++number)
      if (plans_[number].name == kGreedy) numbers.push_back(number);
    constexpr size_t kMostAtOnce = 32;  // All of them are alive.
    for (size_t at = 0; at < numbers.size(); at += kMostAtOnce)
      predictInRace(ArrayRef(numbers).slice(at, std::min(kMostAtOnce, numbers.size() - at)));
    constexpr size_t kMostAgain = 10;
    if (numbers.size() > kMostAgain) predictInRace(fastestOf(std::move(numbers), kMostAgain));
    plan_.withoutConversions = costWithoutConversions();
  }

  /// What is learnt from the best plans is how fast the machine is in this race.
  void predictInRace(ArrayRef<size_t> numbers) {
    raceWithBest(numbers.vec());
    std::vector<double> speeds;
    for (const bool isOfSearch : {true, false}) {
      const auto best = plans_.fastest(isOfSearch);
      if (!best || llvm::is_contained(numbers, *best)) continue;
      const double sum = predictedOf(*best, 0);
      if (sum > 0) speeds.push_back(plans_[*best].measured.seconds / sum);
    }
    const double speed =
        speeds.empty() ? 1 : std::accumulate(speeds.begin(), speeds.end(), 0.0) / speeds.size();
    for (const size_t number : numbers) {
      const double sum = predictedOf(number, 0);
      if (sum > 0) plans_[number].predicted = sum * speed;
    }
  }

  void raceWithBest(std::vector<size_t> numbers) {
    if (winner_ && !llvm::is_contained(numbers, *winner_)) numbers.push_back(*winner_);
    for (const bool isOfSearch : {true, false})
      if (const auto best = plans_.fastest(isOfSearch); best && !llvm::is_contained(numbers, *best))
        numbers.push_back(*best);
    plans_.race(numbers);
  }

  std::vector<size_t> fastestOf(std::vector<size_t> numbers, size_t count) const {
    const auto seconds = [&](size_t number) {
      const Measurement& measured = plans_[number].measured;
      return measured.outcome == costs::Outcome::kOk && measured.seconds > 0
                 ? measured.seconds
                 : std::numeric_limits<double>::infinity();
    };
    std::ranges::sort(numbers, {}, seconds);
    numbers.resize(std::min(count, numbers.size()));
    return numbers;
  }

  /// The cheapest of costs that are drawn anew each time around those known.
  std::vector<size_t> addRandomPlans() {
    constexpr size_t kTriesEach = 4;
    constexpr double kMostDoublings = 3;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> doublings(-kMostDoublings, kMostDoublings);
    std::vector<size_t> numbers;
    const size_t numTries = kTriesEach * request_.numRandomPlans;
    for (size_t i = 0; i < numTries && numbers.size() < request_.numRandomPlans; ++i) {
      if (isCancelled()) break;
      search::Problem drawn = problem();
      for (search::CostClass& cost : drawn.classes)
        cost = {.seconds = cost.seconds * std::exp2(doublings(random)), .isMeasured = true};
      const auto solution = search::solve(drawn, kQuick);
      if (!solution) continue;
      const double seconds = costs_->measuredSum(solution->chosen);
      if (!std::isfinite(seconds)) continue;
      const size_t before = plans_.size();
      const size_t number = plans_.add(
          drawnPlan(numbers.size() + 1, {.chosen = solution->chosen, .seconds = seconds}));
      if (number == before) numbers.push_back(number);
    }
    return numbers;
  }

  Contestant drawnPlan(size_t number, const search::Solution& solution) const {
    Contestant contestant = contestantOf("random " + std::to_string(number), solution);
    contestant.isDrawn = true;
    return contestant;
  }

  /// What no mosaic of these tiles can fall below, measured: 0 where it is not found.
  double costWithoutConversions() {
    search::Problem free = problem();
    for (auto [cost, subject] : llvm::zip_equal(free.classes, costs_->search().subjects))
      if (subject.isConversion()) cost = {.seconds = 0, .isMeasured = true};
    const auto measure = [&](const search::Round& round, search::Problem& present) {
      const bool goesOn = costs_->measure(round);
      for (const search::ClassId id : round.classes) present.classes[id] = problem().classes[id];
      return goesOn;
    };
    const auto found = search::solveLazily(free, measure, kQuick);
    return found ? found->solution.seconds : 0;
  }

  /// Without a run: the search's first, else greedy placement.
  void preferUnseen() {
    plan_.isStopped = true;
    plan_.contestants = std::move(plans_).take(std::nullopt);
    const auto isGreedy = [](const Contestant& each) { return !each.tiles; };
    if (plan_.contestants.front().name != kSearchName)
      std::ranges::stable_partition(plan_.contestants, isGreedy);
  }

  /// Why it is this plan: what the targets say of each operator, and what greedy placement made of
  /// a winner that is no search's.
  void explain() {
    Evidence evidence{.candidates = &set(), .costs = &measurements()};
    const auto best = std::ranges::find_if(plan_.contestants, isOfSearch);
    if (best != plan_.contestants.end()) evidence.chosen = tilesOf(*best->tiles);
    plan_.answers = collectAnswers(graph_, owners_, evidence);
    const Contestant& winner = plan_.contestants.front();
    if (isOfSearch(winner)) return;
    std::optional<std::vector<Tile>> tiles;
    if (winner.tiles) tiles = tilesOf(*winner.tiles);
    for (Tile& part : placedParts(graph_, tiles, request_.place))
      plan_.parts.push_back(knownPart(std::move(part)));
  }

  /// With its cost, where a candidate is the same.
  PlannedTile knownPart(Tile part) const {
    for (const CandidateTile& each : set().tiles) {
      const bool isSame = each.tile.target == part.target && each.tile.nodes == part.nodes;
      if (isSame && each.tile.reads.empty() && measurements().contains(each.classNumber))
        return plannedTile(each);
    }
    return {.tile = std::move(part)};
  }

  static bool isOfSearch(const Contestant& contestant) {
    return llvm::StringRef(contestant.name).starts_with(kSearchName);
  }

  static constexpr llvm::StringLiteral kGreedy = "greedy";
  static constexpr search::Limits kQuick{.seconds = 2, .gap = 0};

  const PlanRequest& request_;
  const partition::OwnerIndex owners_;
  const OperatorGraph graph_;
  CandidateCollector collector_;
  WholePlans plans_;
  std::optional<PartCosts> costs_;  ///< Of the collector's candidates.
  Calibration calibration_;         ///< Of the last race.
  std::optional<size_t> winner_;    ///< Once it is settled.
  size_t numOfSearch_ = 1;          ///< Plans of the search that have a name.
  bool isJudging_ = false;
  FoundPlan plan_;
};

}  // namespace

Status checkSizes(ModuleOp module) {
  Status status;
  const auto check = [&](TypeRange types) {
    for (const Type type : types) {
      const auto tensor = dyn_cast<RankedTensorType>(type);
      const std::string why = tensor ? ir::whyOpen(tensor) : "";
      if (!why.empty() && status)
        status = invalidInput("measured placement needs known sizes: " + why);
    }
  };
  func::FuncOp entry = ir::entryFunction(module);
  check(entry.getArgumentTypes());
  entry.walk([&](Operation* op) { check(op->getResultTypes()); });
  return status;
}

Result<FoundPlan> describeGreedy(mlir::ModuleOp module, const PlaceTile& place) {
  const auto owners = partition::OwnerIndex::of(module);
  if (failed(owners)) return targetFailed("the module names targets that are not there");
  const OperatorGraph graph(ir::entryFunction(module));
  FoundPlan plan{.contestants = {{.name = "greedy"}}};
  for (Tile& part : placedParts(graph, std::nullopt, place))
    plan.parts.push_back({.tile = std::move(part)});
  plan.answers = collectAnswers(graph, *owners);
  return plan;
}

Result<FoundPlan> findPlan(const PlanRequest& request) {
  TESSERA_TRY_VOID(checkSizes(request.module));
  auto owners = partition::OwnerIndex::of(request.module);
  if (failed(owners)) return targetFailed("the module names targets that are not there");
  return Planner(request, std::move(*owners)).run();
}

}  // namespace tessera::placement
