// What the scenarios of Collage share: placements found over mocks whose costs are made up.
#pragma once

#include "compiler/placement/candidates/candidate_set.h"
#include "compiler/placement/costing/cost_table.h"
#include "compiler/placement/find_plan.h"
#include "compiler/placement/passes.h"
#include "compiler/placement/plan_attribute.h"
#include "tests/parity/parity_test.h"

namespace tessera::tests {

class CollageTest : public partition::PlacementTest {
 protected:
  Status placeModule(mlir::ModuleOp module) {
    return partition::placeUntilAccepted(module, [&](mlir::ModuleOp attempt) -> Status {
      mlir::PassManager manager(&context_);
      const auto addNothing = [](mlir::OpPassManager&) {};
      if (attempt->hasAttr(placement::kPlanAttribute))
        placement::buildPlannedPartition(manager, addNothing);
      else
        partition::buildGreedyPartition(manager, addNothing);
      if (mlir::succeeded(manager.run(attempt))) return {};
      return targetFailed("it cannot be placed");
    });
  }

  /// The regions, in order, of the best plan by these costs (placement/costing/cost_table.h).
  Texts find(const std::string& graph, const std::string& costs) {
    auto table = placement::CostTable::parse(costs);
    if (!table) return {table.error().message};
    placement::CostTableMeasurer measurer(std::move(*table));
    return find(graph, measurer);
  }
  Texts find(const std::string& graph, placement::Measurer& measurer) {
    load(graph);
    if (!module_) return {"it is no graph"};
    const auto found =
        placement::findPlan({.module = *module_,
                             .place = [&](mlir::ModuleOp each) { return placeModule(each); },
                             .measurer = &measurer});
    if (!found) return {found.error().message};
    plan_ = *found;
    auto placed = module_->clone();
    const placement::Contestant& winner = plan_.contestants.front();
    if (winner.tiles)
      placed->setAttr(placement::kPlanAttribute,
                      toAttribute(&context_, placement::tilesOf(*winner.tiles)));
    EXPECT_TRUE(placeModule(placed));
    Texts texts = regions(placed);
    placed.erase();
    return texts;
  }

  /// A module, or the body of its function main (text.h).
  void load(const std::string& graph) {
    module_ = parse(graph.starts_with("func") ? expandModule(graph) : expandGraph(graph));
  }

  placement::CandidateSet candidates() {
    const placement::OperatorGraph graph(ir::entryFunction(*module_));
    const placement::PlaceTile place = [&](mlir::ModuleOp each) { return placeModule(each); };
    placement::CandidateCollector collector(graph, place);
    collector.add(placement::proposeTiles(graph, *partition::OwnerIndex::of(*module_), place));
    return std::move(collector).set();
  }

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  placement::FoundPlan plan_;
};

/// "fast" takes these operators in regions of at most `depth`, "host" all.
inline std::vector<Mock> fastAndHost(std::vector<std::string> names, size_t depth = 0) {
  backend_api::RegionRules rules = merging();
  if (depth > 0) rules.maxDepth = depth;
  return {{.name = "fast", .supports = only(std::move(names)), .rules = rules}, {.name = "host"}};
}

/// "fast" is quick but for its calls, "host" slow and has none that cost.
inline constexpr const char* kCallsCost = R"([{"target": "fast", "call": 2},
  {"target": "fast", "operator": ".*", "seconds": 1}, {"operator": ".*", "seconds": 2}])";

inline constexpr const char* kFourRelus = R"(
  %0 = relu %x
  %1 = relu %0
  %2 = relu %1
  %3 = relu %2
  return %3)";

}  // namespace tessera::tests
