// Finished regions that their owner does not get, and what becomes of their operators.
#include "compiler/partition/test/placement_for_test.h"

namespace tessera::partition {
namespace {

using namespace mlir;
using backend_api::Declined;
using backend_api::Support;
using backend_api::Supported;

const char* kThree = R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.neg %1 : (tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    })";

class RefusalsTest : public PlacementTest {
 protected:
  /// The reasons in the module's exclusions.
  static Texts reasons(ModuleOp module) {
    Texts texts;
    for (const Exclusion& exclusion : exclusionsOf(module)) texts.push_back(exclusion.reason);
    return texts;
  }
  static bool isClean(ModuleOp module) {
    bool isClean = !module->hasAttr("tessera.refusals");
    module.walk([&](Operation* op) {
      isClean &= !op->hasAttr("tessera.operator") && !op->hasAttr("tessera.withdrawn");
    });
    return isClean;
  }
};

TEST_F(RefusalsTest, ARefusedRegionsOperatorsGoToTheNextOwner) {
  const auto refuse = [](func::FuncOp region) -> Support {
    if (llvm::range_size(region.getBody().front()) > 2) return Declined{"too many at once"};
    return Supported{};
  };
  place({{.name = "picky",
          .supports = only({"relu", "abs"}),
          .rules = merging(),
          .supportsRegion = refuse},
         {.name = "host"}});
  auto module = parse(kThree);
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: relu", "host: abs", "host: neg"}));
  EXPECT_EQ(reasons(*module), (Texts{"too many at once"}));
  EXPECT_TRUE(isClean(*module));
}

TEST_F(RefusalsTest, AnotherRegionOfThatOwnerStays) {
  const auto refuse = [](func::FuncOp region) -> Support {
    if (llvm::range_size(region.getBody().front()) > 2) return Declined{"too many at once"};
    return Supported{};
  };
  place({{.name = "picky",
          .supports = only({"relu", "abs", "ceil"}),
          .rules = merging(),
          .supportsRegion = refuse},
         {.name = "host"}});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.abs %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.ceil %x : (tensor<8xf32>) -> tensor<8xf32>
      return %1, %2 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: relu", "host: abs", "picky: ceil"}));
}

TEST_F(RefusalsTest, AnExclusionOfAFusedRegionCounts) {
  place({{.name = "fusing", .supports = only({"relu", "abs"}), .rules = {.fuseElementwise = true}},
         {.name = "host"}});
  auto module = parse(kThree);
  const OwningOpRef<ModuleOp> again = module->clone();
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"fusing: relu abs", "host: neg"}));
  const auto region = module->lookupSymbol<func::FuncOp>("fusing_0");
  const auto name = region->getAttrOfType<StringAttr>(kRegionClass);
  ASSERT_TRUE(name);
  addExclusion(*again, {.regionClass = name.str(),
                        .target = backend_api::ownerOf(region),
                        .reason = "its code does not link",
                        .node = ""});
  ASSERT_TRUE(run(*again)) << diagnostics();
  EXPECT_EQ(regions(*again), (Texts{"host: relu", "host: abs", "host: neg"}));
  EXPECT_EQ(reasons(*again), (Texts{"its code does not link"}));
  EXPECT_TRUE(isClean(*again));
}

TEST_F(RefusalsTest, ExclusionsOfAnotherFormCountAsNone) {
  auto module = parse(R"(module attributes {tessera.exclusions = [
    1, {target = #tsr.target<"a">}, {region = "x"}, {region = "y", target = #tsr.target<"a">},
    {reason = "it is cold", region = "z", target = #tsr.target<"a">}]} {})");
  ASSERT_TRUE(module);
  EXPECT_EQ(reasons(*module), (Texts{"no reason is given", "it is cold"}));
  EXPECT_EQ(exclusionsOf(*module)[1].regionClass, "z");
  EXPECT_EQ(exclusionsOf(*module)[1].target.getKind(), "a");
}

TEST_F(RefusalsTest, AnExclusionOfAConversionCounts) {
  const auto layouts = [](Operation* op, Mock::Types available) {
    return std::vector{choiceOf(op, available, inFarSpace)};
  };
  place(
      {{.name = "far", .supports = only({"relu", "copy"}), .layouts = layouts}, {.name = "host"}});
  auto module = parse(kThree);
  const OwningOpRef<ModuleOp> again = module->clone();
  ASSERT_TRUE(run(*module)) << diagnostics();
  ASSERT_EQ(regions(*module).front(), "far: copy");
  auto call = *ir::entryFunction(*module).getOps<func::CallOp>().begin();
  const auto copy = module->lookupSymbol<func::FuncOp>(call.getCallee());
  addExclusion(*again, {.regionClass = copy->getAttrOfType<StringAttr>(kRegionClass).str(),
                        .target = backend_api::ownerOf(copy),
                        .reason = "no such copy",
                        .node = ""});
  ASSERT_TRUE(run(*again)) << diagnostics();
  EXPECT_EQ(regions(*again),
            (Texts{"host: copy", "far: relu", "host: copy", "host: abs", "host: neg"}));
}

TEST_F(RefusalsTest, ARefusedConversionOfAConstantGoesToAnother) {
  const auto layouts = [](Operation* op, Mock::Types available) {
    return std::vector{choiceOf(op, available, inFarSpace)};
  };
  const auto refuse = [](func::FuncOp region) -> Support {
    for (const Type type : region.getResultTypes()) {
      if (cast<RankedTensorType>(type).getElementType().isInteger()) return Declined{"no integers"};
    }
    return Supported{};
  };
  place({{.name = "far",
          .supports = only({"relu", "tile", "copy"}),
          .layouts = layouts,
          .supportsRegion = refuse},
         {.name = "host"}});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<16xf32> {
      %twice = tsr.constant dense<2> : tensor<1xi64> -> tensor<1xi64>
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.tile %0, %twice : (tensor<8xf32>, tensor<1xi64>) -> tensor<16xf32>
      return %1 : tensor<16xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  Texts placed = regions(*module);
  llvm::sort(placed);
  EXPECT_EQ(placed, (Texts{"far: copy", "far: copy", "far: relu", "far: tile", "host: copy"}));
  EXPECT_EQ(reasons(*module), (Texts{"no integers"}));
  EXPECT_TRUE(isClean(*module));
}

TEST_F(RefusalsTest, ACompositeThatIsRefusedGoesInParts) {
  place({{.name = "composites",
          .supports = only({"composite", "abs"}),
          .supportsRegion = [](func::FuncOp) -> Support { return Declined{"not now"}; }},
         {.name = "host", .supports = only({"relu", "abs"})}});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.composite "relu_abs"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
      ^bb0(%a: tensor<8xf32>):
        %1 = tsr.relu %a : (tensor<8xf32>) -> tensor<8xf32>
        %2 = tsr.abs %1 : (tensor<8xf32>) -> tensor<8xf32>
        tsr.yield %2 : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: relu", "host: abs"}));
}

TEST_F(RefusalsTest, NobodyLeftIsAnErrorWithEveryReason) {
  const auto never = [](func::FuncOp) -> Support { return Declined{"no device"}; };
  place({{.name = "first", .rules = merging(), .supportsRegion = never},
         {.name = "host", .supports = only({"relu"})}});
  auto module = parse(kThree);
  EXPECT_FALSE(run(*module));
  EXPECT_NE(diagnostics().find("no target takes tsr.abs (first: no device; host: it takes no abs)"),
            std::string::npos)
      << diagnostics();
}

TEST_F(RefusalsTest, TheOnlyOwnersRefusalIsAnError) {
  const auto never = [](func::FuncOp) -> Support { return Declined{"no device"}; };
  place({{.name = "host", .supportsRegion = never}});
  auto module = parse(kThree);
  EXPECT_FALSE(run(*module));
  EXPECT_NE(diagnostics().find("no device"), std::string::npos) << diagnostics();
}

TEST_F(RefusalsTest, ClassesTellAttributesAndTypesApartButNotNames) {
  auto module = parse(R"(
    func.func private @a(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %0 = tsr.softmax %x {axis = 0 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("p")
      return %0 : tensor<2x2xf32>
    }
    func.func private @b(%y: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %1 = tsr.softmax %y {axis = 0 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("q")
      return %1 : tensor<2x2xf32>
    }
    func.func private @c(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %0 = tsr.softmax %x {axis = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }
    func.func private @d(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = tsr.softmax %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })");
  const auto classOf = [&](StringRef name) {
    return regionClass(module->lookupSymbol<func::FuncOp>(name));
  };
  EXPECT_EQ(classOf("a"), classOf("b"));
  EXPECT_NE(classOf("a"), classOf("c"));
  EXPECT_NE(classOf("a"), classOf("d"));
}

TEST_F(RefusalsTest, RegionsThatDifferInTheirAttributesStayApart) {
  auto module = parse(R"(
    func.func private @a(%x: tensor<8xf32>) -> tensor<8xf32> attributes {note = 1 : i64, tessera.target = #tsr.target<"host">} {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @b(%x: tensor<8xf32>) -> tensor<8xf32> attributes {note = 2 : i64, tessera.target = #tsr.target<"host">} {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @c(%x: tensor<8xf32>) -> tensor<8xf32> attributes {note = 2 : i64, tessera.target = #tsr.target<"host">} {
      %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
  PassManager manager(&context_);
  manager.addPass(createMergeEqualRegionsPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_TRUE(module->lookupSymbol("a"));
  EXPECT_TRUE(module->lookupSymbol("b"));
  EXPECT_FALSE(module->lookupSymbol("c"));
}

}  // namespace
}  // namespace tessera::partition
