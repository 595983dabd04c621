// What targets add to the pipeline: when it runs, in which order, and what it sees.
#include <gtest/gtest.h>

#include <map>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/driver/pipeline.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::driver {
namespace {

using namespace mlir;
using target::HookPoint;
using target::Phase;

/// Runs a function of the test on the module that it gets.
struct CallTest : PassWrapper<CallTest, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CallTest)
  explicit CallTest(std::function<void(ModuleOp)> body) : body(std::move(body)) {}
  StringRef getArgument() const override { return "call-test"; }
  void runOnOperation() override { body(getOperation()); }
  std::function<void(ModuleOp)> body;
};

class HooksTest : public testing::Test {
 protected:
  HooksTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    backend_api::Owners owners;
    for (const char* name : {"b", "a"}) {
      auto backend = std::make_unique<backend_api::MockBackend>(backend_api::Mock{.name = name});
      backend->mock.addPasses = [this, name](Phase phase, HookPoint point, OpPassManager& manager) {
        manager.addPass(std::make_unique<CallTest>([this, name, phase, point](ModuleOp module) {
          if (onHook) onHook(name, phase, point, module);
        }));
      };
      owners.push_back({.target = {.kind = name}, .backend = *registry_.add(std::move(backend))});
    }
    backend_api::attachRegistry(context_, registry_);
    module_ = parseSourceString<ModuleOp>(R"(
      func.func private @of_b(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"b">} {
        return %x : tensor<4xf32>
      }
      func.func private @of_a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"a">} {
        return %x : tensor<4xf32>
      }
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = call @of_a(%x) : (tensor<4xf32>) -> tensor<4xf32>
        %1 = call @of_b(%0) : (tensor<4xf32>) -> tensor<4xf32>
        return %1 : tensor<4xf32>
      })",
                                          &context_);
    backend_api::setTargets(*module_, owners);
  }

  Status run(Phase phase) {
    if (!door_) door_ = std::make_unique<PassDoor>(context_, PassDoorOptions{});
    const std::string model = onnxModel();
    ImportRequest import;
    import.bytes = std::as_bytes(std::span(model));
    return runPhase(*module_, phase, {.import = import}, *door_);
  }

  /// A module without functions that has the targets of `like`.
  static OwningOpRef<ModuleOp> emptyModule(ModuleOp like) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(like.getLoc());
    (*module)->setAttrs(like->getAttrDictionary());
    return module;
  }

  /// y = relu(x) on [4].
  static std::string onnxModel() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("g");
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Relu");
    node.add_input("x");
    node.add_output("y");
    for (auto* value : {graph.add_input(), graph.add_output()}) {
      value->set_name(value == &graph.input(0) ? "x" : "y");
      auto& type = *value->mutable_type()->mutable_tensor_type();
      type.set_elem_type(onnx::TensorProto::FLOAT);
      type.mutable_shape()->add_dim()->set_dim_value(4);
    }
    return model.SerializeAsString();
  }

  std::function<void(std::string, Phase, HookPoint, ModuleOp)> onHook;
  backend_api::BackendRegistry registry_;  // Outlives the context.
  MLIRContext context_;
  std::unique_ptr<PassDoor> door_;
  OwningOpRef<ModuleOp> module_;
};

TEST_F(HooksTest, H1_RunBeforeAndAfterEveryPhaseInTheOrderOfTheTargets) {
  std::vector<std::string> calls;
  onHook = [&](const std::string& name, Phase phase, HookPoint point, ModuleOp) {
    calls.push_back(std::string(target::phaseName(phase)) +
                    (point == HookPoint::kBefore ? " before " : " after ") + name);
  };
  // Importing fills an empty module; the others get one whose functions have owners.
  OwningOpRef<ModuleOp> owned = std::move(module_);
  module_ = emptyModule(*owned);
  std::vector<std::string> expected;
  for (size_t i = 0; i < target::kPhaseNames.size(); ++i) {
    const Status status = run(static_cast<Phase>(i));
    ASSERT_TRUE(status) << status.error().message;
    if (i == 0) {
      EXPECT_TRUE(module_->lookupSymbol("main"));
      std::swap(module_, owned);
    }
    for (const char* call : {" before b", " before a", " after b", " after a"})
      expected.push_back(std::string(target::kPhaseNames[i]) + call);
  }
  EXPECT_EQ(calls, expected);
}

TEST_F(HooksTest, H2_SeeTheWholeModuleUntilThereAreOwnersAndTheirOwnFunctionsThen) {
  std::vector<std::string> seen;
  onHook = [&](const std::string& name, Phase, HookPoint, ModuleOp module) {
    std::string names = name + ":";
    for (auto function : module.getOps<func::FuncOp>()) names += " " + function.getName().str();
    seen.push_back(names);
  };
  ASSERT_TRUE(run(Phase::kPrePartition));
  ASSERT_TRUE(run(Phase::kLower));
  EXPECT_EQ(seen, (std::vector<std::string>{"b: of_b of_a main", "a: of_b of_a main",
                                            "b: of_b of_a main", "a: of_b of_a main", "b: of_b",
                                            "a: of_a", "b: of_b", "a: of_a"}));
}

TEST_F(HooksTest, SymbolsOfTwoTargetsDoNotClash) {
  onHook = [](const std::string& name, Phase, HookPoint point, ModuleOp module) {
    if (point == HookPoint::kBefore) return;
    auto kernel =
        OpBuilder::atBlockEnd(module.getBody()).create<ModuleOp>(module.getLoc(), "kernel");
    kernel->setAttr(backend_api::kTargetAttribute,
                    ir::TargetAttr::get(module.getContext(), name, 0, nullptr));
    (*module.getOps<func::FuncOp>().begin())
        ->setAttr("kernel", FlatSymbolRefAttr::get(kernel.getSymNameAttr()));
  };
  ASSERT_TRUE(run(Phase::kLower));
  llvm::StringSet<> names;
  for (const char* function : {"of_a", "of_b"}) {
    const auto kernel = module_->lookupSymbol(function)->getAttrOfType<FlatSymbolRefAttr>("kernel");
    EXPECT_TRUE(names.insert(kernel.getValue()).second);
    auto module = module_->lookupSymbol<ModuleOp>(kernel.getValue());
    ASSERT_TRUE(module);
    EXPECT_EQ(backend_api::ownerOf(module), backend_api::ownerOf(module_->lookupSymbol(function)));
  }
}

TEST_F(HooksTest, WhatOthersDoNotKnowIsAnErrorBeforeThereAreOwners) {
  context_.allowUnregisteredDialects();
  onHook = [](const std::string& name, Phase, HookPoint point, ModuleOp module) {
    if (name != "a" || point == HookPoint::kBefore) return;
    const OperationState state(module.getLoc(), "loops.nest");
    OpBuilder::atBlockBegin(module.getBody()).create(state);
  };
  const Status status = run(Phase::kPrePartition);
  ASSERT_FALSE(status);
  EXPECT_EQ(
      status.error().message,
      "target 'a' left operation loops.nest behind in phase 'pre_partition', expected operators "
      "that every target knows");
}

TEST_F(HooksTest, TheReportNamesTheTargetOfAPass) {
  ASSERT_TRUE(run(Phase::kLower));
  std::vector<std::string> rows;
  for (const auto& timing : door_->timings()) rows.push_back(timing.pass + " " + timing.target);
  EXPECT_EQ(rows, (std::vector<std::string>{"call-test b", "call-test a"}));
  EXPECT_FALSE((*module_)->hasAttr(kHookAttribute));
}

TEST_F(HooksTest, ConstantsNamedInsideOfAnAttributeStayAlive) {
  auto& store = context_.getLoadedDialect<ir::TsrDialect>()->constants();
  const std::string kept = store.add(std::vector<std::byte>(1000, std::byte{1}));
  const std::string dropped = store.add(std::vector<std::byte>(1000, std::byte{2}));
  Builder builder(&context_);
  module_->lookupSymbol("of_a")->setAttr(
      "table", builder.getDictionaryAttr(builder.getNamedAttr(
                   "inner", builder.getArrayAttr(ir::BlobAttr::get(&context_, kept)))));
  ASSERT_TRUE(run(Phase::kPrePartition));
  EXPECT_TRUE(store.contains(kept));
  EXPECT_FALSE(store.contains(dropped));
}

/// Counts the runs of each pass on each function.
struct CountRuns : PassInstrumentation {
  explicit CountRuns(std::map<std::string, int>& runs) : runs(runs) {}
  void runBeforePass(Pass* pass, Operation* op) override {
    auto function = dyn_cast<func::FuncOp>(op);
    if (function) ++runs[pass->getArgument().str() + " " + function.getName().str()];
  }
  std::map<std::string, int>& runs;
};

TEST_F(HooksTest, CommonPassesRunOncePerRegionUnlessItsTargetLeavesThemOut) {
  auto& a = const_cast<backend_api::MockBackend&>(
      static_cast<const backend_api::MockBackend&>(*registry_.find("a")));
  a.mock.skippedPasses = {"canonicalize"};
  std::map<std::string, int> runs;
  PassManager manager(&context_);
  manager.addInstrumentation(std::make_unique<CountRuns>(runs));
  manager.addPass(createCleanRegionsPass());
  ASSERT_TRUE(succeeded(manager.run(*module_)));
  EXPECT_EQ(runs, (std::map<std::string, int>{
                      {"canonicalize of_b", 1}, {"cse of_a", 1}, {"cse of_b", 1}}));
}

TEST_F(HooksTest, APhaseCanStopBehindATargetAndGoOn) {
  std::vector<std::string> calls;
  onHook = [&](const std::string& name, Phase, HookPoint point, ModuleOp) {
    calls.push_back((point == HookPoint::kBefore ? "before " : "after ") + name);
  };
  setPhase(*module_, Phase::kPostPartition);
  PassDoor door(context_, {});
  ASSERT_TRUE(runPartOfPhase(*module_, Phase::kLower, "b", {}, door));
  EXPECT_EQ(calls, (std::vector<std::string>{"before b", "before a", "after b"}));
  EXPECT_EQ(phaseOf(*module_), Phase::kPostPartition);
  // As text, into a module of its own, and on.
  std::string text;
  llvm::raw_string_ostream(text) << *module_;
  module_ = parseSourceString<ModuleOp>(text, &context_);
  ASSERT_TRUE(module_);
  calls.clear();
  ASSERT_TRUE(runPhase(*module_, Phase::kLower, {}, door));
  EXPECT_EQ(calls, (std::vector<std::string>{"after a"}));
  EXPECT_EQ(phaseOf(*module_), Phase::kLower);
  EXPECT_FALSE((*module_)->hasAttr(kHookedAttribute));
  const Status status = runPartOfPhase(*module_, Phase::kOptimize, "c", {}, door);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "cannot stop after target 'c', which is none of the module's");
}

TEST_F(HooksTest, PassesFindTheSessionsCodeCache) {
  backend_api::CodeCache cache;
  backend_api::attachCodeCache(context_, &cache);
  size_t compiled = 0;
  // A lowering that compiles what it has not seen: its two regions are equal.
  onHook = [&](const std::string& name, Phase phase, HookPoint point, ModuleOp own) {
    if (phase != Phase::kLower || point != HookPoint::kAfter) return;
    for (auto region : own.getOps<func::FuncOp>()) {
      std::string key;
      llvm::raw_string_ostream(key) << region.getFunctionType();
      backend_api::CodeCache* shared = backend_api::codeCacheOf(*own.getContext());
      ASSERT_NE(shared, nullptr);
      if (shared->find(key)) continue;
      ++compiled;
      shared->add(key, std::vector<std::byte>(1));
    }
  };
  setPhase(*module_, Phase::kPostPartition);
  ASSERT_TRUE(run(Phase::kLower));
  EXPECT_EQ(compiled, 1U);
  EXPECT_EQ(cache.hits(), 1U);
  backend_api::attachCodeCache(context_, nullptr);
}

TEST_F(HooksTest, FormsThatSeveralTargetsNeedAreEstablishedOnce) {
  const auto mock = [&](const char* name) -> backend_api::Mock& {
    return const_cast<backend_api::MockBackend&>(
               static_cast<const backend_api::MockBackend&>(*registry_.find(name)))
        .mock;
  };
  mock("a").needs = {"plain_products", "no_dropout"};
  mock("b").needs = {"no_composites", "plain_products"};
  setPhase(*module_, Phase::kSimplify);
  ASSERT_TRUE(run(Phase::kPrePartition));
  std::vector<std::string> passes;
  for (const PassTiming& timing : door_->timings()) {
    if (timing.target.empty()) passes.push_back(timing.pass);
  }
  EXPECT_EQ(passes, (std::vector<std::string>{"tessera-form-no-composites",
                                              "tessera-form-plain-products"}));
  mock("b").needs = {"square"};
  const Status status = run(Phase::kPrePartition);
  ASSERT_FALSE(status);
  EXPECT_NE(
      status.error().message.find("target 'b' needs modules in form 'square', expected one of "),
      std::string::npos);
}

}  // namespace
}  // namespace tessera::driver
