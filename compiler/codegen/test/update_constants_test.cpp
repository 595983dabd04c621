// Constants that owners give another form.
#include <gtest/gtest.h>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/codegen/passes.h"
#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/io/constants.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::codegen {
namespace {

using namespace mlir;
using backend_api::UpdatedConstant;

class UpdateConstantsTest : public testing::Test {
 protected:
  UpdateConstantsTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    auto backend = std::make_unique<backend_api::MockBackend>(backend_api::Mock{.name = "fast"});
    mock_ = &backend->mock;
    EXPECT_TRUE(registry_.add(std::move(backend)));
    backend_api::attachRegistry(context_, registry_);
    module_ = parseSourceString<ModuleOp>(R"(
      module @model attributes {tessera.targets = [#tsr.target<"fast">]} {
        func.func private @sum(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> attributes {tessera.target = #tsr.target<"fast">} {
          %0 = tsr.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }
        func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
          %a = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
          %b = tsr.constant dense<[3.0, 4.0]> : tensor<2xf32> -> tensor<2xf32>
          %0 = call @sum(%x, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
          %1 = call @sum(%0, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
          return %1 : tensor<2xf32>
        }
      })",
                                          &context_);
  }

  /// Twice as many numbers, the others zero.
  std::optional<UpdatedConstant> padded(RankedTensorType type, std::span<const std::byte> bytes) {
    std::vector<std::byte> twice(bytes.begin(), bytes.end());
    twice.resize(2 * bytes.size());
    return UpdatedConstant{.type = RankedTensorType::get({4}, type.getElementType()),
                           .bytes = std::move(twice)};
  }

  /// The first error; empty when the phases ran.
  std::string run() {
    ir::DiagnosticCapture diagnostics(&context_);
    PassManager manager(&context_);
    manager.addPass(createEmitRegionsPass());
    manager.addPass(createUpdateConstantsPass());
    manager.addPass(createBuildHostProgramPass());
    manager.addPass(createPlanMemoryPass());
    if (succeeded(manager.run(*module_))) return "";
    return diagnostics.take(targetFailed("no error")).message;
  }

  backend_api::BackendRegistry registry_;
  MLIRContext context_{MLIRContext::Threading::DISABLED};
  backend_api::Mock* mock_ = nullptr;
  OwningOpRef<ModuleOp> module_;
};

TEST_F(UpdateConstantsTest, EachCallsConstantIsAskedForAndOriginalsAreNotStored) {
  std::vector<std::string> asked;
  mock_->updateConstant = [&](StringRef region, unsigned index, RankedTensorType type,
                              std::span<const std::byte> bytes) {
    asked.push_back(region.str() + " " + std::to_string(index));
    return padded(type, bytes);
  };
  ASSERT_EQ(run(), "");
  EXPECT_EQ(asked, (std::vector<std::string>{"sum 1", "sum 1"}));
  auto region = module_->lookupSymbol<func::FuncOp>("sum");
  EXPECT_EQ(cast<RankedTensorType>(region.getArgumentTypes()[1]).getShape(), ArrayRef<int64_t>{4});
  auto bundle = makeBundle(*module_);
  ASSERT_TRUE(bundle) << bundle.error().message;
  ASSERT_EQ(bundle->constants.size(), 2U);
  for (const artifact::Constant& constant : bundle->constants)
    EXPECT_EQ(constant.data.bytes().size(), 16U);
  for (const artifact::Region& each : bundle->regions) EXPECT_EQ(each.opKinds, "add");
}

TEST_F(UpdateConstantsTest, NothingChangesUnlessAsked) {
  ASSERT_EQ(run(), "");
  auto bundle = makeBundle(*module_);
  ASSERT_TRUE(bundle) << bundle.error().message;
  for (const artifact::Constant& constant : bundle->constants)
    EXPECT_EQ(constant.data.bytes().size(), 8U);
}

TEST_F(UpdateConstantsTest, ArgumentsThatAreComputedSomewhereStay) {
  mock_->updateConstant = [&](StringRef, unsigned index, RankedTensorType type,
                              std::span<const std::byte> bytes) {
    EXPECT_EQ(index, 1U);  // The other is an input of the model, or what was computed.
    return padded(type, bytes);
  };
  ASSERT_EQ(run(), "");
}

TEST_F(UpdateConstantsTest, OneTypeForAllCalls) {
  size_t calls = 0;
  mock_->updateConstant = [&](StringRef, unsigned, RankedTensorType type,
                              std::span<const std::byte> bytes) {
    return ++calls == 1 ? padded(type, bytes) : std::nullopt;
  };
  EXPECT_NE(run().find("target 'fast' updates constant argument 1 to several types, expected one"),
            std::string::npos);
}

TEST_F(UpdateConstantsTest, AsManyBytesAsTheTypeHas) {
  mock_->updateConstant = [&](StringRef, unsigned, RankedTensorType type,
                              std::span<const std::byte>) {
    return std::optional(UpdatedConstant{.type = type, .bytes = std::vector<std::byte>(5)});
  };
  EXPECT_NE(run().find("updates constant argument 1 to 5 bytes, expected 8 of"), std::string::npos);
}

}  // namespace
}  // namespace tessera::codegen
