// From IR to the answer on devices: a module whose regions belong to two devices, with copies that
// no owner takes, through phase link, the artifact and the runtime.
#include <gtest/gtest.h>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/codegen/passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/test/device_fixture.h"

namespace tessera {
namespace {

using namespace mlir;

class DeviceModuleTest : public runtime::test::DeviceTest {
 protected:
  DeviceModuleTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    backend_api::Mock mock;
    mock.name = "fakedevice";
    const auto backend = registry_.add(std::make_unique<backend_api::MockBackend>(mock));
    registry_.setDefaultOwners({{.target = {.kind = "fakedevice"}, .backend = *backend}});
    backend_api::attachRegistry(context_, registry_);
    hash_ = context_.getLoadedDialect<ir::TsrDialect>()->constants().add({std::byte{1}});
  }

  /// The module after phase link; null where that fails.
  OwningOpRef<ModuleOp> linked(const std::string& text) {
    auto module = parseSourceString<ModuleOp>(text, &context_);
    PassManager manager(&context_);
    manager.addPass(codegen::createBuildHostProgramPass());
    manager.addPass(codegen::createPlanMemoryPass());
    return module && succeeded(manager.run(*module)) ? std::move(module) : nullptr;
  }

  /// y = x + x + 3: up to device 0, doubled there, over to device 1, 3 added there, down again.
  std::string twoDevices() const {
    return R"(
    !host = tensor<16xf32>
    !near = tensor<16xf32, #tsr.layout<space = "fakedevice:0">>
    !far = tensor<16xf32, #tsr.layout<space = "fakedevice:1">>
    func.func @main(%x: !host {tessera.name = "x"}) -> (!host {tessera.name = "y"}) {
      %up = tsr.copy %x : (!host) -> !near
      %double = call @double(%up, %up) : (!near, !near) -> !near
      %over = tsr.copy %double : (!near) -> !far
      %sum = call @plus_three(%over) : (!far) -> !far
      %y = tsr.copy %sum : (!far) -> !host
      return %y : !host
    }
    func.func private @double(!near, !near) -> !near attributes {tessera.target = #tsr.target<"fakedevice">,
      tessera.implementations = [#tsr.implementation<code = @near_code, entry = "add">]}
    func.func private @plus_three(!far) -> !far attributes {tessera.target = #tsr.target<"fakedevice" : 1, {bias = "3"}>,
      tessera.implementations = [#tsr.implementation<code = @far_code, entry = "add">]}
    tsr.code @near_code for <"fakedevice"> abi 1 = <")" +
           hash_ + R"(">
    tsr.code @far_code for <"fakedevice" : 1, {bias = "3"}> abi 1 = <")" +
           hash_ + "\">";
  }

  backend_api::BackendRegistry registry_;  // Outlives the context.
  MLIRContext context_;
  std::string hash_;
};

TEST_F(DeviceModuleTest, CopiesBetweenSpacesAreTheHostPrograms) {
  const OwningOpRef<ModuleOp> module = linked(twoDevices());
  ASSERT_TRUE(module);
  const Result<artifact::Bundle> bundle = codegen::makeBundle(*module);
  ASSERT_TRUE(bundle) << bundle.error().toString();
  ASSERT_EQ(bundle->memorySpaces.size(), 3u);
  EXPECT_EQ(bundle->memorySpaces[1].arenaBytes, 128u);
  EXPECT_EQ(bundle->memorySpaces[2].arenaBytes, 128u);
  const Executable executable = mustLoad(*bundle);
  Context context = runtime::test::mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  const Status status = context.run();
  ASSERT_TRUE(status) << status.error().message;
  expectOutput(context, "y", 2, 3);
  EXPECT_EQ(fakedevice::log().copiesIn, 1);
  EXPECT_EQ(fakedevice::log().peerCopies, 1);
  EXPECT_EQ(fakedevice::log().copiesOut, 1);
}

// Each instruction waits for the event of the one before.
TEST_F(DeviceModuleTest, EventsOfTheHostProgramAreThoseOfTheArtifact) {
  OwningOpRef<ModuleOp> module = linked(twoDevices());
  ASSERT_TRUE(module);
  int32_t number = 0;
  OpBuilder builder(&context_);
  module->walk([&](Operation* op) {
    if (!isa<ir::CallOp, ir::CopyBufferOp>(op)) return;
    if (number > 0) op->setAttr("waits", builder.getDenseI32ArrayAttr({number - 1}));
    op->setAttr("signal", builder.getI32IntegerAttr(number++));
  });
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  EXPECT_NE(text.find("after [3] signals 4"), std::string::npos) << text;
  auto again = parseSourceString<ModuleOp>(text, &context_);
  ASSERT_TRUE(again) << text;
  const Result<artifact::Bundle> bundle = codegen::makeBundle(*again);
  ASSERT_TRUE(bundle) << bundle.error().toString();
  EXPECT_EQ(bundle->numEvents, 5U);
  const auto& call = std::get<artifact::CallInstruction>(bundle->program[1]);
  EXPECT_EQ(call.waits, std::vector<uint32_t>{0});
  EXPECT_EQ(call.signal, 1U);
  const Executable executable = mustLoad(*bundle);
  Context context = runtime::test::mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  for (int round = 0; round < 20; ++round) {
    const Status status = context.run();
    ASSERT_TRUE(status) << status.error().message;
    expectOutput(context, "y", 2, 3);
  }
  EXPECT_GT(fakedevice::log().eventsCreated, 0);

  (*again->getOps<func::FuncOp>().begin()).walk([&](ir::CallOp call) { call.setSignal(-1); });
  const Result<artifact::Bundle> negative = codegen::makeBundle(*again);
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().message, "found event -1, expected a number from 0");
}

}  // namespace
}  // namespace tessera
