#include "compiler/placement/find_plan.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/candidates/preferences.h"
#include "compiler/placement/node_answers.h"
#include "compiler/placement/placed_parts.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/plan_memory.h"
#include "compiler/placement/planned_tile.h"
#include "compiler/placement/whole_plans/drawn_plan.h"
#include "compiler/placement/whole_plans/duel.h"
#include "compiler/placement/whole_plans/judge_predictions.h"
#include "compiler/placement/whole_plans/probes.h"

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
    predictions_.emplace(plans_, *costs_);
    if (!request_.measurer->isExact()) costs_->survey();
    // Without a search, too, whole plans may run.
    if (const Status status = search(); !status) plan_.searchFailure = status.error().message;
    addSingles();
    addProbes();
    if (isCancelled()) {
      preferUnseen();
    } else {
      race();
      searchAgain();
      winner_ = settle();
      if (!winner_) winner_ = plans_.fastest(/*isOfSearch=*/false);
      if (request_.numRandomPlans > 0) judge();
      if (request_.objective == Objective::kMemory) economize();
      if (isCancelled() && !plans_.fastest())
        preferUnseen();
      else
        plan_.contestants = request_.objective == Objective::kMemory
                                ? std::move(plans_).takeSmallest(request_.latencyBound)
                                : std::move(plans_).take(winner_);
    }
    count();
    llvm::append_range(plan_.remarks, plans_.remarks());
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
    std::set<size_t> classes;
    for (const CandidateTile& each : set().tiles) classes.insert(each.classNumber);
    plan_.numClasses = classes.size();
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
    Result<search::LazySolution> found = solve();
    if (found && !isStopped() && costs_->doubtDisturbed()) found = solve();
    if (!found) return found.error();
    plan_.lowerBound = found->solution.lowerBound;
    plan_.solver = found->solution.solver;
    plans_.add(contestantOf("search", found->solution));
    addNextBest(found->solution);
    return {};
  }

  /// Costs of parts do not quite add up: what is next to the cheapest may be faster.
  void addNextBest(const search::Solution& found) {
    constexpr size_t kNumBest = 3;
    auto best = search::kBest(measuredProblem(), kNumBest, kQuickSearch);
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
    const std::string name = "search " + std::to_string(++numOfSearch_);
    const size_t number = plans_.add(contestantOf(name, solution));
    return {number, number == before};
  }

  Contestant contestantOf(std::string name, const search::Solution& solution) const {
    return {.name = std::move(name),
            .origin = Origin::kSearch,
            .tiles = plannedTiles(set(), measurements(), solution),
            .predicted = solution.seconds};
  }

  void addSingle(const backend_api::Owner& owner) {
    const ir::TargetAttr target = owners_.attribute(owner);
    const auto isIts = [&](const CandidateTile& each) { return each.tile.target == target; };
    // Who takes nothing leaves all to the host target, whose plan that is.
    if (&owner != owners_.host() && llvm::none_of(set().tiles, isIts)) return;
    Tile all{.nodes = llvm::to_vector(llvm::seq<uint32_t>(0, graph_.size())),
             .target = target,
             .reads = {}};
    if (graph_.size() == 0 || !Preferences(graph_, owners_).allow(all.nodes, all.target)) return;
    plans_.add({.name = "only " + owner.target.toString(),
                .origin = Origin::kAlone,
                .tiles = std::vector{PlannedTile{.tile = std::move(all)}}});
  }

  /// What a user would get without a search: it must not be better.
  void addSingles() {
    for (size_t i = 0; i < owners_.size(); ++i) addSingle(owners_[i]);
    plans_.add({.name = kGreedyName, .origin = Origin::kGreedy});
    if (!request_.previous) return;
    std::vector<PlannedTile> tiles;
    for (const Tile& tile : *request_.previous) tiles.push_back({.tile = tile});
    plans_.add({.name = "previous", .origin = Origin::kPrevious, .tiles = std::move(tiles)});
  }

  /// Plans that nobody chose: what their parts take in a model is no accident of being chosen, and
  /// they have changes between targets that no plan of the search has.
  void addProbes() {
    constexpr size_t kNumDrawn = 8, kMost = 3;
    if (request_.measurer->isExact()) return;
    std::mt19937_64 random(0);
    std::vector<search::Solution> drawn;
    std::vector<std::vector<PlannedTile>> tiles;
    for (size_t i = 0; i < kNumDrawn; ++i) {
      if (i > 0 && isStopped()) break;  // The first one's parts are known.
      auto solution = drawPlan(i % 2 == 0 ? measuredProblem() : problem(), random);
      if (!solution) continue;
      tiles.push_back(plannedTiles(set(), measurements(), *solution));
      drawn.push_back(std::move(*solution));
    }
    for (const size_t i : mostTelling(tiles, kMost)) {
      if (!std::isfinite(costs_->measuredSum(drawn[i].chosen))) continue;
      plans_.add({.name = "probe " + std::to_string(++numProbes_),
                  .origin = Origin::kDrawn,
                  .tiles = plannedTiles(set(), measurements(), drawn[i])});
    }
  }

  /// Runs all of them end to end.
  void race() {
    std::vector<size_t> all(plans_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    plans_.race(all);
  }

  /// The plan of the search that wins, if one does: it has to be ahead of the best other one in one
  /// process after the other, and by more than the noise over all of them. Of those that the noise
  /// does not tell apart, the one that changes targets least. When time is up one race is enough.
  std::optional<size_t> settle() {
    constexpr size_t kMostRaces = 6, kEnoughRaces = 3;
    raceNearest();
    const auto challenger = plans_.fastest(true), incumbent = plans_.fastest(false);
    if (!challenger || !incumbent) return challenger;
    Duel duel;
    for (size_t i = 0; i <= kMostRaces; ++i) {
      const Contestant &ours = plans_[*challenger], &theirs = plans_[*incumbent];
      if (ours.race == theirs.race) duel.addRace(ours.measured.turns, theirs.measured.turns);
      const bool isLast = request_.measurer->isExact() || isStopped();
      plan_.isStopped |= isStopped();
      if (duel.isWon() && (isLast || duel.numRaces() >= kEnoughRaces))
        return plans_.simplest(*challenger, *incumbent);
      if (duel.isLost() || isLast) return std::nullopt;
      request_.measurer->renew();
      std::vector<size_t> numbers = plans_.asFastAs(*challenger);
      numbers.push_back(*incumbent);
      plans_.race(numbers);
    }
    return std::nullopt;
  }

  /// Who is best of those without a search was told by a race of many, which some left early, and
  /// on a machine that may have been disturbed: those that are not far behind run once more.
  void raceNearest() {
    constexpr double kNear = 0.3;
    const auto challenger = plans_.fastest(true), best = plans_.fastest(false);
    if (!best || request_.measurer->isExact() || isStopped()) return;
    std::vector<size_t> numbers = plans_.nearlyAsFastAs(*best, kNear);
    if (numbers.size() == 1) return;
    if (challenger) llvm::append_range(numbers, plans_.asFastAs(*challenger));
    request_.measurer->renew();
    plans_.race(numbers);
  }

  /// What parts took in the plans that ran is learnt from, and the search goes again, until it
  /// finds no other plan.
  void searchAgain() {
    constexpr size_t kMaxTimes = 3;
    for (size_t i = 0; i < kMaxTimes && !costs_->isCutShort() && !isCancelled(); ++i) {
      predictions_->learn();
      predictAll();
      const Result<search::LazySolution> found = solve();
      if (!found || isCancelled()) return;
      plan_.lowerBound = found->solution.lowerBound;
      const auto [number, isNew] = addOfSearch(found->solution);
      predict(number, found->solution.seconds);
      if (!isNew) return;
      plans_.raceWithBest({number}, std::nullopt);
    }
    if (!costs_->isCutShort() && !isCancelled())
      plan_.remarks.emplace_back("what whole plans told still led to another plan of the search");
  }

  void predictAll() {
    for (size_t number = 0; number < plans_.size(); ++number)
      predict(number, plans_[number].predicted);
  }

  void predict(size_t number, double otherwise) {
    plans_[number].predicted =
        predictions_->of(number, Predictions::Missing::kUnknown).value_or(otherwise);
  }

  void judge() {
    judgePredictions({.request = request_,
                      .set = set(),
                      .plans = plans_,
                      .costs = *costs_,
                      .predictions = *predictions_,
                      .winner = winner_});
    plan_.withoutConversions = costWithoutConversions(*costs_);
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

  /// Without a run: the search's first, else greedy placement.
  void preferUnseen() {
    plan_.isStopped = true;
    plan_.contestants = std::move(plans_).take(std::nullopt);
    const auto isGreedy = [](const Contestant& each) { return each.origin == Origin::kGreedy; };
    if (plan_.contestants.front().origin != Origin::kSearch)
      std::ranges::stable_partition(plan_.contestants, isGreedy);
  }

  /// Why it is this plan: what the targets say of each operator, and what greedy placement made of
  /// a winner that is no search's.
  void explain() {
    Findings findings{.candidates = &set(), .costs = &measurements()};
    const auto best = std::ranges::find(plan_.contestants, Origin::kSearch, &Contestant::origin);
    if (best != plan_.contestants.end()) findings.chosen = tilesOf(*best->tiles);
    plan_.answers = collectAnswers(graph_, owners_, findings);
    const Contestant& winner = plan_.contestants.front();
    if (winner.origin == Origin::kSearch) return;
    std::optional<std::vector<Tile>> tiles;
    if (winner.tiles) tiles = tilesOf(*winner.tiles);
    for (Tile& part : placedParts(graph_, tiles, request_.place))
      plan_.parts.push_back(knownPart(set(), measurements(), std::move(part)));
  }

  const PlanRequest& request_;
  const partition::OwnerIndex owners_;
  const OperatorGraph graph_;
  CandidateCollector collector_;
  WholePlans plans_;
  std::optional<PartCosts> costs_;  ///< Of the collector's candidates.
  std::optional<Predictions> predictions_;
  std::optional<size_t> winner_;  ///< Once it is settled.
  size_t numOfSearch_ = 1;        ///< Plans of the search that have a name.
  size_t numProbes_ = 0;
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
  FoundPlan plan{.contestants = {{.name = kGreedyName, .origin = Origin::kGreedy}},
                 .isMeasured = false};
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
