// Searches over backends made up, with times made up, for tests.
#pragma once

#include <numeric>
#include <random>

#include "compiler/partition/test/placement_for_test.h"
#include "compiler/placement/find_plan.h"
#include "compiler/placement/passes.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/test/models_for_test.h"

namespace tessera::placement {

using partition::Texts;

/// Seconds of each region: of its operators, by target and name.
using Times = std::map<std::string, std::map<std::string, double>>;

class TableMeasurer : public Measurer {
 public:
  explicit TableMeasurer(Times times) : times_(std::move(times)) {}

  std::vector<Measurement> measure(llvm::ArrayRef<Subject> subjects, Effort effort) override {
    std::vector<Measurement> found;
    for (const Subject& subject : subjects) {
      (effort == Effort::kGlance ? numGlances : numMeasured) += 1;
      numAgain += effort == Effort::kAgain ? 1 : 0;
      names.insert(subject.name);
      Measurement one{.seconds = secondsOf(subject.module)};
      one.memoryBytes = memoryOf(subject.module);
      one.low = one.high = one.least = one.seconds;
      if (effort == Effort::kGlance) one.least *= glanceFactor;
      if (effort == Effort::kCareful && isDisturbed && isDisturbed(subject)) {
        one.isDisturbed = true;
        one.seconds *= kDisturbance;
      }
      if (isWrong && isWrong(subject))
        one = {.outcome = costs::Outcome::kWrong, .reason = "output 0 differs"};
      found.push_back(one);
    }
    return found;
  }
  std::vector<Measurement> measureWhole(llvm::ArrayRef<Subject> subjects, bool areRivals) override {
    numRivals.push_back(areRivals ? subjects.size() : 0);
    std::vector<Measurement> found;
    for (const Subject& subject : subjects) {
      const std::vector<double> calls = secondsOfCalls(subject.module);
      const double seconds = std::accumulate(calls.begin(), calls.end(), 0.0) *
                             (wholeFactor ? wholeFactor(subject) : 1);
      const double corrected = seconds * (correction ? correction(subject) : 1);
      wholeNames.push_back(subject.name);
      found.push_back({.seconds = corrected,
                       .low = corrected,
                       .high = corrected,
                       .turns = turnsAround(seconds),
                       .calls = calls,
                       .memoryBytes = memoryOf(subject.module)});
    }
    return found;
  }

  /// Of a part: calls do not follow each other as they do in a model.
  double secondsOf(mlir::ModuleOp module) const {
    double seconds = 0;
    for (const double each : secondsOfCalls(module, /*ofChange=*/0)) seconds += each;
    return seconds;
  }

  void renew() override { ++numProcesses; }
  bool isPatient() const override { return hasPatience; }

  std::function<bool(const Subject&)> isWrong = {};
  /// The machine is slower while it is measured for the first time.
  std::function<bool(const Subject&)> isDisturbed = {};
  static constexpr double kDisturbance = 1.4;
  bool hasPatience = true;  ///< With that.
  std::function<double(const Subject&)> wholeFactor = {};
  std::function<double(const Subject&)> correction = {};  ///< Of whole models, but for turns.
  /// Whole models that take more leave their race after one sample.
  double hopeless = std::numeric_limits<double>::infinity();
  double wholeNoise = 0;                   ///< Relative, of the turns of whole models.
  double glanceFactor = 1;                 ///< Of the least sample.
  double secondsOfChange = 0;              ///< In a model, of a call behind another target's.
  std::map<std::string, uint64_t> memory;  ///< Bytes while a region of a target runs.
  size_t numGlances = 0, numMeasured = 0, numAgain = 0, numProcesses = 1;
  std::set<std::string> names;
  std::vector<size_t> numRivals;        ///< Of each race.
  std::vector<std::string> wholeNames;  ///< In the order in which they ran.

 private:
  std::vector<Turn> turnsAround(double seconds) {
    std::uniform_real_distribution<double> noise(-wholeNoise, wholeNoise);
    std::vector<Turn> turns(seconds > hopeless ? 1 : 20);
    for (Turn& each : turns) each.seconds = seconds * (1 + noise(random_));
    return turns;
  }

  uint64_t memoryOf(mlir::ModuleOp module) const {
    uint64_t most = 0;
    for (auto region : module.getOps<mlir::func::FuncOp>()) {
      const ir::TargetAttr target = backend_api::ownerOf(region);
      if (target && memory.contains(target.getKind().str()))
        most = std::max(most, memory.at(target.getKind().str()));
    }
    return most;
  }

  std::vector<double> secondsOfCalls(mlir::ModuleOp module) const {
    return secondsOfCalls(module, secondsOfChange);
  }

  std::vector<double> secondsOfCalls(mlir::ModuleOp module, double ofChange) const {
    std::vector<double> all;
    ir::TargetAttr before;
    ir::entryFunction(module).walk([&](mlir::func::CallOp call) {
      auto region = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
      const ir::TargetAttr target = backend_api::ownerOf(region);
      double seconds = before && before != target ? ofChange : 0;
      before = target;
      const auto& times = times_.at(target.getKind().str());
      for (mlir::Operation& op : region.getBody().front().without_terminator()) {
        if (mlir::isa<ir::ConstantOp>(op)) continue;
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

class FindPlanTest : public partition::PlacementTest {
 protected:
  Status placeModule(mlir::ModuleOp module) {
    return partition::placeUntilAccepted(module, [&](mlir::ModuleOp attempt) -> Status {
      mlir::PassManager manager(&context_);
      if (attempt->hasAttr(kPlanAttribute))
        buildPlannedPartition(manager, [](mlir::OpPassManager&) {});
      else
        partition::buildGreedyPartition(manager, [](mlir::OpPassManager&) {});
      if (mlir::succeeded(manager.run(attempt))) return {};
      return targetFailed("it cannot be placed");
    });
  }

  /// The regions of the plan that wins.
  Texts find(const char* text, TableMeasurer& measurer, PlanRequest request = {}) {
    auto module = parse(text);
    request.module = *module;
    request.place = [&](mlir::ModuleOp each) { return placeModule(each); };
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
};

}  // namespace tessera::placement
