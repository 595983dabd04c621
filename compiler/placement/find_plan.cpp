#include "compiler/placement/find_plan.h"

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/candidates/conversion_tile.h"
#include "compiler/placement/candidates/learnt_bounds.h"
#include "compiler/placement/candidates/preferences.h"
#include "compiler/placement/candidates/problem_of.h"
#include "compiler/placement/node_answers.h"
#include "compiler/placement/placed_parts.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/search/lazy.h"
#include "compiler/placement/timing/paired.h"

namespace tessera::placement {

using namespace mlir;

/// Times are numbers from 0; what has another one was not measured.
static std::vector<Measurement> checked(std::vector<Measurement> measurements) {
  for (Measurement& each : measurements) {
    const bool isTime = std::isfinite(each.seconds) && each.seconds >= 0;
    if (each.outcome != costs::Outcome::kOk || isTime) continue;
    each = {.outcome = costs::Outcome::kFailed,
            .reason = "its time is no time: " + std::to_string(each.seconds) + " s"};
  }
  return measurements;
}

namespace {

class Planner {
 public:
  Planner(const PlanRequest& request, partition::OwnerIndex owners)
      : request_(request), owners_(std::move(owners)), graph_(ir::entryFunction(request.module)) {}

  Result<FoundPlan> run() {
    report({.what = "candidates"});
    set_ = collectCandidates(graph_, owners_, request_.place);
    search_ = problemOf(graph_, owners_, set_);
    plan_.numProposals = set_.numProposals;
    plan_.numDeclined = set_.declined.size();
    plan_.numCandidates = set_.tiles.size();
    plan_.numClasses = search_.subjects.size();
    isSeen_.assign(search_.subjects.size(), false);
    for (const search::CostClass& cost : search_.problem.classes)
      rooflines_.push_back(cost.seconds);
    findRepresentatives();
    if (!request_.measurer->isExact()) survey();
    // Without a search, too, whole plans may run.
    if (const Status status = search(); !status) plan_.searchFailure = status.error().message;
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

  /// A tile for each class, a value for each conversion.
  void findRepresentatives() {
    for (auto [number, tile] : llvm::enumerate(set_.tiles))
      tileOf_.try_emplace(tile.classNumber, number);
    std::map<std::pair<const void*, const void*>, mlir::Value> values;
    for (const auto& [value, states] : search_.states) {
      for (const Type from : states) {
        for (const Type to : states)
          valueOf_.try_emplace({from.getAsOpaquePointer(), to.getAsOpaquePointer()}, value);
      }
    }
  }

  /// What a cost class is measured by; `keep` owns modules that are made for it.
  Result<Subject> subjectOf(search::ClassId id, std::vector<OwningOpRef<ModuleOp>>& keep) const {
    const CostSubject& cost = search_.subjects[id];
    if (!cost.isConversion()) {
      const CandidateClass& of = set_.classes[cost.candidateClass];
      const CandidateTile& tile = set_.tiles[tileOf_.at(cost.candidateClass)];
      return Subject{.name = of.name,
                     .module = *of.module,
                     .target = tile.tile.target,
                     .inputs = tile.inputs,
                     .outputs = tile.outputs};
    }
    OwningOpRef<ModuleOp> module = makeConversion(request_.module, cost.from, cost.to);
    const std::string name = tileClass(*module);
    TESSERA_TRY_VOID(request_.place(*module));
    const mlir::Value value =
        valueOf_.at({cost.from.getAsOpaquePointer(), cost.to.getAsOpaquePointer()});
    keep.push_back(std::move(module));
    return Subject{
        .name = name, .module = *keep.back(), .target = {}, .inputs = {value}, .outputs = {value}};
  }

  /// Whether there is nothing to run: all of it is the host program's.
  static bool isFree(ModuleOp module) {
    return llvm::none_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
      return static_cast<bool>(backend_api::ownerOf(function));
    });
  }

  /// What is asked for, and what would do the same work as any of it in not much more time: that is
  /// asked for next more often than not, and the fewer rounds there are the more is compiled side
  /// by side.
  std::vector<search::ClassId> withRivals(const std::vector<search::ClassId>& classes,
                                          const search::Problem& problem) const {
    constexpr double kNotMuchMore = 1.1;
    std::set<search::ClassId> all(classes.begin(), classes.end());
    std::map<SmallVector<uint32_t>, double> works;
    for (const CandidateTile& tile : set_.tiles) {
      const auto id = static_cast<search::ClassId>(tile.classNumber);
      if (all.contains(id)) works[tile.tile.nodes] = problem.seconds(id);
    }
    for (const CandidateTile& tile : set_.tiles) {
      const auto id = static_cast<search::ClassId>(tile.classNumber);
      const auto work = works.find(tile.tile.nodes);
      if (isSeen_[id] || work == works.end()) continue;
      if (problem.seconds(id) <= work->second * kNotMuchMore) all.insert(id);
    }
    return {all.begin(), all.end()};
  }

  /// Raises the bounds of what nobody looked at to what the others' measurements say.
  void raiseBounds(search::Problem& problem) const {
    for (size_t id = 0; bounds_ && id < set_.classes.size(); ++id) {
      if (!isSeen_[id]) problem.classes[id].seconds = std::max(rooflines_[id], bounds_->of(id));
    }
  }

  /// Classes that nobody looked at get a glance, and what would do the same work as any of them
  /// does, too; the others are measured carefully.
  bool measure(const search::Round& round, search::Problem& problem) {
    report({.what = "measuring",
            .done = plan_.numMeasuredClasses,
            .total = plan_.numMeasuredClasses + round.classes.size(),
            .bestSeconds = round.optimum.seconds});
    const auto isNew = [&](search::ClassId id) {
      return !isSeen_[id] && !request_.measurer->isExact();
    };
    std::vector<search::ClassId> seen(round.classes.begin(), round.classes.end());
    const auto firstNew = std::stable_partition(seen.begin(), seen.end(), std::not_fn(isNew));
    const std::vector<search::ClassId> unseen =
        withRivals(std::vector(firstNew, seen.end()), problem);
    std::vector<std::pair<search::ClassId, double>> bounds;
    for (const search::ClassId id : llvm::make_range(firstNew, seen.end()))
      bounds.emplace_back(id, problem.seconds(id));
    seen.erase(firstNew, seen.end());
    measure(unseen, Effort::kGlance, problem);
    // A glance below the bound says nothing: the optimum would ask for the same again.
    for (const auto& [id, bound] : bounds)
      if (!problem.classes[id].isMeasured && problem.seconds(id) <= bound) seen.push_back(id);
    measure(seen, Effort::kCareful, problem);
    ++plan_.numRounds;
    return !isStopped();
  }

  void measure(const std::vector<search::ClassId>& classes, Effort effort,
               search::Problem& problem) {
    std::vector<OwningOpRef<ModuleOp>> keep;
    std::vector<Subject> subjects;
    std::vector<search::ClassId> ids;
    for (const search::ClassId id : classes) {
      search::CostClass& cost = problem.classes[id];
      Result<Subject> subject = subjectOf(id, keep);
      if (subject && !isFree(subject->module)) {
        subjects.push_back(std::move(*subject));
        ids.push_back(id);
      } else {
        setSeen(id);
        if (subject && !search_.subjects[id].isConversion())
          costs_[search_.subjects[id].candidateClass] = {};
        cost = {.seconds = subject ? 0 : std::numeric_limits<double>::infinity(),
                .isMeasured = true};
      }
    }
    const std::vector<Measurement> found = checked(request_.measurer->measure(subjects, effort));
    for (auto [id, measurement] : llvm::zip_equal(ids, found)) {
      if (!measurement.isTaken) continue;
      setSeen(id);
      if (!search_.subjects[id].isConversion())
        costs_[search_.subjects[id].candidateClass] = measurement;
      search::CostClass& cost = problem.classes[id];
      if (bounds_ && measurement.outcome == costs::Outcome::kOk &&
          !search_.subjects[id].isConversion())
        bounds_->learn(search_.subjects[id].candidateClass, measurement.least);
      if (measurement.outcome != costs::Outcome::kOk) {
        cost = {.seconds = std::numeric_limits<double>::infinity(), .isMeasured = true};
      } else {
        // No class is cheaper than its bound, or what was left out could have been better.
        cost.isMeasured = effort == Effort::kCareful;
        cost.seconds =
            std::max(cost.seconds, cost.isMeasured ? measurement.seconds : measurement.least);
      }
    }
    raiseBounds(problem);
    if (isStopped()) settleForGlances(problem);
  }

  void setSeen(search::ClassId id) {
    plan_.numMeasuredClasses += isSeen_[id] ? 0 : 1;
    isSeen_[id] = true;
  }

  bool isCancelled() const { return request_.isCancelled && request_.isCancelled(); }
  bool isStopped() const { return isCancelled() || (request_.isStopped && request_.isStopped()); }

  /// There is no time to look twice.
  void settleForGlances(search::Problem& problem) {
    plan_.isStopped = true;
    for (auto [cost, isSeen] : llvm::zip_equal(problem.classes, isSeen_)) cost.isMeasured |= isSeen;
  }

  /// A look at every operator by itself, from which bounds are learnt.
  void survey() {
    bounds_.emplace(graph_, owners_, set_);
    measureSingles(bounds_->someSingles());
    measureSingles(bounds_->otherSingles());
  }

  void measureSingles(const std::vector<size_t>& candidateClasses) {
    measure({candidateClasses.begin(), candidateClasses.end()}, Effort::kGlance, search_.problem);
  }

  Status search() {
    const auto measureRound = [&](const search::Round& round, search::Problem& problem) {
      return measure(round, problem);
    };
    TESSERA_TRY(const search::LazySolution found,
                search::solveLazily(search_.problem, measureRound));
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
    search::Problem problem = search_.problem;
    for (auto [cost, subject] : llvm::zip_equal(problem.classes, search_.subjects))
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
      search::Problem drawn = search_.problem;
      for (search::CostClass& cost : drawn.classes)
        cost = {.seconds = cost.seconds * std::exp2(doublings(random)), .isMeasured = true};
      const auto solution = search::solve(drawn, kQuick);
      if (!solution || known.contains(solution->chosen)) continue;
      if (const double seconds = measuredSum(solution->chosen); std::isfinite(seconds)) {
        known.insert(solution->chosen);
        add("random " + std::to_string(known.size()),
            {.chosen = solution->chosen, .seconds = seconds});
      }
    }
  }

  /// What a choice costs, after measuring what of it was not.
  double measuredSum(const std::vector<search::CandidateId>& chosen) {
    const std::vector<search::ClassId> paid = search::paidClasses(search_.problem, chosen);
    std::set<search::ClassId> missing(paid.begin(), paid.end());
    std::erase_if(missing, [&](auto id) { return search_.problem.classes[id].isMeasured; });
    measure({missing.begin(), missing.end()}, Effort::kCareful, search_.problem);
    double sum = 0;
    for (const search::ClassId id : paid) sum += search_.problem.seconds(id);
    return sum;
  }

  /// Costs of parts do not quite add up: what is next to the cheapest may be faster.
  void addNextBest(const search::Solution& found) {
    constexpr size_t kNumBest = 3;
    search::Problem measured = search_.problem;
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
      tiles.push_back(plannedTile(set_.tiles[id]));
    plan_.contestants.push_back(
        {.name = name, .tiles = std::move(tiles), .predicted = solution.seconds});
  }

  PlannedTile plannedTile(const CandidateTile& from) const {
    PlannedTile planned{.tile = from.tile,
                        .rule = from.rule,
                        .evidence = set_.classes[from.classNumber].name,
                        .cost = costs_.lookup(from.classNumber)};
    for (const CandidateTile& other : set_.tiles) {
      if (other.tile.nodes != from.tile.nodes || other.tile.target == from.tile.target) continue;
      const auto cost = costs_.find(other.classNumber);
      if (cost == costs_.end() || cost->second.outcome != costs::Outcome::kOk) continue;
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
         llvm::zip_equal(running, checked(request_.measurer->measureWhole(subjects))))
      contestant->measured = measured;
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
    Evidence evidence{.candidates = &set_, .costs = &costs_};
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
    for (const CandidateTile& each : set_.tiles) {
      const bool isSame = each.tile.target == part.target && each.tile.nodes == part.nodes;
      if (isSame && each.tile.reads.empty() && costs_.contains(each.classNumber))
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
  CandidateSet set_;
  SearchProblem search_;
  FoundPlan plan_;
  std::vector<bool> isSeen_;                   ///< By cost class: somebody looked at it.
  std::vector<double> rooflines_;              ///< By cost class.
  std::optional<LearntBounds> bounds_;         ///< None where measuring costs nothing.
  std::map<size_t, size_t> tileOf_;            ///< A tile of each class.
  llvm::DenseMap<size_t, Measurement> costs_;  ///< By class of tiles; those measured.
  std::map<std::pair<const void*, const void*>, mlir::Value> valueOf_;
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
