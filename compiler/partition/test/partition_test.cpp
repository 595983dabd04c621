// What each pass of the greedy partition does, with owners that fuse.
#include <gtest/gtest.h>

#include "compiler/partition/test/placement_for_test.h"

namespace tessera::partition {
namespace {

using namespace mlir;

/// Wants channels in blocks of 16 for convolutions and relu.
std::vector<backend_api::LayoutChoice> blockedConvs(Operation* op, Mock::Types available) {
  auto choice = choiceOf(op, available, [](RankedTensorType type) { return type; });
  if (isa<ir::ConvOp, ir::ReluOp>(op)) {
    choice.operands[0] = ir::withBlocks(choice.operands[0], {1}, {16});
    choice.results[0] = ir::withBlocks(choice.results[0], {1}, {16});
  }
  return {choice};
}

class PartitionTest : public PlacementTest {
 protected:
  static backend_api::RegionRules rules() {
    return {.fuseElementwise = true,
            .fuseEpilogues = true,
            .maxOperations = 4,
            .isInlineConstant = [](OpOperand& operand) {
              return cast<RankedTensorType>(operand.get().getType()).getNumElements() == 1;
            }};
  }
  static Mock fast() { return {.name = "fast", .supports = only({"conv"}), .rules = rules()}; }
  static Mock host() { return {.name = "host", .rules = rules()}; }
  static Mock blockedHost() { return {.name = "host", .rules = rules(), .layouts = blockedConvs}; }
};

TEST_F(PartitionTest, FusesAnElementwiseTailButNotAcrossOwners) {
  place({fast(), host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>, %r: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.add %0, %r : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      %2 = tsr.relu %1 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      return %2 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"fast: conv", "host: add relu"}));
}

TEST_F(PartitionTest, FusesAnElementwiseTail) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>, %r: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.add %0, %r : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      %2 = tsr.relu %1 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      return %2 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: conv add relu"}));
}

TEST_F(PartitionTest, FusesATailBehindOpaqueOperatorsThatTakeIt) {
  Mock taking = host();
  taking.rules.takesEpilogue = [](Operation* op) { return isa<ir::RmsNormOp>(op); };
  place({taking});
  auto module = parse(R"(
    !x = tensor<2x8xf32>
    func.func @main(%x: !x, %s: tensor<8xf32>) -> !x {
      %0 = tsr.abs %x : (!x) -> !x
      %1 = tsr.rms_norm %0, %s : (!x, tensor<8xf32>) -> !x
      %2 = tsr.relu %1 : (!x) -> !x
      %3 = tsr.lp_norm %2 : (!x) -> !x
      %4 = tsr.neg %3 : (!x) -> !x
      return %4 : !x
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module),
            (Texts{"host: abs", "host: rms_norm relu", "host: lp_norm", "host: neg"}));
}

/// What its owner does not take there is a region of its own, as is what follows it.
TEST_F(PartitionTest, FusesOfATailWhatTheOwnerTakes) {
  Mock owner = host();
  owner.rules.joinsEpilogue = [](Operation* op, Operation* contraction,
                                 const llvm::DenseSet<Operation*>& members) {
    EXPECT_TRUE(isa<ir::ConvOp>(contraction));
    EXPECT_TRUE(members.contains(contraction));
    return !isa<ir::MulOp>(op);
  };
  place({owner});
  auto module = parse(R"(
    !y = tensor<1x16x8x8xf32>
    func.func @main(%x: !y, %w: tensor<16x16x1x1xf32>, %m: !y) -> !y {
      %0 = tsr.conv %x, %w : (!y, tensor<16x16x1x1xf32>) -> !y
      %1 = tsr.relu %0 : (!y) -> !y
      %2 = tsr.mul %1, %m : (!y, !y) -> !y
      %3 = tsr.neg %2 : (!y) -> !y
      return %3 : !y
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: conv relu", "host: mul neg"}));
}

/// A region goes as far as it may end, through what it may not end with.
TEST_F(PartitionTest, EndsATailWhereTheOwnerMayEnd) {
  Mock owner = host();
  owner.rules.mayEndEpilogue = [](Operation* op, Operation*) { return !isa<ir::NegOp>(op); };
  place({owner});
  const auto tailOf = [&](const std::string& last) {
    auto module = parse(R"(
      !y = tensor<1x16x8x8xf32>
      func.func @main(%x: !y, %w: tensor<16x16x1x1xf32>) -> !y {
        %0 = tsr.conv %x, %w : (!y, tensor<16x16x1x1xf32>) -> !y
        %1 = tsr.relu %0 : (!y) -> !y
        %2 = tsr.neg %1 : (!y) -> !y
        )" + last + "}");
    EXPECT_TRUE(run(*module)) << diagnostics();
    return regions(*module);
  };
  EXPECT_EQ(tailOf("return %2 : !y"), (Texts{"host: conv relu", "host: neg"}));
  EXPECT_EQ(tailOf("%3 = tsr.abs %2 : (!y) -> !y\n return %3 : !y"),
            (Texts{"host: conv relu neg abs"}));
}

/// Once, behind the epilogue, and where nothing else reads what it reads.
TEST_F(PartitionTest, FusesWhatEndsAnEpilogueWhereTheOwnerSaysSo) {
  Mock owner = host();
  owner.rules.endsEpilogue = [](Operation* op, Operation* contraction) {
    return isa<ir::MaxPoolOp>(op) && isa<ir::ConvOp>(contraction);
  };
  place({owner});
  const auto regionsOf = [&](const std::string& behind) {
    auto module = parse(R"(
      !x = tensor<1x16x8x8xf32>
      !y = tensor<1x16x4x4xf32>
      func.func @main(%x: !x, %w: tensor<16x16x1x1xf32>) -> (!x, !y) {
        %0 = tsr.conv %x, %w : (!x, tensor<16x16x1x1xf32>) -> !x
        %1 = tsr.relu %0 : (!x) -> !x
        %2 = tsr.max_pool %1 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!x) -> !y
        )" + behind + R"(
      })");
    EXPECT_TRUE(module && run(*module)) << diagnostics();
    return regions(*module);
  };
  EXPECT_EQ(regionsOf("%3 = tsr.neg %2 : (!y) -> !y\nreturn %x, %3 : !x, !y\n"),
            (Texts{"host: conv relu max_pool", "host: neg"}));
  EXPECT_EQ(regionsOf("return %1, %2 : !x, !y\n"), (Texts{"host: conv relu", "host: max_pool"}));
  EXPECT_EQ(regionsOf("%3 = tsr.average_pool %1 {kernel_shape = array<i64: 2, 2>, strides = "
                      "array<i64: 2, 2>} : (!x) "
                      "-> !y\n%4 = tsr.add %2, %3 : (!y, !y) -> !y\nreturn %x, %4 : !x, !y\n"),
            (Texts{"host: conv relu", "host: max_pool average_pool add"}));
}

/// What leads to one operand of a product alone, as far as the owner takes it.
TEST_F(PartitionTest, FusesWhatIsInFrontOfAContractionWhereTheOwnerSaysSo) {
  Mock owner = host();
  owner.rules.fusesPrologue = [](Operation* op, OpOperand& into) {
    return into.getOperandNumber() == 0 && !isa<ir::ExpOp>(op);
  };
  place({owner});
  const auto regionsOf = [&](const std::string& body) {
    auto module = parse(R"(
      !m = tensor<8x8xf32>
      func.func @main(%x: !m, %s: tensor<8xf32>, %w: !m) -> !m {
        )" + body + R"(
        return %r : !m
      })");
    EXPECT_TRUE(module && run(*module)) << diagnostics();
    return regions(*module);
  };
  const std::string scale = "%0 = tsr.mul %x, %s : (!m, tensor<8xf32>) -> !m\n",
                    relu = "%1 = tsr.relu %0 : (!m) -> !m\n",
                    product = "%2 = tsr.matmul %1, %w : (!m, !m) -> !m\n",
                    tail = "%r = tsr.neg %2 : (!m) -> !m\n";
  EXPECT_EQ(regionsOf(scale + relu + product + tail), (Texts{"host: mul relu matmul neg"}));
  // Another operand, another reader, an operator that is not taken, a tail of something else.
  EXPECT_EQ(regionsOf(scale + relu + "%r = tsr.matmul %w, %1 : (!m, !m) -> !m\n"),
            (Texts{"host: mul relu", "host: matmul"}));
  EXPECT_EQ(regionsOf(scale + relu + product + "%r = tsr.add %2, %1 : (!m, !m) -> !m\n"),
            (Texts{"host: mul relu", "host: matmul add"}));
  EXPECT_EQ(regionsOf("%0 = tsr.exp %x : (!m) -> !m\n" + relu + product + tail),
            (Texts{"host: exp", "host: relu matmul neg"}));
  EXPECT_EQ(regionsOf("%0 = tsr.matmul %x, %w : (!m, !m) -> !m\n" + relu + product + tail),
            (Texts{"host: matmul relu", "host: matmul neg"}));
}

TEST_F(PartitionTest, FusesATailOnlyWhereItCannotBeLargerThanTheProduct) {
  place({host()});
  const auto addendOf = [&](const std::string& type) {
    auto module = parse(R"(
      !n = tensor<?x8xf32, #tsr.layout<dims = ["n", ""]>>
      !p = tensor<?x8xf32, #tsr.layout<dims = ["p", ""]>>
      func.func @main(%x: !n, %w: tensor<8x8xf32>, %r: )" +
                        type + ") -> tensor<?x8xf32> {" + R"(
        %0 = tsr.matmul %x, %w : (!n, tensor<8x8xf32>) -> !n
        %1 = tsr.add %0, %r : (!n, )" +
                        type + R"() -> tensor<?x8xf32>
        return %1 : tensor<?x8xf32>
      })");
    EXPECT_TRUE(module && run(*module)) << diagnostics();
    return regions(*module);
  };
  EXPECT_EQ(addendOf("tensor<8xf32>"), (Texts{"host: matmul add"}));
  EXPECT_EQ(addendOf("tensor<1x8xf32>"), (Texts{"host: matmul add"}));
  // One row of the product may meet many of the addend.
  EXPECT_EQ(addendOf("!p"), (Texts{"host: matmul", "host: add"}));
}

/// What becomes of two products that meet in an operator, when the owner keeps them apart or not.
class MeetingContractionsTest : public PartitionTest, public testing::WithParamInterface<bool> {};

TEST_P(MeetingContractionsTest, ShareARegionOnlyIfTheOwnerSaysSo) {
  Mock owner = host();
  if (GetParam()) {
    owner.mayShareRegion = [](Operation* first, Operation* second) {
      return !isa<ir::MatmulOp>(first) || !isa<ir::MatmulOp>(second);
    };
  }
  place({owner});
  for (const std::string meet : {"mul", "add", "max"}) {
    auto module = parse(R"(
      !m = tensor<8x8xf32>
      func.func @main(%x: !m, %w: !m, %v: !m) -> !m {
        %0 = tsr.matmul %x, %w : (!m, !m) -> !m
        %1 = tsr.matmul %x, %v : (!m, !m) -> !m
        %2 = tsr.)" + meet +
                        R"( %0, %1 : (!m, !m) -> !m
        return %2 : !m
      })");
    ASSERT_TRUE(module && run(*module)) << diagnostics();
    EXPECT_EQ(regions(*module), GetParam() ? (Texts{"host: matmul", "host: matmul " + meet})
                                           : (Texts{"host: matmul matmul " + meet}));
  }
}

INSTANTIATE_TEST_SUITE_P(KeptApart, MeetingContractionsTest, testing::Bool());

TEST_F(PartitionTest, RegionsWithOtherNumbersOfNodesShareNoCode) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32> loc("a")
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32> loc("b")
      %2 = tsr.exp %1 : (tensor<8xf32>) -> tensor<8xf32> loc(fused["c", "d"])
      %3 = tsr.relu %2 : (tensor<8xf32>) -> tensor<8xf32> loc("e")
      return %1, %3 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: exp relu", "host: exp relu"}));
  EXPECT_EQ(llvm::range_size(module->getOps<func::FuncOp>()), 3);
}

TEST_F(PartitionTest, FusesADiamondIntoOneRegion) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.sigmoid %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.mul %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: exp sigmoid mul"}));
}

TEST_F(PartitionTest, KeepsAValueThatEscapesInARegionOfItsOwn) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: exp", "host: relu"}));
}

TEST_F(PartitionTest, WhoTakesATailDoesNotDependOnTheOrderOfIndependentOperators) {
  place({{.name = "host", .rules = rules(), .mayShareRegion = [](Operation*, Operation*) {
            return false;
          }}});
  const std::string first = "%a = tsr.conv %x, %w : (!t, tensor<16x16x1x1xf32>) -> !t\n";
  const std::string second = "%b = tsr.matmul %x, %m : (!t, tensor<8x8xf32>) -> !t\n";
  const auto regionsOf = [&](const std::string& both) {
    auto module = parse(R"(
      !t = tensor<1x16x8x8xf32>
      func.func @main(%x: !t, %w: tensor<16x16x1x1xf32>, %m: tensor<8x8xf32>) -> !t {
        )" + both + R"(
        %0 = tsr.add %a, %b : (!t, !t) -> !t
        return %0 : !t
      })");
    EXPECT_TRUE(module && run(*module)) << diagnostics();
    return regions(*module);
  };
  const Texts expected = {"host: matmul", "host: conv add"};
  EXPECT_EQ(regionsOf(first + second), expected);
  EXPECT_EQ(regionsOf(second + first), expected);
}

TEST_F(PartitionTest, OperatorsOfARegionStandInOneOrder) {
  place({host()});
  const std::string first = "%a = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>\n";
  const std::string second = "%b = tsr.abs %x : (tensor<8xf32>) -> tensor<8xf32>\n";
  const auto classOf = [&](const std::string& both) {
    auto module = parse("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n" + both +
                        "%0 = tsr.add %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>\n"
                        "return %0 : tensor<8xf32>\n}");
    EXPECT_TRUE(module && run(*module)) << diagnostics();
    return module->lookupSymbol("host_0")->getAttrOfType<StringAttr>(kRegionClass).str();
  };
  EXPECT_EQ(classOf(first + second), classOf(second + first));
}

TEST_F(PartitionTest, StopsAtTheLimitOfARegion) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.exp %1 : (tensor<8xf32>) -> tensor<8xf32>
      %3 = tsr.relu %2 : (tensor<8xf32>) -> tensor<8xf32>
      %4 = tsr.exp %3 : (tensor<8xf32>) -> tensor<8xf32>
      return %4 : tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: exp relu exp relu", "host: exp"}));
}

TEST_F(PartitionTest, EqualRegionsAreOneFunction) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module).size(), 2U);
  EXPECT_EQ(llvm::range_size(module->getOps<func::FuncOp>()), 2);
}

TEST_F(PartitionTest, ScalarConstantsGoInsideLargeOnesBecomeArguments) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %one = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
      %two = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
      %0 = tsr.add %x, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %1 = tsr.mul %0, %two : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: constant add mul"}));
  auto call = *ir::entryFunction(*module).getOps<func::CallOp>().begin();
  EXPECT_EQ(call.getNumOperands(), 2U);
}

TEST_F(PartitionTest, RelayoutsStandOnlyWhereOwnersDisagree) {
  place({blockedHost()});
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.relu %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      %2 = tsr.conv %1, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      return %2 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module),
            (Texts{"host: relayout", "host: conv relu", "host: conv", "host: relayout"}));
}

TEST_F(PartitionTest, ExposedRegionsReturnEveryValueInRowMajorOrder) {
  place({blockedHost()});
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.exp %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      return %1 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: relayout", "host: conv", "host: relayout exp"}));
  PassManager manager(&context_);
  manager.addPass(createExposeRegionsPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(regions(*module), (Texts{"host: relayout", "host: relayout", "host: conv",
                                     "host: relayout", "host: relayout exp"}));
  func::FuncOp entry = ir::entryFunction(*module);
  ASSERT_EQ(entry.getNumResults(), 4U);
  for (const Type type : entry.getResultTypes())
    EXPECT_TRUE(ir::isPlain(cast<RankedTensorType>(type)));
}

TEST_F(PartitionTest, AnIsolatedCallIsAModuleOfItsOwn) {
  place({blockedHost()});
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
      %w = tsr.constant dense<1.0> : tensor<16x16x1x1xf32> -> tensor<16x16x1x1xf32>
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.exp %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      return %1 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  size_t number = 0, conv = 0;
  module->walk([&](func::CallOp call) {
    auto region = module->lookupSymbol<func::FuncOp>(call.getCallee());
    if (!region.getOps<ir::ConvOp>().empty()) conv = number;
    ++number;
  });
  PassManager manager(&context_);
  manager.addPass(createIsolateCallPass({.call = conv}));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(regions(*module), (Texts{"host: relayout", "host: conv", "host: relayout"}));
  func::FuncOp entry = ir::entryFunction(*module);
  EXPECT_EQ(entry.getNumArguments(), 1U);  // The weights stay constant.
  for (const Type type : {entry.getArgumentTypes()[0], entry.getResultTypes()[0]})
    EXPECT_TRUE(ir::isPlain(cast<RankedTensorType>(type)));
  PassManager second(&context_);
  second.addPass(createIsolateCallPass({.call = 100}));
  const ScopedDiagnosticHandler quiet(&context_, [](Diagnostic&) {});
  EXPECT_FALSE(succeeded(second.run(*module)));
}

TEST_F(PartitionTest, ExposingLeavesAFunctionWithoutRegionsAlone) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      return %x : tensor<2x3xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  PassManager manager(&context_);
  manager.addPass(createExposeRegionsPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(ir::entryFunction(*module).getNumResults(), 1U);
}

TEST_F(PartitionTest, StaticViewsStayInTheHostProgram) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
      %shape = tsr.constant dense<6> : tensor<1xi64> -> tensor<1xi64>
      %0 = tsr.reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), Texts{});
}

TEST_F(PartitionTest, ViewsAtTheBorderOfAGroupStayInTheHostProgram) {
  place({host()});
  auto module = parse(R"(
    func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<6xf32>) {
      %flat = tsr.constant dense<6> : tensor<1xi64> -> tensor<1xi64>
      %turned = tsr.constant dense<[3, 2]> : tensor<2xi64> -> tensor<2xi64>
      %0 = tsr.reshape %x, %flat : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
      %1 = tsr.exp %0 : (tensor<6xf32>) -> tensor<6xf32>
      %2 = tsr.reshape %1, %turned : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x2xf32>
      %3 = tsr.abs %y : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %4 = tsr.reshape %3, %flat : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
      %5 = tsr.relu %4 : (tensor<6xf32>) -> tensor<6xf32>
      return %2, %5 : tensor<3x2xf32>, tensor<6xf32>
    })");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: exp", "host: constant abs reshape relu"}));
}

TEST_F(PartitionTest, NamesEveryRefusal) {
  place({fast()});
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
  EXPECT_FALSE(run(*module));
  EXPECT_NE(diagnostics().find("no target takes tsr.exp (fast: it takes no exp)"),
            std::string::npos)
      << diagnostics();
}

}  // namespace
}  // namespace tessera::partition
