// What native keeps in the session's code cache: objects of kernels, by all that they depend on.
#include <gtest/gtest.h>

#include "backends/native/compiler/native_backend.h"
#include "compiler/backend_api/code_cache.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::backend_native {
namespace {

using namespace mlir;

constexpr const char* kRelu = R"(func.func private @r(%x: tensor<24xf32>) -> tensor<24xf32> {
  %0 = tsr.relu %x : (tensor<24xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
})";
constexpr const char* kAbs = R"(func.func private @r(%x: tensor<24xf32>) -> tensor<24xf32> {
  %0 = tsr.abs %x : (tensor<24xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
})";

constexpr const char* kReluElsewhere =
    R"(func.func private @another(%x: tensor<24xf32>) -> tensor<24xf32> {
  %0 = tsr.relu %x : (tensor<24xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
})";

class CacheTest : public testing::Test {
 protected:
  /// The code of a module of its own.
  std::vector<std::byte> emit(const char* text, const std::string& cpu) {
    DialectRegistry dialects;
    dialects.insert<ir::TsrDialect, func::FuncDialect>();
    native_.registerDialects(dialects);
    MLIRContext context(dialects);
    const target::Target target{.kind = "native", .attributes = {{"mcpu", cpu}}};
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    auto region = *module->getOps<func::FuncOp>().begin();
    region->setAttr(backend_api::kTargetAttribute, backend_api::toAttribute(&context, target));
    PassManager manager(&context);
    native_.addPasses(target::Phase::kLower, target::HookPoint::kAfter, manager, target);
    native_.addPasses(target::Phase::kOptimize, target::HookPoint::kAfter, manager, target);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    auto emission = native_.emit(*module, {region}, target, {.cache = cache_, .progress = {}});
    EXPECT_TRUE(emission) << emission.error().toString();
    return emission ? emission->blobs[0].bytes : std::vector<std::byte>();
  }

  NativeBackend native_;
  backend_api::CodeCache cache_;
};

TEST_F(CacheTest, AKernelThatComesBackIsNotCompiledAgain) {
  const auto first = emit(kRelu, "x86-64-v3");
  EXPECT_EQ(cache_.hits(), 0U);
  EXPECT_EQ(emit(kRelu, "x86-64-v3"), first);
  EXPECT_EQ(cache_.hits(), 1U);
}

TEST_F(CacheTest, TheNameOfARegionDoesNotMatter) {
  const auto first = emit(kRelu, "x86-64-v3");
  EXPECT_EQ(emit(kReluElsewhere, "x86-64-v3"), first);
  EXPECT_EQ(cache_.hits(), 1U);
}

TEST_F(CacheTest, AnotherKernelOrAnotherCpuIs) {
  const auto first = emit(kRelu, "x86-64-v3");
  EXPECT_NE(emit(kAbs, "x86-64-v3"), first);
  emit(kRelu, "x86-64-v4");
  EXPECT_EQ(cache_.hits(), 0U);
}

}  // namespace
}  // namespace tessera::backend_native
