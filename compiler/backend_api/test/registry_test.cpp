#include "compiler/backend_api/registry.h"

#include <gtest/gtest.h>

#include "compiler/backend_api/test/mock_backend.h"
#include "mlir/Parser/Parser.h"

namespace tessera::backend_api {
namespace {

class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
    first_ = *registry_.add(std::make_unique<MockBackend>(Mock{.name = "first"}));
    Mock second{.name = "second"};
    second.attributes = {
        {.name = "a", .defaultValue = std::string()},
        {.name = "n", .type = target::AttributeType::kInt, .defaultValue = int64_t{0}}};
    second_ = *registry_.add(std::make_unique<MockBackend>(std::move(second)));
  }

  BackendRegistry registry_;
  mlir::MLIRContext context_;
  const Backend* first_;
  const Backend* second_;
};

TEST_F(RegistryTest, ABackendThatCannotBeIsAnErrorAndNotThere) {
  const auto add = [&](const char* name) {
    const auto added = registry_.add(std::make_unique<MockBackend>(Mock{.name = name}));
    return added ? "" : added.error().message;
  };
  EXPECT_EQ(add("first"), "target kind 'first' has two backends");
  EXPECT_EQ(add("my gpu"), "target kind 'my gpu': the name is no word of letters, digits, _ and -");
  EXPECT_EQ(registry_.backends(), (std::vector<const Backend*>{first_, second_}));
}

TEST_F(RegistryTest, TheHostTargetIsWhereverItIsListed) {
  const MockBackend host({.name = "host", .isHost = true});
  const Owner other{.target = {.kind = "first"}, .backend = first_};
  const Owner own{.target = {.kind = "host"}, .backend = &host};
  for (const Owners& owners : {Owners{own, other}, Owners{other, own}})
    EXPECT_EQ(hostOf(owners)->backend, &host);
  EXPECT_EQ(hostOf({other}), nullptr);
}

TEST_F(RegistryTest, AModuleNamesItsOwnersInOrder) {
  attachRegistry(context_, registry_);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(module attributes {tessera.targets = [#tsr.target<"second", {a = "1"}>, #tsr.target<"first">]} {})",
      &context_);
  const auto owners = ownersOf(*module);
  ASSERT_TRUE(owners) << owners.error().message;
  ASSERT_EQ(owners->size(), 2U);
  EXPECT_EQ((*owners)[0].backend, second_);
  EXPECT_EQ((*owners)[0].target.attributes.count("a"), 1U);
  EXPECT_EQ((*owners)[1].backend, first_);
}

TEST_F(RegistryTest, AModuleWithoutTargetsBelongsToTheDefaultOwners) {
  attachRegistry(context_, registry_);
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context_);
  ASSERT_TRUE(ownersOf(*module));
  EXPECT_TRUE(ownersOf(*module)->empty());
  registry_.setDefaultOwners(
      {{.target = {.kind = "first", .device = 0, .attributes = {}}, .backend = first_}});
  ASSERT_EQ(ownersOf(*module)->size(), 1U);
}

TEST_F(RegistryTest, AnUnknownTargetIsNamed) {
  attachRegistry(context_, registry_);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(module attributes {tessera.targets = [#tsr.target<"third">]} {})", &context_);
  const auto owners = ownersOf(*module);
  ASSERT_FALSE(owners);
  EXPECT_NE(owners.error().message.find("'third'"), std::string::npos);
}

TEST_F(RegistryTest, AttributesOfTargetsHaveTheirTypes) {
  attachRegistry(context_, registry_);
  const auto complaint = [&](const std::string& targets) {
    const auto owners = ownersOf(*mlir::parseSourceString<mlir::ModuleOp>(
        "module attributes {tessera.targets = " + targets + "} {}", &context_));
    return owners ? "" : owners.error().message;
  };
  EXPECT_EQ(complaint(R"([#tsr.target<"second", {n = 1 : i64}>])"), "");
  EXPECT_EQ(complaint(R"([#tsr.target<"second", {n = "many"}>])"),
            "tessera.targets: attribute 'n' of target 'second' is many, expected int");
  EXPECT_EQ(complaint(R"([#tsr.target<"second", {a = 1 : i64}>])"),
            "tessera.targets: attribute 'a' of target 'second' is 1, expected string");
  EXPECT_EQ(complaint(R"([#tsr.target<"second", {b = "1"}>])"),
            "tessera.targets: attribute 'b' of target 'second' does not exist");
  EXPECT_EQ(complaint(R"("second")"), "tessera.targets is no list of targets");
}

TEST_F(RegistryTest, AContextWithoutRegistrySaysSo) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context_);
  EXPECT_EQ(registryOf(context_), nullptr);
  EXPECT_FALSE(ownersOf(*module));
}

}  // namespace
}  // namespace tessera::backend_api
