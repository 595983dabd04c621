// The passes of a phase as text: what is printed parses to the same pipeline.
#include <gtest/gtest.h>

#include "backends/native/compiler/native_backend.h"
#include "compiler/lowering/passes.h"
#include "compiler/lowering/pipeline.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"

namespace tessera::backend_native {
namespace {

using namespace mlir;

class PassesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { NativeBackend().registerPasses(); }

  static std::string textOf(OpPassManager& manager) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    manager.printAsTextualPipeline(stream);
    return text;
  }

  static void expectParsesBack(OpPassManager& manager) {
    const std::string text = textOf(manager);
    auto parsed = parsePassPipeline(text);
    ASSERT_TRUE(succeeded(parsed)) << text;
    EXPECT_EQ(textOf(*parsed), text);
  }
};

TEST_F(PassesTest, PhasesOfTheBackendParseBack) {
  const NativeBackend backend;
  for (const target::Phase phase : {target::Phase::kLower, target::Phase::kOptimize}) {
    OpPassManager manager(ModuleOp::getOperationName());
    backend.addPasses(phase, target::HookPoint::kAfter, manager,
                      {.kind = "native", .device = 0, .attributes = {}});
    ASSERT_EQ(manager.size(), 1U);
    expectParsesBack(manager);
  }
}

TEST_F(PassesTest, ARegionWithMoreArgumentsThanAKernelTakesIsRefused) {
  MLIRContext context;
  context.loadDialect<ir::TsrDialect, func::FuncDialect>();
  const NativeBackend backend;
  DialectRegistry registry;
  backend.registerDialects(registry);
  context.appendDialectRegistry(registry);
  const auto lowered = [&](size_t numOperands) {
    std::string arguments, operands, types;
    for (size_t i = 0; i < numOperands; ++i) {
      const std::string comma = i == 0 ? "" : ", ", name = "%a" + std::to_string(i);
      arguments += comma + name + ": tensor<4xf32>";
      operands += comma + name;
      types += comma + "tensor<4xf32>";
    }
    auto module = parseSourceString<ModuleOp>("func.func private @r(" + arguments +
                                                  R"() -> tensor<4xf32> attributes {
           tessera.target = #tsr.target<"native", {mcpu = "x86-64-v3"}>} {
           %0 = tsr.sum )" + operands + " : (" + types +
                                                  ") -> tensor<4xf32> return %0 : tensor<4xf32> }",
                                              &context);
    std::string message;
    const ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic& diagnostic) { message = diagnostic.str(); });
    PassManager manager(&context);
    backend.addPasses(target::Phase::kLower, target::HookPoint::kAfter, manager,
                      {.kind = "native", .device = 0, .attributes = {}});
    return succeeded(manager.run(*module)) ? "" : message;
  };
  EXPECT_EQ(lowered(1023), "");
  EXPECT_EQ(lowered(1024),
            "1025 inputs and outputs with 0 open dimensions are too many, at most 1024 of each are "
            "supported");
}

TEST_F(PassesTest, PipelinesOfKernelsParseBackWithTheirOptions) {
  OpPassManager manager(ModuleOp::getOperationName());
  lowering::buildTensorKernelPipeline(manager);  // With what the backend made known.
  expectParsesBack(manager);
  OpPassManager kernel(func::FuncOp::getOperationName());
  kernel.addPass(lowering::createTileParallelPass({.minElementsPerChunk = 7}));
  kernel.addPass(lowering::createPlanWorkspacePass({.maxStackBytes = 1, .maxBodyStackBytes = 2}));
  kernel.addPass(lowering::createLowerAllocationsPass({.maxBodyStackBytes = 3}));
  EXPECT_NE(textOf(kernel).find("min-elements-per-chunk=7"), std::string::npos);
  expectParsesBack(kernel);
}

}  // namespace
}  // namespace tessera::backend_native
