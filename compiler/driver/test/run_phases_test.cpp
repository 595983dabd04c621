// What becomes of regions that a target refuses to compile.
#include <gtest/gtest.h>

#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/backend_api/unobserved.h"
#include "compiler/driver/run_phases.h"
#include "compiler/ir/types.h"
#include "compiler/partition/exclusions.h"
#include "mlir/Parser/Parser.h"

namespace tessera::driver {
namespace {

using namespace mlir;
using target::Phase;

class RunPhasesTest : public testing::Test {
 protected:
  RunPhasesTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    auto fast = std::make_unique<backend_api::MockBackend>(backend_api::Mock{.name = "fast"});
    auto host = std::make_unique<backend_api::MockBackend>(
        backend_api::Mock{.name = "host", .isHost = true});
    fast_ = fast.get();
    host_ = host.get();
    const backend_api::Owners owners = {
        {.target = {.kind = "fast"}, .backend = *registry_.add(std::move(fast))},
        {.target = {.kind = "host"}, .backend = *registry_.add(std::move(host))}};
    backend_api::attachRegistry(context_, registry_);
    phases_.module = parseSourceString<ModuleOp>(R"(
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = tsr.exp %x : (tensor<4xf32>) -> tensor<4xf32> loc("first")
        %1 = tsr.softmax %0 : (tensor<4xf32>) -> tensor<4xf32> loc("second")
        return %1 : tensor<4xf32>
      })",
                                                 &context_);
    backend_api::setTargets(*phases_.module, owners);
    setPhase(*phases_.module, Phase::kPrePartition);
  }

  Status run(bool isStrict = false) {
    PassDoor door(context_, {});
    return runPhases(phases_, Phase::kLink, door, {.isStrict = isStrict, .finished = {}});
  }

  /// Refuses the regions that hold `op`.
  void refuse(backend_api::MockBackend& backend, StringRef op) {
    backend.mock.emit = [=, this](ModuleOp, ArrayRef<func::FuncOp> regions,
                                  const backend_api::EmitContext&) {
      ++emissions_;
      backend_api::Emission emission{.blobs = {{.bytes = {std::byte{1}}}}, .regions = {}};
      for (func::FuncOp region : regions) {
        const bool holds = llvm::any_of(region.getBody().front(), [&](Operation& inner) {
          return inner.getName().stripDialect() == op;
        });
        if (holds)
          emission.regions.emplace_back(backend_api::Declined{"no " + op.str() + " today"});
        else
          emission.regions.emplace_back(backend_api::RegionCode{.entry = region.getName().str()});
      }
      return emission;
    };
  }

  std::vector<std::string> owners() {
    std::vector<std::string> owners;
    for (auto call : phases_.module->lookupSymbol<func::FuncOp>("main").getOps<ir::CallOp>()) {
      auto region = phases_.module->lookupSymbol<func::FuncOp>(call.getCallee());
      std::string text = backend_api::ownerOf(region).getKind().str() + ":";
      for (Operation& op : region.getBody().front().without_terminator())
        text += " " + op.getName().stripDialect().str();
      owners.push_back(std::move(text));
    }
    return owners;
  }

  backend_api::BackendRegistry registry_;  // Outlives the context.
  MLIRContext context_;
  backend_api::MockBackend* fast_ = nullptr;
  backend_api::MockBackend* host_ = nullptr;
  int emissions_ = 0;
  ModuleInPhases phases_;
};

TEST_F(RunPhasesTest, RX_WhatATargetRefusesToCompileGoesToAnother) {
  refuse(*fast_, "softmax");
  const Status status = run();
  ASSERT_TRUE(status) << status.error().toString();
  EXPECT_EQ(owners(), (std::vector<std::string>{"fast: exp", "host: softmax"}));
  EXPECT_EQ(emissions_, 2);
  const auto exclusions = partition::exclusionsOf(*phases_.module);
  ASSERT_EQ(exclusions.size(), 1U);
  EXPECT_EQ(exclusions[0].reason, "no softmax today");
  EXPECT_FALSE(phases_.unplaced);
}

TEST_F(RunPhasesTest, ATargetThatFailsLosesAllItsRegions) {
  fast_->mock.emit = [](ModuleOp, ArrayRef<func::FuncOp>,
                        const backend_api::EmitContext&) -> Result<backend_api::Emission> {
    return targetFailed("it broke");
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(owners(), (std::vector<std::string>{"host: exp", "host: softmax"}));
}

TEST_F(RunPhasesTest, StrictlyARefusalIsAnError) {
  refuse(*fast_, "softmax");
  const Status status = run(/*isStrict=*/true);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kTargetFailed);
  EXPECT_EQ(status.error().node, "second");
  EXPECT_NE(status.error().message.find("target 'fast' has no code for region"), std::string::npos);
  EXPECT_NE(status.error().message.find("no softmax today"), std::string::npos);
}

TEST_F(RunPhasesTest, StrictlyARefusalOfAFinishedRegionIsAnErrorToo) {
  fast_->mock.supportsRegion = [](func::FuncOp) -> backend_api::Support {
    return backend_api::Declined{"not as a whole"};
  };
  const Status status = run(/*isStrict=*/true);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kTargetFailed);
  EXPECT_EQ(status.error().message, "target 'fast' refuses a region: not as a whole");
  EXPECT_EQ(status.error().node, "first");
}

TEST_F(RunPhasesTest, TheHostsRefusalIsAnError) {
  refuse(*fast_, "softmax");
  refuse(*host_, "softmax");
  const Status status = run();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("target 'host' has no code"), std::string::npos);
}

TEST_F(RunPhasesTest, AHostThatIsListedFirstRunsWhatTheLastTargetRefuses) {
  backend_api::setTargets(*phases_.module, {{.target = {.kind = "host"}, .backend = host_},
                                            {.target = {.kind = "fast"}, .backend = fast_}});
  host_->mock.supports = [](Operation* op) -> backend_api::Support {
    if (isa<ir::ExpOp>(op)) return backend_api::Declined{"no exp"};
    return backend_api::Supported{};
  };
  fast_->mock.layouts = [](Operation*, backend_api::Mock::Types available) {
    const RankedTensorType blocked = ir::withBlocks(ir::plainType(available.front()), {0}, {2});
    return std::vector<backend_api::LayoutChoice>{{.operands = {blocked}, .results = {blocked}}};
  };
  refuse(*fast_, "relayout");  // Of the input, which it converts as its consumer.
  const Status status = run();
  ASSERT_TRUE(status) << status.error().toString();
  EXPECT_EQ(owners(), (std::vector<std::string>{"host: relayout", "fast: exp", "host: relayout",
                                                "host: softmax"}));
}

TEST_F(RunPhasesTest, AModuleThatCamePartitionedIsNotPlacedAgain) {
  refuse(*fast_, "softmax");
  {
    PassDoor door(context_, {});
    ASSERT_TRUE(runPhases(phases_, Phase::kPartition, door, {}));
  }
  phases_.unplaced = {};
  EXPECT_FALSE(run());
}

/// What owners may leave undone in phase optimize is what nobody sees.
class UnobservedTest : public RunPhasesTest {
 protected:
  UnobservedTest() {
    fast_->mock.emit = [this](ModuleOp module, ArrayRef<func::FuncOp> regions,
                              const backend_api::EmitContext&) -> Result<backend_api::Emission> {
      wasUnobserved_ = backend_api::isUnobserved(module);
      backend_api::Emission emission{.blobs = {{.bytes = {std::byte{1}}}}, .regions = {}};
      for (func::FuncOp region : regions)
        emission.regions.emplace_back(backend_api::RegionCode{.entry = region.getName().str()});
      return emission;
    };
  }

  void run(Phase last, const PassDoorOptions& options = {}) {
    PassDoor door(context_, options);
    const Status status = runPhases(phases_, last, door, {});
    ASSERT_TRUE(status) << status.error().toString();
    EXPECT_FALSE(backend_api::isUnobserved(*phases_.module));
  }

  std::optional<bool> wasUnobserved_;
};

TEST_F(UnobservedTest, WhereOnePhaseFollowsTheOther) {
  run(Phase::kLink);
  EXPECT_EQ(wasUnobserved_, true);
}

TEST_F(UnobservedTest, NotWhereThePhasesAreStoppedBetween) {
  run(Phase::kOptimize);
  run(Phase::kLink);
  EXPECT_EQ(wasUnobserved_, false);
}

TEST_F(UnobservedTest, NotWhereAPassIsLookedBehind) {
  run(Phase::kLink, {.disabledPasses = {}, .printAfter = {"optimize"}});
  EXPECT_EQ(wasUnobserved_, false);
}

TEST_F(UnobservedTest, NotWhereAPassIsLeftOut) {
  run(Phase::kLink, {.disabledPasses = {"cse"}, .printAfter = {}});
  EXPECT_EQ(wasUnobserved_, false);
}

TEST_F(UnobservedTest, NotBecauseASavedModuleSaysSo) {
  (*phases_.module)->setAttr(backend_api::kUnobservedAttribute, UnitAttr::get(&context_));
  run(Phase::kLink, {.disabledPasses = {"cse"}, .printAfter = {}});
  EXPECT_EQ(wasUnobserved_, false);
}

}  // namespace
}  // namespace tessera::driver
