// Ten thousand operators in a thousand regions are placed in seconds.
#include <ctime>

#include "compiler/partition/placement_for_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using partition::Mock;

constexpr int kOperators = 10000;
constexpr int kRun = 10;
constexpr double kMaxSeconds = 3;

class PartitionScale : public partition::PlacementTest {
 protected:
  /// Runs of ten operators that "first" and "second" take in turns; every fourth also reads what
  /// was computed 40 operators ago.
  OwningOpRef<ModuleOp> alternating() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context_));
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    const auto type = RankedTensorType::get({8}, builder.getF32Type());
    auto main =
        builder.create<func::FuncOp>(module->getLoc(), "main", builder.getFunctionType(type, type));
    builder.setInsertionPointToStart(main.addEntryBlock());
    std::vector<Value> values = {main.getArgument(0)};
    for (int i = 0; i < kOperators; ++i) {
      const auto loc = NameLoc::get(builder.getStringAttr("n" + std::to_string(i)));
      const Value last = values.back();
      const bool isFirst = (i / kRun) % 2 == 0;
      if (isFirst && i > 40 && i % 40 == 5)
        values.push_back(builder.create<ir::AddOp>(loc, type, last, values[values.size() - 40]));
      else if (isFirst)
        values.push_back(builder.create<ir::ReluOp>(loc, type, last));
      else
        values.push_back(builder.create<ir::AbsOp>(loc, type, last));
    }
    builder.create<func::ReturnOp>(module->getLoc(), values.back());
    return module;
  }

  static double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
};

TEST_F(PartitionScale, AThousandRegions) {
  place({{.name = "first",
          .supports = partition::only({"relu", "add", "relayout"}),
          .rules = partition::merging(),
          .layouts =
              [](Operation* op, Mock::Types available) {
                return std::vector{partition::choiceOf(op, available, [](RankedTensorType type) {
                  return ir::withBlocks(type, {0}, {4});
                })};
              }},
         {.name = "second", .supports = partition::only({"abs"}), .rules = partition::merging()},
         {.name = "host"}});
  const OwningOpRef<ModuleOp> module = alternating();
  const double start = cpuSeconds();
  ASSERT_TRUE(run(*module)) << diagnostics();
  const double seconds = cpuSeconds() - start;
  EXPECT_GE(regions(*module).size(), 1000U);
  EXPECT_LE(seconds, kMaxSeconds);
  RecordProperty("seconds", std::to_string(seconds));
  std::printf("placed %d operators in %zu calls in %.2f s\n", kOperators, regions(*module).size(),
              seconds);
}

TEST_F(PartitionScale, OneRegion) {
  place({{.name = "all", .rules = partition::merging()}});
  const OwningOpRef<ModuleOp> module = alternating();
  const double start = cpuSeconds();
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module).size(), 1U);
  EXPECT_LE(cpuSeconds() - start, kMaxSeconds);
}

}  // namespace
}  // namespace tessera::tests
