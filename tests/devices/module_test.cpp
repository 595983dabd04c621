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
    mock.name = "testdevice";
    const auto backend = registry_.add(std::make_unique<backend_api::MockBackend>(mock));
    registry_.setDefaultOwners({{.target = {.kind = "testdevice"}, .backend = *backend}});
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

  backend_api::BackendRegistry registry_;  // Outlives the context.
  MLIRContext context_;
  std::string hash_;
};

// y = x + x + 3: up to device 0, doubled there, over to device 1, 3 added there, down again.
TEST_F(DeviceModuleTest, CopiesBetweenSpacesAreTheHostPrograms) {
  const std::string text = R"(
    !host = tensor<16xf32>
    !near = tensor<16xf32, #tsr.layout<space = "testdevice:0">>
    !far = tensor<16xf32, #tsr.layout<space = "testdevice:1">>
    func.func @main(%x: !host {tessera.name = "x"}) -> (!host {tessera.name = "y"}) {
      %up = tsr.copy %x : (!host) -> !near
      %double = call @double(%up, %up) : (!near, !near) -> !near
      %over = tsr.copy %double : (!near) -> !far
      %sum = call @plus_three(%over) : (!far) -> !far
      %y = tsr.copy %sum : (!far) -> !host
      return %y : !host
    }
    func.func private @double(!near, !near) -> !near attributes {tessera.target = #tsr.target<"testdevice">,
      tessera.implementations = [#tsr.implementation<code = @near_code, entry = "add">]}
    func.func private @plus_three(!far) -> !far attributes {tessera.target = #tsr.target<"testdevice" : 1, {bias = "3"}>,
      tessera.implementations = [#tsr.implementation<code = @far_code, entry = "add">]}
    tsr.code @near_code for <"testdevice"> = <")" +
                           hash_ + R"(">
    tsr.code @far_code for <"testdevice" : 1, {bias = "3"}> = <")" +
                           hash_ + "\">";
  const OwningOpRef<ModuleOp> module = linked(text);
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
  EXPECT_EQ(testdevice::log().copiesIn, 1);
  EXPECT_EQ(testdevice::log().peerCopies, 1);
  EXPECT_EQ(testdevice::log().copiesOut, 1);
}

}  // namespace
}  // namespace tessera
