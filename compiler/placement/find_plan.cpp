#include "compiler/placement/find_plan.h"

#include <cmath>
#include <random>
#include <set>

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/candidates/preferences.h"
#include "compiler/placement/node_answers.h"
#include "compiler/placement/part_costs.h"
#include "compiler/placement/placed_parts.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/timing/paired.h"

namespace tessera::placement {

using namespace mlir;

namespace {

class Planner {
 public:
  Planner(const PlanRequest& request, partition::OwnerIndex owners)
      : request_(request),
        owners_(std::move(owners)),
        graph_(ir::entryFunction(request.module)),
        collector_(graph_, request_.place) {}

  Result<FoundPlan> run() {
    report({.what = "candidates"});
    collector_.add(proposeTiles(graph_, owners_, request_.place));
    costs_.emplace(request_, graph_, owners_, collector_.set());
    if (!request_.measurer->isExact()) costs_->survey();
    // Without a search, too, whole plans may run.
    if (const Status status = search(); !status) plan_.searchFailure = status.error().message;
    count();
    addSingles();
    race();
    if (plan_.contestants.front().measured.outcome != costs::Outcome::kOk)
      return targetFailed("no plan runs: " + plan_.contestants.front().measured.reason);
    explain();
    return std::move(plan_);
  }

 private:
  void report(const Progress& progress) const {
    if (request_.progress) request_.progress(progress);
  }

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
    plan_.isStopped = costs_->isCutShort();
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
    add(kSearch.str(), found.solution);
    addNextBest(found.solution);
    addRandomPlans();
    plan_.withoutConversions = costWithoutConversions();
    return {};
  }

  /// What no mosaic of these tiles can fall below: 0 where it is not found.
  double costWithoutConversions() const {
    search::Problem problem = costs_->search().problem;
    for (auto [cost, subject] : llvm::zip_equal(problem.classes, costs_->search().subjects))
      if (subject.isConversion()) cost.seconds = 0;
    const auto solution = search::solve(problem, kQuick);
    return solution ? solution->seconds : 0;
  }

  /// The cheapest of costs that are drawn anew each time around those known.
  void addRandomPlans() {
    constexpr size_t kTriesEach = 4;
    constexpr double kMostDoublings = 3;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> doublings(-kMostDoublings, kMostDoublings);
    std::set<std::vector<search::CandidateId>> known;
    const size_t numTries = kTriesEach * request_.numRandomPlans;
    for (size_t i = 0; i < numTries && known.size() < request_.numRandomPlans; ++i) {
      search::Problem drawn = problem();
      for (search::CostClass& cost : drawn.classes)
        cost = {.seconds = cost.seconds * std::exp2(doublings(random)), .isMeasured = true};
      const auto solution = search::solve(drawn, kQuick);
      if (!solution || known.contains(solution->chosen)) continue;
      if (const double seconds = costs_->measuredSum(solution->chosen); std::isfinite(seconds)) {
        known.insert(solution->chosen);
        add("random " + std::to_string(known.size()),
            {.chosen = solution->chosen, .seconds = seconds});
      }
    }
  }

  /// Costs of parts do not quite add up: what is next to the cheapest may be faster.
  void addNextBest(const search::Solution& found) {
    constexpr size_t kNumBest = 3;
    search::Problem measured = problem();
    for (search::CostClass& cost : measured.classes)
      if (!cost.isMeasured) cost.seconds = std::numeric_limits<double>::infinity();
    auto best = search::kBest(measured, kNumBest, kQuick);
    if (!best) return;
    const auto isFound = [&](const search::Solution& each) { return each.chosen == found.chosen; };
    std::erase_if(*best, isFound);
    best->resize(std::min(best->size(), kNumBest - 1));
    for (auto [number, solution] : llvm::enumerate(*best))
      add((kSearch + " " + llvm::Twine(number + 2)).str(), solution);
  }

  void add(const std::string& name, const search::Solution& solution) {
    std::vector<PlannedTile> tiles;
    for (const search::CandidateId id : solution.chosen)
      tiles.push_back(plannedTile(set().tiles[id]));
    plan_.contestants.push_back(
        {.name = name, .tiles = std::move(tiles), .predicted = solution.seconds});
  }

  PlannedTile plannedTile(const CandidateTile& from) const {
    PlannedTile planned{.tile = from.tile,
                        .rule = from.rule,
                        .evidence = set().classes[from.classNumber].name,
                        .cost = measurements().lookup(from.classNumber)};
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
      plan_.contestants.push_back({.name = "only " + owners_[i].target.toString(),
                                   .tiles = std::vector{PlannedTile{.tile = std::move(all)}}});
    }
    plan_.contestants.push_back({.name = "greedy"});
    if (!request_.previous) return;
    std::vector<PlannedTile> tiles;
    for (const Tile& tile : *request_.previous) tiles.push_back({.tile = tile});
    plan_.contestants.push_back({.name = "previous", .tiles = std::move(tiles)});
  }

  /// Runs all of them end to end, in turns; the best comes first.
  void race() {
    if (isCancelled()) return preferUnseen();
    report({.what = "plans", .done = 0, .total = plan_.contestants.size()});
    std::vector<OwningOpRef<ModuleOp>> modules;
    std::vector<Subject> subjects;
    std::vector<Contestant*> running;
    SmallVector<mlir::Value> inputs(graph_.entry().getArguments());
    SmallVector<mlir::Value> outputs;
    for (const mlir::Value value : graph_.entry().getBody().front().getTerminator()->getOperands())
      outputs.push_back(graph_.origin(value));
    for (Contestant& contestant : plan_.contestants) {
      ModuleOp source = request_.module;
      OwningOpRef<ModuleOp> module = source.clone();
      if (contestant.tiles)
        (*module)->setAttr(kPlanAttribute,
                           toAttribute(module->getContext(), tilesOf(*contestant.tiles)));
      const Status status = request_.place(*module);
      if (!status) {
        contestant.measured = {.outcome = costs::Outcome::kFailed,
                               .reason = status.error().message};
        continue;
      }
      subjects.push_back({.name = contestant.name,
                          .module = *module,
                          .target = {},
                          .inputs = inputs,
                          .outputs = outputs});
      modules.push_back(std::move(module));
      running.push_back(&contestant);
    }
    for (auto [contestant, measured] :
         llvm::zip_equal(running, checkedTimes(request_.measurer->measureWhole(subjects))))
      contestant->measured = measured;
    plan_.remarks = request_.measurer->remarks();
    std::ranges::stable_sort(plan_.contestants, isBetter);
    giveBackTies();
  }

  /// Without a run: the search's first, else greedy placement.
  void preferUnseen() {
    plan_.isStopped = true;
    const auto isGreedy = [](const Contestant& each) { return !each.tiles; };
    if (plan_.contestants.front().name != kSearch)
      std::ranges::stable_partition(plan_.contestants, isGreedy);
  }

  /// What has no search behind it stands in front unless the search is faster by more than the
  /// noise.
  void giveBackTies() {
    const auto first = std::ranges::find_if_not(plan_.contestants, isOfSearch);
    if (first == plan_.contestants.begin() || first == plan_.contestants.end() ||
        first->measured.outcome != costs::Outcome::kOk)
      return;
    const Comparison comparison =
        comparePaired(plan_.contestants.front().measured.samples, first->measured.samples);
    if (!comparison.isFaster) std::rotate(plan_.contestants.begin(), first, first + 1);
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
    return llvm::StringRef(contestant.name).starts_with(kSearch);
  }

  static bool isBetter(const Contestant& a, const Contestant& b) {
    const bool aRuns = a.measured.outcome == costs::Outcome::kOk;
    const bool bRuns = b.measured.outcome == costs::Outcome::kOk;
    if (aRuns != bRuns) return aRuns;
    return aRuns && a.measured.seconds < b.measured.seconds;
  }

  static constexpr llvm::StringLiteral kSearch = "search";
  static constexpr search::Limits kQuick{.seconds = 2, .gap = 0};

  const PlanRequest& request_;
  const partition::OwnerIndex owners_;
  const OperatorGraph graph_;
  CandidateCollector collector_;
  std::optional<PartCosts> costs_;  ///< Of the collector's candidates.
  FoundPlan plan_;
};

}  // namespace

Status checkSizes(ModuleOp module) {
  Status status;
  ir::entryFunction(module).walk([&](Operation* op) {
    for (const Type type : op->getResultTypes()) {
      const auto tensor = dyn_cast<RankedTensorType>(type);
      const std::string why = tensor ? ir::whyOpen(tensor) : "";
      if (!why.empty() && status)
        status = invalidInput("measured placement needs known sizes: " + why);
    }
  });
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
