// Ten thousand operators in a thousand regions are placed in seconds, a thousand regions with code
// of their own linked in seconds.
#include <ctime>

#include "compiler/codegen/make_bundle.h"
#include "compiler/codegen/passes.h"
#include "compiler/partition/test/placement_for_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using partition::Mock;

constexpr int kOperators = 10000;
constexpr int kRun = 10;
constexpr double kMaxSeconds = 3;
constexpr double kMaxSecondsToLink = 2;

class PartitionScale : public partition::PlacementTest {
 protected:
  /// As alternating(), but no two runs are equal; one operator of every run that "host" has reads
  /// what was computed 40 operators ago, so that buffers overlap.
  OwningOpRef<ModuleOp> different() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context_));
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    const auto type = RankedTensorType::get({8}, builder.getF32Type());
    auto main =
        builder.create<func::FuncOp>(module->getLoc(), "main", builder.getFunctionType(type, type));
    builder.setInsertionPointToStart(main.addEntryBlock());
    std::vector<Value> values = {main.getArgument(0)};
    for (int i = 0; i < kOperators; ++i) {
      const auto loc = NameLoc::get(builder.getStringAttr("n" + std::to_string(i)));
      const auto alpha = builder.getF32FloatAttr(static_cast<float>(i));
      if (i / kRun % 2 == 0)
        values.push_back(builder.create<ir::LeakyReluOp>(loc, type, values.back(), alpha));
      else if (i > 40 && i % 10 == 5)
        values.push_back(builder.create<ir::AddOp>(loc, type, values.back(), values[i - 40]));
      else
        values.push_back(builder.create<ir::EluOp>(loc, type, values.back(), alpha));
    }
    builder.create<func::ReturnOp>(module->getLoc(), values.back());
    return module;
  }

  LogicalResult runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
    PassManager manager(&context_);
    manager.addPass(std::move(pass));
    return manager.run(module);
  }

  /// Code of its own for each region, with scratch memory.
  static Result<backend_api::Emission> codeForEach(ModuleOp, ArrayRef<func::FuncOp> regions,
                                                   const backend_api::EmitContext&) {
    backend_api::Emission emission;
    for (func::FuncOp region : regions) {
      const std::string text = region.getName().str();
      const auto bytes = std::as_bytes(std::span(text));
      emission.regions.emplace_back(backend_api::RegionCode{
          .entry = text, .blob = emission.blobs.size(), .workspaceBytes = 128});
      emission.blobs.push_back({.bytes = {bytes.begin(), bytes.end()}});
    }
    return emission;
  }

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

/// Chains of relu and abs, each with some of its operators optional: 100 entries that match or all
/// but match everywhere.
backend_api::PatternTable hundredEntries() {
  using namespace pattern;
  backend_api::PatternTable table;
  for (int i = 0; i < 100; ++i) {
    Pattern chain = op<ir::ReluOp>(op<ir::ReluOp>(any()));
    for (int length = 3 + i % 4; length > 0; --length) {
      const Step step = [&](const Pattern& before) {
        return (i + length) % 3 == 0 ? op<ir::AbsOp>(before) : op<ir::ReluOp>(before);
      };
      chain = length % 2 == 0 ? optionally(chain, step) : step(chain);
    }
    table.push_back({"entry" + std::to_string(i), chain});
  }
  return table;
}

TEST_F(PartitionScale, AHundredEntries) {
  place({{.name = "first", .supports = partition::only({}), .patterns = hundredEntries()},
         {.name = "host"}});
  OwningOpRef<ModuleOp> module = alternating();
  const double start = cpuSeconds();
  ASSERT_TRUE(succeeded(runPass(*module, partition::createMergeCompositePass())));
  const double seconds = cpuSeconds() - start;
  size_t matched = 0;
  module->walk([&](ir::CompositeOp) { ++matched; });
  EXPECT_GT(matched, 100U);
  EXPECT_LE(seconds, 1);
  std::printf("%d operators against 100 entries, %zu matches, in %.2f s\n", kOperators, matched,
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

TEST_F(PartitionScale, LinkingAThousandRegionsWithCodeOfTheirOwn) {
  constexpr int kRegions = kOperators / kRun;
  place({{.name = "first",
          .supports = partition::only({"leaky_relu"}),
          .rules = partition::merging(),
          .emit = codeForEach},
         {.name = "host", .rules = partition::merging(), .emit = codeForEach}});
  const OwningOpRef<ModuleOp> module = different();
  ASSERT_TRUE(run(*module)) << diagnostics();
  const double start = cpuSeconds();
  ASSERT_TRUE(succeeded(runPass(*module, codegen::createEmitRegionsPass())));
  const double emitted = cpuSeconds();
  ASSERT_TRUE(succeeded(runPass(*module, codegen::createBuildHostProgramPass())));
  ASSERT_TRUE(succeeded(runPass(*module, codegen::createPlanMemoryPass())));
  const auto bundle = codegen::makeBundle(*module);
  const double linked = cpuSeconds();
  ASSERT_TRUE(bundle) << bundle.error().toString();
  EXPECT_EQ(bundle->regions.size(), kRegions);
  EXPECT_GE(bundle->codeBlobs.size(), 1000U);
  EXPECT_LE(linked - start, kMaxSecondsToLink);
  std::printf("code of %zu regions in the module in %.2f s, linked in %.2f s\n",
              bundle->regions.size(), emitted - start, linked - emitted);
}

}  // namespace
}  // namespace tessera::tests
