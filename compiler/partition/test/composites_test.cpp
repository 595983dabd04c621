// Pattern tables: what becomes a composite, whose it is, and what it leaves to others.
#include "compiler/ir/composites.h"
#include "compiler/partition/test/placement_for_test.h"

namespace tessera::partition {
namespace {

using namespace mlir;
using backend_api::Declined;
using backend_api::PatternEntry;
using backend_api::Support;
using backend_api::Supported;
using pattern::any;
using pattern::either;
using pattern::op;
using pattern::Pattern;

const char* kChain = R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tsr.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = tsr.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
      %2 = tsr.abs %1 : (tensor<4xf32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    })";

const char* kSilu = R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tsr.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = tsr.composite "silu"(%0) {} : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %s = tsr.sigmoid %a : (tensor<4xf32>) -> tensor<4xf32>
        %m = tsr.mul %a, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        tsr.yield %m : tensor<4xf32>
      }
      return %1 : tensor<4xf32>
    })";

Pattern addRelu() { return op<ir::ReluOp>(op<ir::AddOp>(any(), any())); }
Pattern siluParts() {
  return either<ir::MulOp>(pattern::capture("x"), op<ir::SigmoidOp>(pattern::capture("x")));
}

class CompositesTest : public PlacementTest {
 protected:
  /// The operators in the bodies of the composites that backends' patterns made, and the
  /// composites' names.
  static Texts composites(ModuleOp module) {
    Texts texts;
    module.walk([&](ir::CompositeOp composite) {
      if (!ir::composite::isBackends(composite.getName())) return;
      std::string text = composite.getName().str() + ":";
      for (Operation& inner : composite.getBody().front().without_terminator())
        text += " " + inner.getName().stripDialect().str();
      texts.push_back(std::move(text));
    });
    return texts;
  }
};

TEST_F(CompositesTest, AnEntrysMatchIsOneOperatorOfItsOwner) {
  place({{.name = "fast", .supports = only({}), .patterns = {{"add_relu", addRelu()}}},
         {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"fast: composite", "host: abs"}));
  EXPECT_EQ(composites(*module), (Texts{"fast.add_relu: add relu"}));
}

TEST_F(CompositesTest, EntriesComeInTheirOrder) {
  const Pattern relu = op<ir::ReluOp>(any());
  place({{.name = "fast",
          .supports = only({}),
          .patterns = {{"relu", relu}, {"add_relu", addRelu()}}},
         {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(composites(*module), (Texts{"fast.relu: relu"}));
}

TEST_F(CompositesTest, ADeclinedWayBlocksNothing) {
  // The larger match is declined while matching: the smaller alternative of one entry is found.
  const Pattern chain = pattern::optionally(op<ir::AddOp>(any(), any()), [](const Pattern& before) {
    return pattern::part("relu", op<ir::ReluOp>(before));
  });
  const auto check = [](const pattern::Match& match, Operation*) -> Support {
    if (match.part("relu")) return Declined{"no relu today"};
    return Supported{};
  };
  place({{.name = "fast", .supports = only({}), .patterns = {{"add", chain, check}}},
         {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(composites(*module), (Texts{"fast.add: add"}));
}

TEST_F(CompositesTest, PartsThatMatchedAreSaid) {
  const Pattern chain = pattern::optionally(
      pattern::part("add", op<ir::AddOp>(any(), any())),
      [](const Pattern& before) { return pattern::part("relu", op<ir::ReluOp>(before)); });
  place({{.name = "fast", .supports = only({}), .patterns = {{"add", chain}}}, {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  size_t seen = 0;
  module->walk([&](ir::CompositeOp composite) {
    ++seen;
    EXPECT_TRUE(backend_api::hasPart(composite, "add"));
    EXPECT_TRUE(backend_api::hasPart(composite, "relu"));
    EXPECT_FALSE(backend_api::hasPart(composite, "bias"));
    const auto match = backend_api::matchBody(chain, composite);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->part("add").getDefiningOp()->getParentOp(), composite);
  });
  EXPECT_EQ(seen, 1U);
}

TEST_F(CompositesTest, WhatAMorePreferredOwnerTakesIsNotThere) {
  place({{.name = "first", .supports = only({"relu"})},
         {.name = "fast", .supports = only({}), .patterns = {{"add_relu", addRelu()}}},
         {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: add", "first: relu", "host: abs"}));
}

TEST_F(CompositesTest, PartsOfWhatStaysWholeAreThere) {
  // The first target takes a part of the composite, which the host takes as a whole.
  place({{.name = "first", .supports = only({"mul"})},
         {.name = "fast", .supports = only({}), .patterns = {{"silu", siluParts()}}},
         {.name = "host"}});
  auto module = parse(kSilu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(composites(*module), (Texts{"fast.silu: sigmoid mul"}));
}

TEST_F(CompositesTest, PartsOfWhatIsExpandedForAMorePreferredOwnerAreNot) {
  place({{.name = "first", .supports = only({"mul", "sigmoid"})},
         {.name = "fast", .supports = only({}), .patterns = {{"silu", siluParts()}}},
         {.name = "host"}});
  auto module = parse(kSilu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: add", "first: sigmoid", "first: mul"}));
}

TEST_F(CompositesTest, AValueUsedOutsideKeepsOperatorsApart) {
  place({{.name = "fast", .supports = only({}), .patterns = {{"add_relu", addRelu()}}},
         {.name = "host"}});
  auto module = parse(R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = tsr.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = tsr.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %0, %1 : tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(composites(*module), Texts{});
}

TEST_F(CompositesTest, ARecognisedCompositeIsMatchedAsOneAndThrough) {
  const Pattern sum = op<ir::AddOp>(any(), any());
  const std::vector<std::pair<Pattern, Texts>> forms = {
      {pattern::composite("silu", {sum}), {"fast.add_silu: add composite"}},
      {siluParts(), {"fast.add_silu: sigmoid mul"}}};
  for (const auto& [form, expected] : forms) {
    backend_api::BackendRegistry registry;
    attachRegistry(context_, registry);
    backend_api::Owners owners;
    for (Mock mock : {Mock{.name = "fast", .supports = only({}), .patterns = {{"add_silu", form}}},
                      Mock{.name = "host", .isHost = true}}) {
      target::Target target{.kind = mock.name};
      owners.push_back(
          {.target = std::move(target),
           .backend = *registry.add(std::make_unique<backend_api::MockBackend>(std::move(mock)))});
    }
    registry.setDefaultOwners(std::move(owners));
    auto module = parse(kSilu);
    ASSERT_TRUE(run(*module)) << diagnostics();
    EXPECT_EQ(composites(*module), expected);
  }
  attachRegistry(context_, registry_);
}

TEST_F(CompositesTest, ARefusedRegionsMatchIsNotMadeAgain) {
  place({{.name = "fast",
          .supports = only({}),
          .patterns = {{"add_relu", addRelu()}},
          .supportsRegion = [](func::FuncOp) -> Support { return Declined{"not today"}; }},
         {.name = "host"}});
  auto module = parse(kChain);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: add", "host: relu", "host: abs"}));
}

TEST_F(CompositesTest, AnOwnerInFrontThatTakesAllPartsGetsThem) {
  place({{.name = "parts", .supports = only({"sigmoid", "mul"})}, {.name = "host"}});
  auto module = parse(kSilu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: add", "parts: sigmoid", "parts: mul"}));
}

TEST_F(CompositesTest, AnOwnerInFrontThatTakesSomePartsLeavesTheWhole) {
  place({{.name = "parts", .supports = only({"mul"})}, {.name = "host"}});
  auto module = parse(kSilu);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: add", "host: composite"}));
}

TEST_F(CompositesTest, TheWillingAreKeptForWholesAndParts) {
  place({{.name = "whole", .supports = only({"composite"})},
         {.name = "parts", .supports = only({"mul", "add"})},
         {.name = "host"}});
  auto module = parse(kSilu);
  PassManager manager(&context_);
  manager.addPass(createAnnotateTargetPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  Texts willing;
  module->walk([&](Operation* op) {
    const auto list = op->getAttrOfType<ArrayAttr>("tessera.willing");
    if (!list) return;
    std::string text = op->getName().stripDialect().str() + ":";
    for (const Attribute target : list) text += " " + cast<ir::TargetAttr>(target).getKind().str();
    willing.push_back(std::move(text));
  });
  llvm::sort(willing);
  EXPECT_EQ(willing, (Texts{"add: parts host", "composite: whole host", "mul: parts host",
                            "sigmoid: host"}));
}

TEST_F(CompositesTest, AnOperatorThatPrefersAnotherTargetIsNotThere) {
  place({{.name = "fast", .supports = only({}), .patterns = {{"add_relu", addRelu()}}},
         {.name = "host"}});
  auto module = parse(kChain);
  Builder builder(&context_);
  const Attribute rule =
      builder.getDictionaryAttr({builder.getNamedAttr("op", builder.getStringAttr("add")),
                                 builder.getNamedAttr("prefer", builder.getStringAttr("host"))});
  (*module)->setAttr("tessera.pins", builder.getArrayAttr(rule));
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(composites(*module), Texts{});
}

}  // namespace
}  // namespace tessera::partition
