// What each pass of the greedy partition does, with two backends made for the test.
#include <gtest/gtest.h>

#include "compiler/ir/constants.h"
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"
#include "mlir/Parser/Parser.h"

namespace tessera::partition {
namespace {

using namespace mlir;

/// Takes the operators in `taken` (all when empty); wants channels in blocks of 16 for conv and
/// relu when `isBlocked`.
class TestBackend : public backend_api::Backend {
 public:
  TestBackend(std::string name, std::vector<std::string> taken, bool isBlocked)
      : kind_{.name = std::move(name), .attributes = {}, .isHost = taken.empty()},
        taken_(std::move(taken)),
        isBlocked_(isBlocked) {}

  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return "0"; }
  backend_api::Support supports(Operation* op, const target::Target&) const override {
    const std::string name = op->getName().stripDialect().str();
    if (taken_.empty() || llvm::is_contained(taken_, name)) return backend_api::Supported{};
    return backend_api::Declined{"it takes no " + name};
  }
  backend_api::RegionRules regionRules(const target::Target&) const override {
    return {.fuseElementwise = true,
            .fuseEpilogues = true,
            .maxOperations = 4,
            .isInlineConstant = [](OpOperand& operand) {
              return cast<RankedTensorType>(operand.get().getType()).getNumElements() == 1;
            }};
  }
  bool mayShareRegion(Operation* first, Operation* second) const override {
    return !keepsContractionsApart || !isa<ir::MatmulOp>(first) || !isa<ir::MatmulOp>(second);
  }
  backend_api::LayoutChoice chooseLayouts(Operation* op, ArrayRef<RankedTensorType> available,
                                          const target::Target& target) const override {
    backend_api::LayoutChoice choice = Backend::chooseLayouts(op, available, target);
    if (!isBlocked_ || !isa<ir::ConvOp, ir::ReluOp>(op)) return choice;
    choice.operands[0] = ir::withBlocks(choice.operands[0], {1}, {16});
    choice.results[0] = ir::withBlocks(choice.results[0], {1}, {16});
    return choice;
  }
  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp>, const target::Target&,
                                     const backend_api::EmitContext&) const override {
    return backend_api::Emission{};
  }

  bool keepsContractionsApart = false;

 private:
  target::TargetKind kind_;
  std::vector<std::string> taken_;
  bool isBlocked_;
};

class PartitionTest : public testing::Test {
 protected:
  PartitionTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    owners_ = {{.target = {.kind = "fast", .device = 0, .attributes = {}}, .backend = &fast_},
               {.target = {.kind = "host", .device = 0, .attributes = {}}, .backend = &host_}};
  }

  OwningOpRef<ModuleOp> parse(const std::string& body) {
    return parseSourceString<ModuleOp>(body, &context_);
  }

  LogicalResult run(ModuleOp module) {
    PassManager manager(&context_);
    buildGreedyPartition(manager, owners_, [](OpPassManager&) {});
    return manager.run(module);
  }

  /// "region: op op" of each region, in the order of the calls.
  static std::vector<std::string> regions(ModuleOp module) {
    std::vector<std::string> texts;
    for (auto call : entryFunction(module).getOps<func::CallOp>()) {
      auto region = module.lookupSymbol<func::FuncOp>(call.getCallee());
      std::string text = backend_api::ownerOf(region).getKind().str() + ":";
      for (Operation& op : region.getBody().front().without_terminator())
        text += " " + op.getName().stripDialect().str();
      texts.push_back(std::move(text));
    }
    return texts;
  }

  MLIRContext context_;
  TestBackend fast_{"fast", {"conv"}, false};
  TestBackend host_{"host", {}, false};
  backend_api::Owners owners_;
};

using Regions = std::vector<std::string>;

TEST_F(PartitionTest, FusesAnElementwiseTailButNotAcrossOwners) {
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>, %r: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.add %0, %r : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      %2 = tsr.relu %1 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      return %2 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"fast: conv", "host: add relu"}));

  owners_.erase(owners_.begin());
  module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>, %r: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.add %0, %r : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      %2 = tsr.relu %1 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      return %2 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: conv add relu"}));
}

TEST_F(PartitionTest, FusesATailOnlyWhereItCannotBeLargerThanTheProduct) {
  owners_.erase(owners_.begin());
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
    EXPECT_TRUE(module && succeeded(run(*module)));
    return regions(*module);
  };
  EXPECT_EQ(addendOf("tensor<8xf32>"), (Regions{"host: matmul add"}));
  EXPECT_EQ(addendOf("tensor<1x8xf32>"), (Regions{"host: matmul add"}));
  // One row of the product may meet many of the addend.
  EXPECT_EQ(addendOf("!p"), (Regions{"host: matmul", "host: add"}));
}

TEST_F(PartitionTest, ContractionsThatMeetShareARegionOnlyIfTheOwnerSaysSo) {
  const auto regionsOf = [&](const std::string& meet) {
    auto module = parse(R"(
      !m = tensor<8x8xf32>
      func.func @main(%x: !m, %w: !m, %v: !m) -> !m {
        %0 = tsr.matmul %x, %w : (!m, !m) -> !m
        %1 = tsr.matmul %x, %v : (!m, !m) -> !m
        %2 = tsr.)" + meet + R"( %0, %1 : (!m, !m) -> !m
        return %2 : !m
      })");
    EXPECT_TRUE(module && succeeded(run(*module)));
    return regions(*module);
  };
  EXPECT_EQ(regionsOf("mul"), (Regions{"host: matmul matmul mul"}));
  host_.keepsContractionsApart = true;
  for (const char* meet : {"mul", "add", "max"})
    EXPECT_EQ(regionsOf(meet), (Regions{"host: matmul", "host: matmul " + std::string(meet)}));
}

TEST_F(PartitionTest, RegionsWithOtherNumbersOfNodesShareNoCode) {
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32> loc("a")
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32> loc("b")
      %2 = tsr.exp %1 : (tensor<8xf32>) -> tensor<8xf32> loc(fused["c", "d"])
      %3 = tsr.relu %2 : (tensor<8xf32>) -> tensor<8xf32> loc("e")
      return %1, %3 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: exp relu", "host: exp relu"}));
  EXPECT_EQ(llvm::range_size(module->getOps<func::FuncOp>()), 3);
}

TEST_F(PartitionTest, FusesADiamondIntoOneRegion) {
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.sigmoid %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.mul %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %2 : tensor<8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: exp sigmoid mul"}));
}

TEST_F(PartitionTest, KeepsAValueThatEscapesInARegionOfItsOwn) {
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: exp", "host: relu"}));
}

TEST_F(PartitionTest, StopsAtTheLimitOfARegion) {
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
      %2 = tsr.exp %1 : (tensor<8xf32>) -> tensor<8xf32>
      %3 = tsr.relu %2 : (tensor<8xf32>) -> tensor<8xf32>
      %4 = tsr.exp %3 : (tensor<8xf32>) -> tensor<8xf32>
      return %4 : tensor<8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: exp relu exp relu", "host: exp"}));
}

TEST_F(PartitionTest, EqualRegionsAreOneFunction) {
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module).size(), 2U);
  EXPECT_EQ(llvm::range_size(module->getOps<func::FuncOp>()), 2);
}

TEST_F(PartitionTest, ScalarConstantsGoInsideLargeOnesBecomeArguments) {
  auto module = parse(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %one = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
      %two = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
      %0 = tsr.add %x, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %1 = tsr.mul %0, %two : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: constant add mul"}));
  auto call = *entryFunction(*module).getOps<func::CallOp>().begin();
  EXPECT_EQ(call.getNumOperands(), 2U);
}

TEST_F(PartitionTest, RelayoutsStandOnlyWhereOwnersDisagree) {
  TestBackend blocked("host", {}, /*isBlocked=*/true);
  owners_ = {{.target = {.kind = "host", .device = 0, .attributes = {}}, .backend = &blocked}};
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.relu %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      %2 = tsr.conv %1, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      return %2 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module),
            (Regions{"host: relayout", "host: conv relu", "host: conv", "host: relayout"}));
}

TEST_F(PartitionTest, ExposedRegionsReturnEveryValueInRowMajorOrder) {
  TestBackend blocked("host", {}, /*isBlocked=*/true);
  owners_ = {{.target = {.kind = "host", .device = 0, .attributes = {}}, .backend = &blocked}};
  auto module = parse(R"(
    func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = tsr.exp %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
      return %1 : tensor<1x16x8x8xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: relayout", "host: conv", "host: relayout exp"}));
  PassManager manager(&context_);
  manager.addPass(createExposeRegionsPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(regions(*module), (Regions{"host: relayout", "host: relayout", "host: conv",
                                       "host: relayout", "host: relayout exp"}));
  func::FuncOp entry = entryFunction(*module);
  ASSERT_EQ(entry.getNumResults(), 4U);
  for (const Type type : entry.getResultTypes())
    EXPECT_TRUE(ir::isPlain(cast<RankedTensorType>(type)));
}

TEST_F(PartitionTest, ExposingLeavesAFunctionWithoutRegionsAlone) {
  auto module = parse(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      return %x : tensor<2x3xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  PassManager manager(&context_);
  manager.addPass(createExposeRegionsPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(entryFunction(*module).getNumResults(), 1U);
}

TEST_F(PartitionTest, StaticViewsStayInTheHostProgram) {
  auto module = parse(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
      %shape = tsr.constant dense<6> : tensor<1xi64> -> tensor<1xi64>
      %0 = tsr.reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    })");
  ASSERT_TRUE(succeeded(run(*module)));
  EXPECT_EQ(regions(*module), Regions{});
}

TEST_F(PartitionTest, NamesEveryRefusal) {
  owners_ = {{.target = {.kind = "fast", .device = 0, .attributes = {}}, .backend = &fast_}};
  auto module = parse(R"(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.exp %x : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
  std::string message;
  ScopedDiagnosticHandler handler(&context_,
                                  [&](Diagnostic& diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(run(*module)));
  EXPECT_NE(message.find("no target takes tsr.exp (fast: it takes no exp)"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace tessera::partition
