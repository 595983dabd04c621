// What a module is in a message: complete, and no constant sent twice.
#include "compiler/isolation/module_message.h"

#include <gtest/gtest.h>

#include "compiler/ir/io/constants.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tessera::isolation {
namespace {

using namespace mlir;

class ModuleMessageTest : public ::testing::Test {
 protected:
  ModuleMessageTest() {
    for (MLIRContext* context : {&here_, &there_})
      context->loadDialect<ir::TsrDialect, func::FuncDialect>();
  }

  /// A module that holds two large constants.
  OwningOpRef<ModuleOp> twoConstants() {
    OpBuilder builder(&here_);
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto function =
        builder.create<func::FuncOp>(builder.getUnknownLoc(), "f", builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    const auto type = RankedTensorType::get({1000}, builder.getF32Type());
    for (const std::byte fill : {std::byte{1}, std::byte{2}}) {
      auto bytes = std::make_shared<const std::vector<std::byte>>(4000, fill);
      ir::createConstant(builder, builder.getUnknownLoc(), type, {.bytes = *bytes, .owner = bytes});
    }
    builder.create<func::ReturnOp>(builder.getUnknownLoc());
    return module;
  }

  static worker::Message sent(const PackedModule& packed) {
    worker::Message message{.header = {{"module", packed.header}}};
    for (const worker::Bytes payload : packed.payloads)
      message.payloads.emplace_back(payload.begin(), payload.end());
    return message;
  }

  static std::string textOf(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  MLIRContext here_, there_;
};

TEST_F(ModuleMessageTest, AModuleArrivesWithItsConstants) {
  const OwningOpRef<ModuleOp> module = twoConstants();
  const auto packed = PackedModule::make(*module, {});
  ASSERT_TRUE(packed);
  EXPECT_EQ((*packed)->payloads.size(), 3U);
  const auto arrived = moduleOf(there_, sent(**packed));
  ASSERT_TRUE(arrived) << arrived.error().message;
  EXPECT_EQ(textOf(**arrived), textOf(*module));
  auto& store = there_.getLoadedDialect<ir::TsrDialect>()->constants();
  for (const std::string& hash : (*packed)->hashes) EXPECT_EQ(store.find(hash).bytes.size(), 4000U);
}

TEST_F(ModuleMessageTest, WhatTheOtherEndHasIsNotSent) {
  const OwningOpRef<ModuleOp> module = twoConstants();
  const auto whole = PackedModule::make(*module, {});
  ASSERT_TRUE(whole);
  ASSERT_TRUE(moduleOf(there_, sent(**whole)));
  const auto again = PackedModule::make(*module, (*whole)->hashes);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->payloads.size(), 1U);
  EXPECT_TRUE(moduleOf(there_, sent(**again)));
}

TEST_F(ModuleMessageTest, WhatIsNoModuleIsRefused) {
  EXPECT_FALSE(moduleOf(there_, {}));
  worker::Message message{.header = {{"module", {{"payload", uint64_t{0}}}}}};
  EXPECT_FALSE(moduleOf(there_, message));
  message.payloads.push_back(std::vector<std::byte>(20, std::byte{7}));
  EXPECT_FALSE(moduleOf(there_, message));
  const OwningOpRef<ModuleOp> module = twoConstants();
  const auto packed = PackedModule::make(*module, {});
  ASSERT_TRUE(packed);
  message = sent(**packed);
  message.payloads.pop_back();
  EXPECT_FALSE(moduleOf(there_, message));
}

}  // namespace
}  // namespace tessera::isolation
