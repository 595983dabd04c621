// What native keeps in the session's code cache: objects of kernels, by all that they depend on.
#include <gtest/gtest.h>

#include "backends/native/compiler/native_backend.h"
#include "compiler/backend_api/code_cache.h"
#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/unobserved.h"
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
  /// The emission of a module of its own, whose region is edited when its kernel is made.
  Result<backend_api::Emission> emissionOf(
      const char* text, const std::string& cpu,
      llvm::function_ref<void(func::FuncOp)> edit = [](func::FuncOp) {}) {
    DialectRegistry dialects;
    dialects.insert<ir::TsrDialect, func::FuncDialect>();
    native_.registerDialects(dialects);
    MLIRContext context(dialects);
    backend_api::attachCodeCache(context, &cache_);
    const target::Target target{.kind = "native", .attributes = {{"mcpu", cpu}}};
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    auto region = *module->getOps<func::FuncOp>().begin();
    region->setAttr(backend_api::kTargetAttribute, backend_api::toAttribute(&context, target));
    if (isUnobserved_)
      (*module)->setAttr(backend_api::kUnobservedAttribute, UnitAttr::get(&context));
    PassManager manager(&context);
    native_.addPasses(target::Phase::kLower, target::HookPoint::kAfter, manager, target);
    native_.addPasses(target::Phase::kOptimize, target::HookPoint::kAfter, manager, target);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    numMade_ += llvm::count_if(module->getOps<ModuleOp>(),
                               [](ModuleOp kernels) { return !kernels.getBody()->empty(); });
    edit(region);
    return native_.emit(*module, {region}, target, {.cache = cache_, .progress = {}});
  }
  /// Its code.
  std::vector<std::byte> emit(const char* text, const std::string& cpu) {
    auto emission = emissionOf(text, cpu);
    EXPECT_TRUE(emission) << emission.error().toString();
    return emission ? emission->blobs[0].bytes : std::vector<std::byte>();
  }

  NativeBackend native_;
  backend_api::CodeCache cache_;
  bool isUnobserved_ = false;
  size_t numMade_ = 0;  ///< Kernels that phase optimize left.
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

TEST_F(CacheTest, AKernelIsNotForARegionThatWasEditedSince) {
  const auto edited = emissionOf(kRelu, "x86-64-v3", [](func::FuncOp region) {
    Builder b(region.getContext());
    const Type longer = RankedTensorType::get({48}, b.getF32Type());
    region.setFunctionType(b.getFunctionType(longer, longer));
  });
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().message, "region 'r' is not what its kernel was made for");
}

TEST_F(CacheTest, AnotherKernelOrAnotherCpuIs) {
  const auto first = emit(kRelu, "x86-64-v3");
  EXPECT_NE(emit(kAbs, "x86-64-v3"), first);
  emit(kRelu, "x86-64-v4");
  EXPECT_EQ(cache_.hits(), 0U);
}

TEST_F(CacheTest, AKernelWhoseCodeIsKeptIsNotMadeWhereNobodyLooks) {
  isUnobserved_ = true;
  const auto first = emit(kRelu, "x86-64-v3");
  EXPECT_EQ(numMade_, 1U);
  EXPECT_EQ(emit(kReluElsewhere, "x86-64-v3"), first);
  EXPECT_EQ(numMade_, 1U);
  emit(kAbs, "x86-64-v3");
  emit(kRelu, "x86-64-v4");
  EXPECT_EQ(numMade_, 3U);
}

TEST_F(CacheTest, AKernelIsMadeWhereSomebodyMayLook) {
  isUnobserved_ = true;
  const auto first = emit(kRelu, "x86-64-v3");
  isUnobserved_ = false;
  EXPECT_EQ(emit(kRelu, "x86-64-v3"), first);
  EXPECT_EQ(numMade_, 2U);
}

TEST_F(CacheTest, WhatASavedModuleSaysOfItsCodeIsNotBelieved) {
  const auto first = emit(kRelu, "x86-64-v3");
  const auto emission = emissionOf(kAbs, "x86-64-v3", [](func::FuncOp region) {
    for (auto kernels : region->getParentOfType<ModuleOp>().getOps<ModuleOp>())
      kernels->setAttr("tessera.kept_code", StringAttr::get(region.getContext(), "forged code"));
  });
  ASSERT_TRUE(emission) << emission.error().toString();
  EXPECT_NE(emission->blobs[0].bytes, first);
}

}  // namespace
}  // namespace tessera::backend_native
