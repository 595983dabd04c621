// What csource keeps in the session's code cache: libraries, by the C that they were made from.
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/csource/compiler/register.h"
#include "base/atomic_file.h"
#include "mlir/Parser/Parser.h"

namespace tessera::backend_csource {
namespace {

using namespace mlir;

std::string moduleOf(const std::string& name, const std::string& op) {
  return "func.func private @" + name + "(%x: tensor<24xf32>) -> tensor<24xf32> {\n%0 = tsr." + op +
         " %x : (tensor<24xf32>) -> tensor<24xf32>\nreturn %0 : tensor<24xf32>\n}";
}

class CacheTest : public testing::Test {
 protected:
  std::vector<std::byte> emit(const std::string& text, const target::Target& target) {
    DialectRegistry dialects;
    dialects.insert<ir::TsrDialect, func::FuncDialect>();
    MLIRContext context(dialects);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    auto region = *module->getOps<func::FuncOp>().begin();
    auto emission =
        createBackend()->emit(*module, {region}, target, {.cache = cache_, .progress = {}});
    EXPECT_TRUE(emission) << emission.error().toString();
    return emission ? emission->blobs[0].bytes : std::vector<std::byte>();
  }

  target::Target target_ = {.kind = "csource", .attributes = {{"mcpu", std::string("x86-64-v3")}}};
  backend_api::CodeCache cache_;
};

TEST_F(CacheTest, EqualCIsCompiledOnce) {
  const auto first = emit(moduleOf("r", "relu"), target_);
  EXPECT_EQ(cache_.hits(), 0U);
  EXPECT_EQ(emit(moduleOf("r", "relu"), target_), first);
  EXPECT_EQ(cache_.hits(), 1U);
}

TEST_F(CacheTest, OtherOperatorsNamesAndFlagsAreOtherCode) {
  emit(moduleOf("r", "relu"), target_);
  emit(moduleOf("r", "neg"), target_);
  emit(moduleOf("another", "relu"), target_);
  target_.attributes["cflags"] = std::string("-O1");
  emit(moduleOf("r", "relu"), target_);
  target_.attributes["cc"] = std::string("gcc");
  emit(moduleOf("r", "relu"), target_);
  EXPECT_EQ(cache_.hits(), 0U);
}

TEST_F(CacheTest, WhatAHeaderIncludesIsNotKnown) {
  const std::string header =
      (std::filesystem::path(testing::TempDir()) / "csource_cache_test.h").string();
  ASSERT_TRUE(base::writeFile(header, ""));
  target_.attributes["header"] = header;
  emit(moduleOf("r", "relu"), target_);
  emit(moduleOf("r", "relu"), target_);
  EXPECT_EQ(cache_.hits(), 0U);
}

}  // namespace
}  // namespace tessera::backend_csource
