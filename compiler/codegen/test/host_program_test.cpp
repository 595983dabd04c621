// The host program and its memory plan.
#include <gtest/gtest.h>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/codegen/passes.h"
#include "mlir/Parser/Parser.h"

namespace tessera::codegen {
namespace {

using namespace mlir;

class HostProgramTest : public testing::Test {
 protected:
  HostProgramTest() { context_.loadDialect<ir::TsrDialect, func::FuncDialect>(); }

  /// Over an owner of every region; `overwrites` says whether results may take an operand's memory.
  void link(const std::string& text, bool overwrites) {
    registry_ = std::make_unique<backend_api::BackendRegistry>();
    const auto backend = registry_->add(std::make_unique<backend_api::MockBackend>(
        backend_api::Mock{.name = "test",
                          .memorySpaces = {"far:1", "far:2"},
                          .reusesOperands = overwrites,
                          .isHost = true}));
    ASSERT_TRUE(backend) << backend.error().message;
    registry_->setDefaultOwners({{.target = {.kind = "test"}, .backend = *backend}});
    backend_api::attachRegistry(context_, *registry_);
    module_ = parseSourceString<ModuleOp>(text, &context_);
    ASSERT_TRUE(module_);
    PassManager manager(&context_);
    manager.addPass(createBuildHostProgramPass());
    manager.addPass(createPlanMemoryPass());
    ASSERT_TRUE(succeeded(manager.run(*module_)));
  }

  func::FuncOp main() { return module_->lookupSymbol<func::FuncOp>("main"); }
  int64_t number(StringRef name) { return main()->getAttrOfType<IntegerAttr>(name).getInt(); }
  SmallVector<ir::AllocOp> allocs() { return llvm::to_vector(main().getOps<ir::AllocOp>()); }

  std::unique_ptr<backend_api::BackendRegistry> registry_;
  MLIRContext context_;
  OwningOpRef<ModuleOp> module_;
};

// Four regions in a row, 1024 bytes each; the last result is the model's.
constexpr const char* kChain = R"(
  func.func private @r(%x: tensor<256xf32>) -> tensor<256xf32> attributes {tessera.target = #tsr.target<"test">} {
    %0 = tsr.exp %x : (tensor<256xf32>) -> tensor<256xf32>
    return %0 : tensor<256xf32>
  }
  func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
    %0 = call @r(%x) : (tensor<256xf32>) -> tensor<256xf32>
    %1 = call @r(%0) : (tensor<256xf32>) -> tensor<256xf32>
    %2 = call @r(%1) : (tensor<256xf32>) -> tensor<256xf32>
    %3 = call @r(%2) : (tensor<256xf32>) -> tensor<256xf32>
    return %3 : tensor<256xf32>
  })";

TEST_F(HostProgramTest, AChainNeedsTwoBuffers) {
  link(kChain, /*overwrites=*/false);
  EXPECT_EQ(number(kArenaBytes), 2048);
  EXPECT_EQ(number(kLowerBoundBytes), 2048);
  EXPECT_EQ(llvm::range_size(main().getOps<ir::CallOp>()), 4);
}

TEST_F(HostProgramTest, InPlaceAChainNeedsOne) {
  link(kChain, /*overwrites=*/true);
  EXPECT_EQ(number(kArenaBytes), 1024);
}

// One that fails may have written its result already; the next one needs the operand as it was.
TEST_F(HostProgramTest, NothingIsOverwrittenWhereAnotherImplementationCouldFollow) {
  std::string text = kChain;
  const std::string owner = "tessera.target = #tsr.target<\"test\">";
  text.insert(text.find(owner), R"(tessera.implementations = [
      #tsr.implementation<code = @c, entry = "a">, #tsr.implementation<code = @c, entry = "b">], )");
  link(text, /*overwrites=*/true);
  EXPECT_EQ(number(kArenaBytes), 2048);
}

// Scratch memory is as large as the greediest implementation asks and lives as long as the call, so
// that of the second call takes the place of the first one's.
TEST_F(HostProgramTest, ScratchOfCallsIsInThePlan) {
  link(R"(
    func.func private @greedy(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tessera.target = #tsr.target<"test">,
        tessera.implementations = [#tsr.implementation<code = @c, entry = "a", workspaceBytes = 4000>,
                                   #tsr.implementation<code = @c, entry = "b", workspaceBytes = 8192>]} {
      return %x : tensor<64xf32>
    }
    func.func private @modest(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tessera.target = #tsr.target<"test">,
        tessera.implementations = [#tsr.implementation<code = @c, entry = "a">]} {
      return %x : tensor<64xf32>
    }
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %a = call @greedy(%x) : (tensor<64xf32>) -> tensor<64xf32>
      %b = call @greedy(%a) : (tensor<64xf32>) -> tensor<64xf32>
      %c = call @modest(%b) : (tensor<64xf32>) -> tensor<64xf32>
      return %c : tensor<64xf32>
    })",
       /*overwrites=*/false);
  SmallVector<ir::CallOp> calls = llvm::to_vector(main().getOps<ir::CallOp>());
  ASSERT_TRUE(calls[0].getWorkspace());
  EXPECT_EQ(calls[0].getWorkspace().getDefiningOp<ir::AllocOp>().getSize(), 8192);
  ASSERT_TRUE(calls[1].getWorkspace());
  EXPECT_FALSE(calls[2].getWorkspace());
  EXPECT_EQ(number(kArenaBytes), 8192 + 2 * 256);
}

TEST_F(HostProgramTest, TheModelsOutputIsTheCallersMemory) {
  link(kChain, /*overwrites=*/false);
  EXPECT_EQ(allocs().back().getOutput(), 0);
  EXPECT_FALSE(allocs().back().getOffset());
  EXPECT_FALSE(allocs().front().getOutput());
}

TEST_F(HostProgramTest, ValuesThatLiveTogetherDoNotOverlap) {
  link(R"(
    func.func private @one(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tessera.target = #tsr.target<"test">} {
      return %x : tensor<64xf32>
    }
    func.func private @two(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> attributes {tessera.target = #tsr.target<"test">} {
      return %a : tensor<64xf32>
    }
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %a = call @one(%x) : (tensor<64xf32>) -> tensor<64xf32>
      %b = call @one(%a) : (tensor<64xf32>) -> tensor<64xf32>
      %c = call @two(%a, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %d = call @two(%c, %c) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      return %d : tensor<64xf32>
    })",
       /*overwrites=*/true);
  auto all = allocs();
  EXPECT_NE(all[0].getOffset(), all[1].getOffset());  // a is still read by the third call.
  EXPECT_EQ(number(kLowerBoundBytes), 512);
}

TEST_F(HostProgramTest, AViewKeepsItsSourceAlive) {
  link(R"(
    func.func private @r(%x: tensor<256xf32>) -> tensor<256xf32> attributes {tessera.target = #tsr.target<"test">} {
      return %x : tensor<256xf32>
    }
    func.func private @s(%x: tensor<16x16xf32>, %y: tensor<256xf32>) -> tensor<256xf32> attributes {tessera.target = #tsr.target<"test">} {
      return %y : tensor<256xf32>
    }
    func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
      %shape = tsr.constant dense<16> : tensor<2xi64> -> tensor<2xi64>
      %0 = call @r(%x) : (tensor<256xf32>) -> tensor<256xf32>
      %1 = tsr.reshape %0, %shape : (tensor<256xf32>, tensor<2xi64>) -> tensor<16x16xf32>
      %2 = call @r(%x) : (tensor<256xf32>) -> tensor<256xf32>
      %3 = call @s(%1, %2) : (tensor<16x16xf32>, tensor<256xf32>) -> tensor<256xf32>
      return %3 : tensor<256xf32>
    })",
       /*overwrites=*/false);
  EXPECT_EQ(llvm::range_size(main().getOps<ir::ViewOp>()), 1);
  EXPECT_EQ(number(kArenaBytes), 2048);
}

TEST_F(HostProgramTest, Z2_AReturnedInputIsCopied) {
  link(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    })",
       /*overwrites=*/false);
  EXPECT_EQ(llvm::range_size(main().getOps<ir::CopyBufferOp>()), 1);
  EXPECT_EQ(allocs().size(), 1U);
}

TEST_F(HostProgramTest, EachMemorySpaceHasAnArenaOfItsOwn) {
  link(R"(
    !far = tensor<64xf32, #tsr.layout<space = "far:1">>
    func.func private @up(%x: tensor<64xf32>) -> !far attributes {tessera.target = #tsr.target<"test">} {
      %0 = tsr.copy %x : (tensor<64xf32>) -> !far
      return %0 : !far
    }
    func.func private @down(%x: !far) -> tensor<64xf32> attributes {tessera.target = #tsr.target<"test">} {
      %0 = tsr.copy %x : (!far) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    func.func private @r(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tessera.target = #tsr.target<"test">} {
      %0 = tsr.exp %x : (tensor<64xf32>) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = call @r(%x) : (tensor<64xf32>) -> tensor<64xf32>
      %1 = call @up(%0) : (tensor<64xf32>) -> !far
      %2 = call @down(%1) : (!far) -> tensor<64xf32>
      %3 = call @r(%2) : (tensor<64xf32>) -> tensor<64xf32>
      return %3 : tensor<64xf32>
    })",
       /*overwrites=*/true);
  EXPECT_EQ(number(kArenaBytes), 256);  // Both values on the host, one after the other.
  const auto far =
      main()->getAttrOfType<DictionaryAttr>(kOtherSpaces).getAs<DictionaryAttr>("far:1");
  ASSERT_TRUE(far);
  EXPECT_EQ(far.getAs<IntegerAttr>(kArenaBytes).getInt(), 256);
}

TEST_F(HostProgramTest, AMemorySpaceNamesWhoHasIt) {
  link(R"(
    func.func @main(%x: tensor<4xf32, #tsr.layout<space = "far:2">>, %y: tensor<4xf32, #tsr.layout<space = "moon">>)
        -> tensor<4xf32, #tsr.layout<space = "far:2">> {
      return %x : tensor<4xf32, #tsr.layout<space = "far:2">>
    })",
       /*overwrites=*/false);
  const auto bundle = makeBundle(*module_);
  ASSERT_TRUE(bundle) << bundle.error().message;
  ASSERT_EQ(bundle->memorySpaces.size(), 3U);  // That of a port, which nothing computes.
  EXPECT_EQ(bundle->memorySpaces[1].name, "far:2");
  EXPECT_EQ(bundle->memorySpaces[1].targets, std::vector<std::string>{"test"});
  EXPECT_EQ(bundle->memorySpaces[2].targets, std::vector<std::string>{});
}

TEST_F(HostProgramTest, ABufferKeepsTheOrderOfItsLayout) {
  module_ = parseSourceString<ModuleOp>(R"(
    !packed = !tsr.buffer<tensor<40x50xf32, #tsr.layout<dims = ["k", "n"], order = [1, 0], blockDims = [1], blockSizes = [16]>>>
    func.func @main(%x: !packed) -> !packed {
      return %x : !packed
    })",
                                        &context_);
  ASSERT_TRUE(module_);
  const auto bundle = makeBundle(*module_);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->buffers[0].layout,
            "#tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [16]>");
}

}  // namespace
}  // namespace tessera::codegen
