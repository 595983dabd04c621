// Whole phases as text: what `--pass-pipeline` takes is what the driver runs.
#include "compiler/driver/pipeline.h"

#include <gtest/gtest.h>

#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/partition/passes.h"
#include "compiler/transforms/passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace tessera::driver {
namespace {

using namespace mlir;
using target::HookPoint;
using target::Phase;

std::string textOf(const OpPassManager& manager) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  return text;
}

class PhaseTest : public testing::TestWithParam<size_t> {
 protected:
  static void SetUpTestSuite() {
    codegen::registerCodegenPasses();
    partition::registerPartitionPasses();
    registerDriverPasses();
    transforms::registerTransformsPasses();
  }
};

TEST_P(PhaseTest, PipelinePrintsAndParsesBack) {
  const auto phase = static_cast<Phase>(GetParam());
  const backend_api::MockBackend backend(
      {.name = "mock", .addPasses = [](Phase, HookPoint, OpPassManager& manager) {
         manager.addPass(transforms::createFoldConstantsPass());
       }});
  const backend_api::Owners owners = {{.target = {.kind = "mock"}, .backend = &backend}};
  ImportRequest import;
  import.file = "a model.onnx";
  OpPassManager built("builtin.module");
  buildPhase(phase, owners, {.import = import}, built);
  const std::string text = textOf(built);
  EXPECT_NE(text.find("tessera-run-hooks{"), std::string::npos) << text;
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  const FailureOr<OpPassManager> parsed = parsePassPipeline(text, stream);
  ASSERT_TRUE(succeeded(parsed)) << text << "\n" << errors;
  EXPECT_EQ(textOf(*parsed), text);
  EXPECT_EQ(parsed->size(), built.size());
}

INSTANTIATE_TEST_SUITE_P(Driver, PhaseTest, testing::Range<size_t>(0, target::kPhaseNames.size()),
                         [](const auto& info) {
                           return std::string(target::kPhaseNames[info.param]);
                         });

/// Stands for a pass that a backend runs inside of its own.
struct InnerPass : PassWrapper<InnerPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InnerPass)
  StringRef getArgument() const override { return "mock-inner"; }
  void runOnOperation() override {}
};

TEST(PassNamesTest, OfTheCommonPassesAndOfEachBackendAreKnown) {
  backend_api::BackendRegistry registry;
  ASSERT_TRUE(registry.add(std::make_unique<backend_api::MockBackend>(
      backend_api::Mock{.name = "mock", .registerPasses = [] { PassRegistration<InnerPass>(); }})));
  for (const char* name : {"mock-inner", "tessera-run-hooks", "tessera-simplify-fold-constants",
                           "tessera-check-regions", "tessera-emit-regions"}) {
    EXPECT_TRUE(checkPassNames(registry, {.disabledPasses = {name}, .printAfter = {}, .print = {}}))
        << name;
    EXPECT_TRUE(checkPassNames(registry, {.disabledPasses = {}, .printAfter = {name}, .print = {}}))
        << name;
  }
  EXPECT_TRUE(
      checkPassNames(registry, {.disabledPasses = {}, .printAfter = {"simplify"}, .print = {}}));
  const Status status =
      checkPassNames(registry, {.disabledPasses = {"mock-outer"}, .printAfter = {}, .print = {}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "no pass is named 'mock-outer'");
}

}  // namespace
}  // namespace tessera::driver
