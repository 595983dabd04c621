// Searches over backends made up, with times made up.
#include "compiler/placement/find_plan.h"

#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "compiler/partition/test/placement_for_test.h"
#include "compiler/placement/candidates/lower_bound.h"
#include "compiler/placement/passes.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/plan_memory.h"
#include "mlir/Parser/Parser.h"

namespace tessera::placement {
namespace {

using namespace mlir;
using backend_api::Mock;
using partition::only;
using partition::Texts;

/// Seconds of each region: of its operators, by target and name.
using Times = std::map<std::string, std::map<std::string, double>>;

class TableMeasurer : public Measurer {
 public:
  explicit TableMeasurer(Times times) : times_(std::move(times)) {}

  std::vector<Measurement> measure(ArrayRef<Subject> subjects, Effort effort) override {
    std::vector<Measurement> found;
    for (const Subject& subject : subjects) {
      (effort == Effort::kGlance ? numGlances : numMeasured) += 1;
      names.insert(subject.name);
      Measurement one{.seconds = secondsOf(subject.module)};
      one.memoryBytes = memoryOf(subject.module);
      one.low = one.high = one.least = one.seconds;
      if (effort == Effort::kGlance) one.least *= glanceFactor;
      if (isWrong && isWrong(subject))
        one = {.outcome = costs::Outcome::kWrong, .reason = "output 0 differs"};
      found.push_back(one);
    }
    return found;
  }
  std::vector<Measurement> measureWhole(ArrayRef<Subject> subjects) override {
    std::vector<Measurement> found;
    for (const Subject& subject : subjects) {
      const std::vector<double> calls = secondsOfCalls(subject.module);
      const double seconds = std::accumulate(calls.begin(), calls.end(), 0.0) *
                             (wholeFactor ? wholeFactor(subject) : 1);
      found.push_back({.seconds = seconds,
                       .low = seconds,
                       .high = seconds,
                       .samples = samplesAround(seconds),
                       .calls = calls,
                       .memoryBytes = memoryOf(subject.module)});
    }
    return found;
  }

  /// Of a part: calls do not follow each other as they do in a model.
  double secondsOf(ModuleOp module) const {
    double seconds = 0;
    for (const double each : secondsOfCalls(module, /*ofChange=*/0)) seconds += each;
    return seconds;
  }

  void renew() override { ++numProcesses; }

  std::function<bool(const Subject&)> isWrong = {};
  std::function<double(const Subject&)> wholeFactor = {};
  /// Whole models that take more leave their race after one sample.
  double hopeless = std::numeric_limits<double>::infinity();
  double wholeNoise = 0;                   ///< Relative, of the samples of whole models.
  double glanceFactor = 1;                 ///< Of the least sample.
  double secondsOfChange = 0;              ///< In a model, of a call behind another target's.
  std::map<std::string, uint64_t> memory;  ///< Bytes while a region of a target runs.
  size_t numGlances = 0, numMeasured = 0, numProcesses = 1;
  std::set<std::string> names;

 private:
  std::vector<double> samplesAround(double seconds) {
    std::uniform_real_distribution<double> noise(-wholeNoise, wholeNoise);
    std::vector<double> samples(seconds > hopeless ? 1 : 20);
    for (double& each : samples) each = seconds * (1 + noise(random_));
    return samples;
  }

  uint64_t memoryOf(ModuleOp module) const {
    uint64_t most = 0;
    for (auto region : module.getOps<func::FuncOp>()) {
      const ir::TargetAttr target = backend_api::ownerOf(region);
      if (target && memory.contains(target.getKind().str()))
        most = std::max(most, memory.at(target.getKind().str()));
    }
    return most;
  }

  std::vector<double> secondsOfCalls(ModuleOp module) const {
    return secondsOfCalls(module, secondsOfChange);
  }

  std::vector<double> secondsOfCalls(ModuleOp module, double ofChange) const {
    std::vector<double> all;
    ir::TargetAttr before;
    ir::entryFunction(module).walk([&](func::CallOp call) {
      auto region = module.lookupSymbol<func::FuncOp>(call.getCallee());
      const ir::TargetAttr target = backend_api::ownerOf(region);
      double seconds = before && before != target ? ofChange : 0;
      before = target;
      const auto& times = times_.at(target.getKind().str());
      for (Operation& op : region.getBody().front().without_terminator()) {
        if (isa<ir::ConstantOp>(op)) continue;
        const std::string name = op.getName().stripDialect().str();
        seconds += times.contains(name) ? times.at(name) : times.at("");
      }
      all.push_back(seconds + (times.contains("call") ? times.at("call") : 0));
    });
    return all;
  }

  Times times_;
  std::mt19937_64 random_{1};
};

/// Its bounds are rooflines alone: nothing is left out that one of these could not prove dear.
class ExactMeasurer final : public TableMeasurer {
 public:
  using TableMeasurer::TableMeasurer;
  bool isExact() const override { return true; }
};

/// A model of unary and binary operators in which each reads the one before it, and some another.
std::string randomModel(std::mt19937_64& random, size_t numOperators) {
  const std::string type = "tensor<64xf32>";
  std::string text = "func.func @main(%0: " + type + ") -> " + type + " {\n";
  for (size_t i = 1; i <= numOperators; ++i) {
    const std::string value = "%" + std::to_string(i), last = "%" + std::to_string(i - 1);
    constexpr std::array kUnary = {"relu", "exp", "abs", "neg"};
    if (random() % 3 != 0 || i < 2) {
      text += value + " = tsr." + kUnary[random() % kUnary.size()] + " " + last + " : (" + type +
              ") -> " + type + "\n";
    } else {
      const std::string other = "%" + std::to_string(random() % (i - 1));
      text += value + " = tsr." + (random() % 2 == 0 ? "add " : "mul ") + last + ", " + other +
              " : (" + type + ", " + type + ") -> " + type + "\n";
    }
  }
  return text + "return %" + std::to_string(numOperators) + " : " + type + "\n}";
}

class FindPlanTest : public partition::PlacementTest {
 protected:
  Status placeModule(ModuleOp module) {
    return partition::placeUntilAccepted(module, [&](ModuleOp attempt) -> Status {
      PassManager manager(&context_);
      if (attempt->hasAttr(kPlanAttribute))
        buildPlannedPartition(manager, [](OpPassManager&) {});
      else
        partition::buildGreedyPartition(manager, [](OpPassManager&) {});
      if (succeeded(manager.run(attempt))) return {};
      return targetFailed("it cannot be placed");
    });
  }

  /// The regions of the plan that wins.
  Texts find(const char* text, TableMeasurer& measurer, PlanRequest request = {}) {
    auto module = parse(text);
    request.module = *module;
    request.place = [&](ModuleOp each) { return placeModule(each); };
    request.measurer = &measurer;
    const auto found = findPlan(request);
    if (!found) return {found.error().message};
    plan_ = *found;
    const Contestant& winner = plan_.contestants.front();
    if (winner.tiles)
      (*module)->setAttr(kPlanAttribute, toAttribute(&context_, tilesOf(*winner.tiles)));
    EXPECT_TRUE(placeModule(*module));
    return regions(*module);
  }

  FoundPlan plan_;

  static constexpr const char* kChain = R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.relu %1 : (tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    })";
  static constexpr const char* kComposite = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tsr.composite "pair"(%x) {} : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %2 = tsr.relu %a : (tensor<4xf32>) -> tensor<4xf32>
        %3 = tsr.exp %2 : (tensor<4xf32>) -> tensor<4xf32>
        tsr.yield %3 : tensor<4xf32>
      }
      %1 = tsr.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    })";
};

TEST_F(FindPlanTest, EachOperatorRunsWhereItIsFastest) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 9e-6}}}, {"host", {{"exp", 1e-6}, {"", 5e-6}}}});
  EXPECT_EQ(find(kChain, measurer), (Texts{"a: relu", "host: exp", "a: relu"}));
  EXPECT_EQ(plan_.contestants.front().name, "search");
  EXPECT_NEAR(plan_.contestants.front().predicted, 3e-6, 1e-9);
}

TEST_F(FindPlanTest, ABoundIsWhatTheOwnerSaysOrWhatProcessorsCanDo) {
  const auto least = [](func::FuncOp) { return std::optional(1e-12); };
  place({{.name = "a", .leastSeconds = least}, {.name = "host"}});
  for (const char* target : {"a", "host"}) {
    auto module = parse(kChain);
    const auto owners = partition::OwnerIndex::of(*module);
    Tile all{.nodes = {0, 1, 2}, .target = {}, .reads = {}};
    all.target = owners->attribute(*owners->findByText(target));
    const OperatorGraph graph(ir::entryFunction(*module));
    ExtractedTile extracted = extractTile(graph, all);
    ASSERT_TRUE(placeModule(*extracted.module));
    const double bound = lowerBound(*extracted.module, *owners);
    constexpr double kOfTwo = 2e-12;  // The two relus are one region.
    if (target == std::string("a"))
      EXPECT_DOUBLE_EQ(bound, kOfTwo);
    else
      EXPECT_GT(bound, 2 * kOfTwo);
  }
}

TEST_F(FindPlanTest, WhatIsNotMeasuredIsOnNoBetterPlan) {
  place({{.name = "a", .rules = partition::merging()}, {.name = "b"}, {.name = "host"}});
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> seconds(std::log(1e-6), 1);
  size_t numLeftOut = 0;
  for (int i = 0; i < 100; ++i) {
    Times times;
    for (const char* target : {"a", "b", "host"})
      for (const char* name : {"relu", "exp", "abs", "neg", "add", "mul", "call", ""})
        times[target][name] = seconds(random);
    const std::string text = randomModel(random, 4 + random() % 9);
    TableMeasurer lazy(times);
    ExactMeasurer exact(times);
    find(text.c_str(), exact);
    const double optimum = plan_.lowerBound;
    find(text.c_str(), lazy);
    EXPECT_NEAR(plan_.lowerBound, optimum, optimum * 1e-6) << text;
    numLeftOut += plan_.numClasses - plan_.numMeasuredClasses;
  }
  EXPECT_GT(numLeftOut, 0U);
}

TEST_F(FindPlanTest, EqualTilesAreMeasuredOnce) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer({{"a", {{"", 2e-6}}}, {"host", {{"", 1e-6}}}});
  find(kChain, measurer);
  EXPECT_EQ(measurer.numGlances, measurer.names.size());
}

TEST_F(FindPlanTest, AGlanceBelowTheBoundIsFollowedByACarefulLook) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 9e-6}}}, {"host", {{"exp", 1e-6}, {"", 5e-6}}}});
  measurer.glanceFactor = 1e-9;
  EXPECT_EQ(find(kChain, measurer), (Texts{"a: relu", "host: exp", "a: relu"}));
  EXPECT_EQ(plan_.searchFailure, "");
}

TEST_F(FindPlanTest, WhatAGlanceThoughtTooSlowIsNotSlowForEver) {
  place({{.name = "host"}});
  TableMeasurer measurer({{"host", {{"", 1e-6}}}});
  measurer.glanceFactor = 5;
  find(kChain, measurer);
  EXPECT_NEAR(plan_.lowerBound, 3e-6, 1e-9);
}

// Its first choice is blocks of channels, which nobody else reads.
TEST_F(FindPlanTest, AnOwnersSecondChoiceOfLayoutsIsACandidate) {
  const auto blocksOrRows = [](Operation* op, Mock::Types available) {
    backend_api::LayoutChoice blocks =
        partition::choiceOf(op, available, partition::blockedChannels);
    blocks.operands.assign(available.begin(), available.end());
    const auto asItIs = [](RankedTensorType type) { return type; };
    return std::vector{blocks, partition::choiceOf(op, available, asItIs)};
  };
  place({{.name = "a", .layouts = blocksOrRows}, {.name = "host"}});
  TableMeasurer measurer({{"a", {{"relu", 1e-6}, {"relayout", 20e-6}, {"", 9e-6}}},
                          {"host", {{"exp", 1e-6}, {"relayout", 20e-6}, {"", 5e-6}}}});
  const Texts regions = find(R"(
    func.func @main(%x: tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32> {
      %0 = tsr.relu %x : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      %1 = tsr.exp %0 : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      %2 = tsr.relu %1 : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
      return %2 : tensor<1x8x2x2xf32>
    })",
                             measurer);
  EXPECT_EQ(regions, (Texts{"a: relu", "host: exp", "a: relu"}));
  const std::vector<PlannedTile>& tiles = *plan_.contestants.front().tiles;
  EXPECT_EQ(tiles.front().tile.choice, 1U);
  EXPECT_EQ(tiles.back().tile.choice, 1U);
}

// By itself each operator of "a" is fast; changes of targets cost more than that, which only whole
// plans show. Four operators at once are worth one.
TEST_F(FindPlanTest, WhatWholePlansShowIsLearntFrom) {
  place({{.name = "a", .rules = partition::merging()},
         {.name = "host", .rules = partition::merging()}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 9e-6}}}, {"host", {{"exp", 1e-6}, {"", 5e-6}}}});
  measurer.secondsOfChange = 10e-6;
  const Texts regions = find(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.relu %1 : (tensor<8xf32>) -> tensor<8xf32>
      %3 = tsr.relu %2 : (tensor<8xf32>) -> tensor<8xf32>
      %4 = tsr.exp %3 : (tensor<8xf32>) -> tensor<8xf32>
      %5 = tsr.relu %4 : (tensor<8xf32>) -> tensor<8xf32>
      %6 = tsr.exp %5 : (tensor<8xf32>) -> tensor<8xf32>
      %7 = tsr.relu %6 : (tensor<8xf32>) -> tensor<8xf32>
      %8 = tsr.exp %7 : (tensor<8xf32>) -> tensor<8xf32>
      return %8 : tensor<8xf32>
    })",
                             measurer);
  EXPECT_EQ(regions, (Texts{"a: relu relu relu relu", "host: exp relu exp relu exp"}));
  EXPECT_NEAR(plan_.contestants.front().measured.seconds, 27e-6, 1e-9);
  const auto first = llvm::find_if(plan_.contestants,
                                   [](const Contestant& each) { return each.name == "search"; });
  ASSERT_NE(first, plan_.contestants.end());
  EXPECT_NEAR(first->measured.seconds, 59e-6, 1e-9);  // Before anything was learnt.
}

TEST_F(FindPlanTest, MemoryIsSavedAsFarAsTheBoundAllows) {
  place({{.name = "fat"}, {.name = "lean"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"fat", {{"", 1e-6}}}, {"lean", {{"relu", 1.06e-6}, {"", 2e-6}}}, {"host", {{"", 5e-6}}}});
  measurer.memory = {{"fat", 9'000'000}, {"lean", 7'000'000}, {"host", 8'000}};
  // All of lean takes 4.12 us instead of 3, one exp on the host 7.
  EXPECT_EQ(find(kChain, measurer), (Texts{"fat: relu", "fat: exp", "fat: relu"}));
  const PlanRequest memory{.objective = Objective::kMemory, .latencyBound = 1.1};
  EXPECT_EQ(find(kChain, measurer, memory), (Texts{"fat: relu", "fat: exp", "fat: relu"}));
  EXPECT_EQ(plan_.contestants.front().memoryBytes, 9'000'000U);
  PlanRequest loose = memory;
  loose.latencyBound = 1.5;
  EXPECT_EQ(find(kChain, measurer, loose), (Texts{"lean: relu", "lean: exp", "lean: relu"}));
  loose.latencyBound = 10;
  EXPECT_EQ(find(kChain, measurer, loose), (Texts{"host: relu", "host: exp", "host: relu"}));
  EXPECT_EQ(plan_.contestants.front().memoryBytes, 8'000U);
}

// What no plan of one target has: the last relu is fat's, of which the rest is the peak.
TEST_F(FindPlanTest, PlansWithoutTheFattestPartsAreLookedFor) {
  place({{.name = "fat", .supports = only({"exp"})}, {.name = "mid"}, {.name = "host"}});
  TableMeasurer measurer({{"fat", {{"", 1e-6}}},
                          {"mid", {{"exp", 1.2e-6}, {"relu", 10e-6}}},
                          {"host", {{"exp", 20e-6}, {"relu", 1e-6}}}});
  measurer.memory = {{"fat", 9'000'000}, {"mid", 5'000'000}, {"host", 8'000}};
  const PlanRequest memory{.objective = Objective::kMemory, .latencyBound = 1.1};
  EXPECT_EQ(find(kChain, measurer, memory), (Texts{"host: relu", "mid: exp", "host: relu"}));
  EXPECT_EQ(plan_.contestants.front().memoryBytes, 5'000'000U);
}

TEST_F(FindPlanTest, OfPlansThatAreEquallyFastTheOneThatChangesTargetsLeast) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 9e-6}}}, {"host", {{"exp", 1e-6}, {"relu", 1.05e-6}}}});
  // Of whole plans the noise is larger than what they differ by; each target alone is slow.
  measurer.wholeFactor = [](const Subject& subject) {
    return llvm::StringRef(subject.name).starts_with("search") ? 1 : 9;
  };
  measurer.wholeNoise = 0.5;
  find(kChain, measurer);  // The fastest by its parts is a, host, a; it has two changes.
  const std::vector<PlannedTile>& tiles = *plan_.contestants.front().tiles;
  EXPECT_EQ(llvm::count_if(
                tiles, [](const PlannedTile& each) { return each.tile.target.getKind() == "a"; }),
            1);
}

TEST(PlanMemory, WhatIsReadAsItIsComputedIsNeverThere) {
  MLIRContext context;
  context.loadDialect<ir::TsrDialect, func::FuncDialect>();
  const auto module = parseSourceString<ModuleOp>(R"(
    func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
      %0 = tsr.softmax %x {axis = 0 : i64} : (tensor<256xf32>) -> tensor<256xf32>
      %1 = tsr.relu %0 : (tensor<256xf32>) -> tensor<256xf32>
      %2 = tsr.softmax %1 {axis = 0 : i64} : (tensor<256xf32>) -> tensor<256xf32>
      return %2 : tensor<256xf32>
    })",
                                                  &context);
  ASSERT_TRUE(module);
  const OperatorGraph graph(ir::entryFunction(*module));
  EXPECT_EQ(peakLiveBytes(graph, {0, 1, 2}), 2048U);
  EXPECT_EQ(peakLiveBytes(graph, {0, 1}), 1024U);
  EXPECT_EQ(hiddenBytes(graph, {0, 1}, 1024), 0U);
  EXPECT_EQ(hiddenBytes(graph, {0, 1, 2}, 1024), 1024U);  // It told of its result alone.
  EXPECT_EQ(hiddenBytes(graph, {0, 1, 2}, 100'000), 0U);  // It told of more.
}

TEST_F(FindPlanTest, CallsThatCostMoreThanTheyGainAreNotMade) {
  place({{.name = "a", .rules = partition::merging()},
         {.name = "host", .rules = partition::merging()}});
  TableMeasurer measurer({{"a", {{"relu", 1e-6}, {"", 9e-6}, {"call", 8e-6}}},
                          {"host", {{"exp", 1e-6}, {"", 4e-6}, {"call", 8e-6}}}});
  EXPECT_EQ(find(kChain, measurer), (Texts{"host: relu exp relu"}));
}

TEST_F(FindPlanTest, NeighboursOfOneTargetAreTriedAsOne) {
  place({{.name = "a", .rules = partition::merging()}, {.name = "host"}});
  TableMeasurer measurer({{"a", {{"call", 10e-6}, {"exp", 100e-6}, {"", 1e-6}}},
                          {"host", {{"exp", 1e-6}, {"", 50e-6}}}});
  // Splits of the region of five begin at each, but are 1, 2 or 4 operators long.
  const Texts regions = find(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.abs %1 : (tensor<8xf32>) -> tensor<8xf32>
      %3 = tsr.neg %2 : (tensor<8xf32>) -> tensor<8xf32>
      %4 = tsr.exp %3 : (tensor<8xf32>) -> tensor<8xf32>
      return %4 : tensor<8xf32>
    })",
                             measurer);
  EXPECT_EQ(regions, (Texts{"host: exp", "a: relu abs neg", "host: exp"}));
  EXPECT_EQ(plan_.contestants.front().tiles->at(1).rule, "union");
}

TEST_F(FindPlanTest, ACompositeGoesWholeOrInPartsWhicheverIsFaster) {
  place({{.name = "whole", .supports = only({"composite"})},
         {.name = "parts", .supports = only({"relu", "exp"})},
         {.name = "host", .supports = only({"relu", "exp", "abs"})}});
  const auto times = [](double composite, double part) {
    return Times{
        {"whole", {{"composite", composite}}}, {"parts", {{"", part}}}, {"host", {{"", 50e-6}}}};
  };
  TableMeasurer wholeIsFaster(times(1e-6, 2e-6)), partsAreFaster(times(9e-6, 2e-6));
  EXPECT_EQ(find(kComposite, wholeIsFaster), (Texts{"whole: composite", "host: abs"}));
  EXPECT_EQ(find(kComposite, partsAreFaster), (Texts{"parts: relu", "parts: exp", "host: abs"}));
}

TEST_F(FindPlanTest, ABackendTakesPartByItsPatternTableAlone) {
  const pattern::Pattern reluExp = pattern::op<ir::ExpOp>(pattern::op<ir::ReluOp>(pattern::any()));
  place({{.name = "table",
          .supports = [](Operation*) -> backend_api::Support {
            return backend_api::Declined{"patterns only"};
          },
          .patterns = {{.name = "pair", .pattern = reluExp}}},
         {.name = "host"}});
  TableMeasurer measurer({{"table", {{"", 1e-6}}}, {"host", {{"", 2e-6}}}});
  EXPECT_EQ(find(kChain, measurer), (Texts{"table: composite", "host: relu"}));
}

TEST_F(FindPlanTest, WhatIsWrongIsNotChosenHoweverFast) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer({{"a", {{"", 1e-6}}}, {"host", {{"", 5e-6}}}});
  measurer.isWrong = [](const Subject& subject) {
    return subject.target && subject.target.getKind() == "a";
  };
  // Nor is it run as a whole: that would be wrong as well.
  measurer.wholeFactor = [](const Subject& subject) {
    return subject.name == "only host" || subject.name == "search" ? 1 : 1e3;
  };
  EXPECT_EQ(find(kChain, measurer), (Texts{"host: relu", "host: exp", "host: relu"}));
}

TEST_F(FindPlanTest, WhatOneTargetAloneMakesOfTheModelWinsWhereItIsAsFast) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 9e-6}}}, {"host", {{"exp", 1e-6}, {"", 5e-6}}}});
  // End to end the parts cost more than their sum.
  measurer.wholeFactor = [](const Subject& subject) { return subject.name == "search" ? 4 : 1; };
  EXPECT_EQ(find(kChain, measurer), (Texts{"host: relu", "host: exp", "host: relu"}));
  EXPECT_EQ(plan_.contestants.front().name, "only host");
}

TEST_F(FindPlanTest, AMosaicWinsInOneProcessAfterTheOtherOrNotAtAll) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 9e-6}}}, {"host", {{"exp", 1e-6}, {"", 5e-6}}}});
  const Texts host = {"host: relu", "host: exp", "host: relu"};
  EXPECT_EQ(find(kChain, measurer), (Texts{"a: relu", "host: exp", "a: relu"}));
  EXPECT_GE(measurer.numProcesses, 3U);
  measurer.numProcesses = 1;
  measurer.wholeFactor = [&](const Subject& subject) {
    const bool isLucky = measurer.numProcesses < 3;
    return llvm::StringRef(subject.name).starts_with("search") && !isLucky ? 9 : 1;
  };
  EXPECT_EQ(find(kChain, measurer), host);
}

TEST_F(FindPlanTest, AMosaicThatIsFarAheadWins) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 90e-6}}}, {"host", {{"exp", 1e-6}, {"", 50e-6}}}});
  measurer.hopeless = 6e-6;
  EXPECT_EQ(find(kChain, measurer), (Texts{"a: relu", "host: exp", "a: relu"}));
}

TEST_F(FindPlanTest, PlansDrawnAtRandomNeverWinAndAreAllDifferent) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer({{"a", {{"relu", 1e-6}, {"", 2e-6}}}, {"host", {{"", 1.5e-6}}}});
  measurer.wholeFactor = [](const Subject& subject) {
    return llvm::StringRef(subject.name).starts_with("random") ? 0.1 : 1;
  };
  find(kChain, measurer, {.numRandomPlans = 20});
  EXPECT_NE(plan_.contestants.front().origin, Origin::kDrawn);
  EXPECT_DOUBLE_EQ(plan_.contestants.front().winnersShare, 1.0);
  std::vector<std::vector<Tile>> drawn;
  for (const Contestant& each : plan_.contestants) {
    if (each.origin != Origin::kDrawn) continue;
    drawn.push_back(tilesOf(*each.tiles));
    EXPECT_GT(each.winnersShare, 5) << each.name;
  }
  EXPECT_GE(drawn.size(), 3U);
  for (size_t i = 0; i < drawn.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(drawn[i] == drawn[j]);
}

TEST_F(FindPlanTest, OpenSizesAreRefused) {
  place({{.name = "host"}});
  TableMeasurer measurer({{"host", {{"", 1e-6}}}});
  const Texts texts = find(R"(
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = tsr.relu %x : (tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })",
                           measurer);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts.front().find("measured placement needs known sizes"), std::string::npos)
      << texts.front();
  // Of an input alone, too.
  const Texts ofInput = find(R"(
    func.func @main(%x: tensor<?x3xf32>) -> tensor<f32> {
      %0 = tsr.reduce_sum %x {keepdims = 0 : i64} : (tensor<?x3xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    })",
                             measurer);
  ASSERT_EQ(ofInput.size(), 1U);
  EXPECT_NE(ofInput.front().find("known sizes"), std::string::npos) << ofInput.front();
}

using UnionsTest = FindPlanTest;

TEST_F(UnionsTest, AValueThatGoesOutAndComesBackKeepsTilesApart) {
  place({{.name = "a"}, {.name = "b"}});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.neg %0 : (tensor<8xf32>) -> tensor<8xf32>
      %3 = tsr.add %1, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %3 : tensor<8xf32>
    })");
  const OperatorGraph graph(ir::entryFunction(*module));
  const auto owners = partition::OwnerIndex::of(*module);
  const ir::TargetAttr a = owners->attribute((*owners)[0]), b = owners->attribute((*owners)[1]);
  const auto nodesOf = [&](std::vector<ir::TargetAttr> targets) {
    std::vector<Tile> plan;
    for (auto [node, target] : llvm::enumerate(targets))
      plan.push_back({.nodes = {static_cast<uint32_t>(node)}, .target = target, .reads = {}});
    std::vector<std::vector<uint32_t>> nodes;
    for (const Proposal& each : proposeUnions(graph, plan))
      nodes.emplace_back(each.tile.nodes.begin(), each.tile.nodes.end());
    return nodes;
  };
  using Nodes = std::vector<std::vector<uint32_t>>;
  // All three would have exp between them.
  EXPECT_EQ(nodesOf({a, b, a, a}), (Nodes{{0, 2}, {2, 3}}));
  EXPECT_EQ(nodesOf({b, a, b, a}), (Nodes{{0, 2}, {1, 3}}));
  // The pairs, and all of them.
  EXPECT_EQ(nodesOf({a, a, a, a}), (Nodes{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 1, 2, 3}}));
}

}  // namespace
}  // namespace tessera::placement
