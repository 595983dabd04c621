// Code in the module: what the pass of phase emit leaves behind, and what it does with refusals.
#include <gtest/gtest.h>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/codegen/passes.h"
#include "llvm/Support/ThreadPool.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::codegen {
namespace {

using namespace mlir;
using backend_api::Emission;
using backend_api::EmitContext;
using backend_api::RegionCode;

class EmitRegionsTest : public testing::Test {
 protected:
  EmitRegionsTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    for (const char* name : {"fast", "host"}) {
      auto backend = std::make_unique<backend_api::MockBackend>(backend_api::Mock{.name = name});
      (std::string(name) == "fast" ? fast_ : host_) = backend.get();
      EXPECT_TRUE(registry_.add(std::move(backend)));
    }
    backend_api::attachRegistry(context_, registry_);
  }

  /// Two regions of `fast`, one of which has an intermediate module, and one of `host`.
  void parse() {
    module_ = parseSourceString<ModuleOp>(R"(
      module @model attributes {tessera.targets = [#tsr.target<"fast">, #tsr.target<"host">]} {
        module @a.kernel attributes {tessera.target = #tsr.target<"fast">} {}
        func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"fast">, fast.kernel = @a.kernel} {
          %0 = tsr.exp %x : (tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func private @b(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"fast">} {
          %0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func private @c(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"host">} {
          %0 = tsr.neg %x : (tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %0 = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
          %1 = call @b(%0) : (tensor<4xf32>) -> tensor<4xf32>
          %2 = call @c(%1) : (tensor<4xf32>) -> tensor<4xf32>
          return %2 : tensor<4xf32>
        }
      })",
                                          &context_);
    ASSERT_TRUE(module_);
  }

  void run(bool links = false) {
    PassManager manager(&context_);
    manager.addPass(createEmitRegionsPass());
    if (links) {
      manager.addPass(createBuildHostProgramPass());
      manager.addPass(createPlanMemoryPass());
    }
    ASSERT_TRUE(succeeded(manager.run(*module_)));
  }

  func::FuncOp function(StringRef name) { return module_->lookupSymbol<func::FuncOp>(name); }
  std::string refusal(StringRef name) {
    const auto reason = function(name)->getAttrOfType<StringAttr>(backend_api::kRefusedAttribute);
    return reason ? reason.str() : "";
  }

  backend_api::BackendRegistry registry_;  // Outlives the context.
  MLIRContext context_;
  backend_api::MockBackend* fast_ = nullptr;
  backend_api::MockBackend* host_ = nullptr;
  OwningOpRef<ModuleOp> module_;
};

TEST_F(EmitRegionsTest, H3_L2_O3_CodeIsInTheModuleAndIntermediatesAreGone) {
  parse();
  run();
  std::vector<std::string> code;
  for (auto op : module_->getOps<ir::CodeOp>()) code.push_back(op.getSymName().str());
  EXPECT_EQ(code, (std::vector<std::string>{"fast_code", "host_code"}));
  const auto list = function("b")->getAttrOfType<ArrayAttr>(kImplementations);
  ASSERT_EQ(list.size(), 1U);
  const auto implementation = cast<ir::ImplementationAttr>(list[0]);
  EXPECT_EQ(implementation.getEntry(), "b");
  EXPECT_EQ(implementation.getCode().getValue(), "fast_code");
  EXPECT_FALSE(module_->lookupSymbol("a.kernel"));
  EXPECT_FALSE(function("a")->hasAttr("fast.kernel"));
}

TEST_F(EmitRegionsTest, L3_TheBundleIsMadeFromTheModuleAlone) {
  parse();
  fast_->mock.emit = [](ModuleOp, ArrayRef<func::FuncOp> regions, const EmitContext&) {
    Emission emission{.blobs = {{.bytes = {std::byte{1}}}, {.bytes = {std::byte{2}}}},
                      .regions = {}};
    for (size_t i = 0; i < regions.size(); ++i)
      emission.regions.emplace_back(
          RegionCode{.entry = "entry_" + func::FuncOp(regions[i]).getName().str(),
                     .blob = i,
                     .cpuFeatures = {"feature" + std::to_string(i)}});
    return emission;
  };
  run(/*links=*/true);
  std::string text;
  llvm::raw_string_ostream(text) << *module_;
  // Another module in the same store: nothing but the text goes over.
  module_ = parseSourceString<ModuleOp>(text, &context_);
  ASSERT_TRUE(module_);
  const auto bundle = makeBundle(*module_);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->modelName, "model");
  EXPECT_EQ(bundle->target, "fast,host");
  ASSERT_EQ(bundle->codeBlobs.size(), 3U);
  ASSERT_EQ(bundle->regions.size(), 3U);
  EXPECT_EQ(bundle->regions[1].implementations[0].symbol, "entry_b");
  EXPECT_EQ(bundle->regions[1].implementations[0].codeBlob, 1U);
  EXPECT_EQ(bundle->regions[0].implementations[0].cpuFeatures,
            std::vector<std::string>{"feature0"});
  EXPECT_EQ(bundle->regions[1].implementations[0].cpuFeatures,
            std::vector<std::string>{"feature1"});
  EXPECT_TRUE(bundle->regions[2].implementations[0].cpuFeatures.empty());
}

TEST_F(EmitRegionsTest, AnArtifactNeedsTheAbiThatItsCodeNeeds) {
  parse();
  fast_->mock.emit = [](ModuleOp, ArrayRef<func::FuncOp> regions, const EmitContext&) {
    Emission emission{.blobs = {{.bytes = {std::byte{1}}}}, .regions = {}, .leastAbi = 7};
    for (func::FuncOp region : regions)
      emission.regions.emplace_back(RegionCode{.entry = region.getName().str()});
    return emission;
  };
  run(/*links=*/true);
  std::string text;
  llvm::raw_string_ostream(text) << *module_;
  const OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, &context_);
  ASSERT_TRUE(again) << text;
  const auto bundle = makeBundle(*again);
  ASSERT_TRUE(bundle) << bundle.error().message;
  ASSERT_EQ(bundle->backends.size(), 2U);
  EXPECT_EQ(bundle->backends[0].leastAbi, 7U);
  EXPECT_EQ(bundle->backends[1].leastAbi, uint32_t{TESSERA_BACKEND_RUNTIME_ABI_VERSION});
}

TEST_F(EmitRegionsTest, ARefusalIsKeptWithItsReasonAndTheOthersAreEmitted) {
  parse();
  fast_->mock.emit = [](ModuleOp, ArrayRef<func::FuncOp>, const EmitContext&) {
    Emission emission{.blobs = {{.bytes = {std::byte{1}}}}, .regions = {}};
    emission.regions.emplace_back(backend_api::Declined{"it is too hot"});
    emission.regions.emplace_back(RegionCode{.entry = "b"});
    return emission;
  };
  run();
  EXPECT_EQ(refusal("a"), "it is too hot");
  EXPECT_FALSE(function("a")->hasAttr(kImplementations));
  EXPECT_TRUE(function("b")->hasAttr(kImplementations));
  EXPECT_TRUE(function("c")->hasAttr(kImplementations));
}

TEST_F(EmitRegionsTest, AnOwnerThatFailsRefusesAllItsRegions) {
  parse();
  fast_->mock.emit = [](ModuleOp, ArrayRef<func::FuncOp>, const EmitContext&) -> Result<Emission> {
    return targetFailed("the compiler is not there");
  };
  run();
  EXPECT_EQ(refusal("a"), "the compiler is not there");
  EXPECT_EQ(refusal("b"), "the compiler is not there");
  EXPECT_TRUE(function("c")->hasAttr(kImplementations));
}

TEST_F(EmitRegionsTest, AnswersThatDoNotFitAreRefusals) {
  parse();
  fast_->mock.emit = [](ModuleOp, ArrayRef<func::FuncOp> regions, const EmitContext&) {
    Emission emission;
    for (func::FuncOp region : regions)
      emission.regions.emplace_back(RegionCode{.entry = region.getName().str(), .blob = 3});
    return emission;
  };
  host_->mock.emit = [](ModuleOp, ArrayRef<func::FuncOp>, const EmitContext&) {
    return Emission{};
  };
  run();
  EXPECT_EQ(refusal("a"), "its code is blob 3 of 0");
  EXPECT_EQ(refusal("c"), "target 'host' answered for 0 regions, was asked for 1");
}

TEST_F(EmitRegionsTest, RX_OwnersShareTheCacheOfTheSession) {
  backend_api::CodeCache cache;
  int compilations = 0;
  fast_->mock.emit = [&](ModuleOp, ArrayRef<func::FuncOp> regions, const EmitContext& context) {
    if (!context.cache.find("fast key")) {
      ++compilations;
      context.cache.add("fast key", {std::byte{7}});
    }
    Emission emission{.blobs = {{.bytes = *context.cache.find("fast key")}}, .regions = {}};
    for (func::FuncOp region : regions)
      emission.regions.emplace_back(RegionCode{.entry = region.getName().str()});
    return emission;
  };
  for (int round = 0; round < 2; ++round) {
    parse();
    PassManager manager(&context_);
    manager.addPass(createEmitRegionsPass(EmitServices{.cache = &cache, .progress = {}}));
    ASSERT_TRUE(succeeded(manager.run(*module_)));
  }
  EXPECT_EQ(compilations, 1);
}

TEST_F(EmitRegionsTest, OwnersHearOfThreadsAndTellOfProgress) {
  llvm::StdThreadPool threads(llvm::hardware_concurrency(3));
  context_.disableMultithreading();
  context_.setThreadPool(threads);
  parse();
  size_t numThreads = 0;
  fast_->mock.emit = [&](ModuleOp, ArrayRef<func::FuncOp> regions, const EmitContext& context) {
    numThreads = context.numThreads;
    Emission emission{.blobs = {{.bytes = {std::byte{1}}}}, .regions = {}};
    for (func::FuncOp region : regions) {
      emission.regions.emplace_back(RegionCode{.entry = region.getName().str()});
      context.progress(emission.regions.size(), regions.size());
    }
    return emission;
  };
  using Step = std::pair<size_t, size_t>;
  std::vector<Step> steps;
  PassManager manager(&context_);
  manager.addPass(createEmitRegionsPass(EmitServices{
      .cache = nullptr,
      .progress = [&](size_t done, size_t total) { steps.emplace_back(done, total); }}));
  ASSERT_TRUE(succeeded(manager.run(*module_)));
  EXPECT_EQ(numThreads, 3U);
  EXPECT_EQ(steps, (std::vector<Step>{{1, 2}, {2, 2}}));
  context_.disableMultithreading();  // The pool goes first.
}

}  // namespace
}  // namespace tessera::codegen
