// Which result of the entry function belongs to which region.
#include "compiler/driver/region_outputs.h"

#include <gtest/gtest.h>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::driver {
namespace {

using namespace mlir;

TEST(RegionOutputsTest, ValuesThatNobodyBringsToTheHostAreLeftOut) {
  backend_api::BackendRegistry registry;
  for (const char* name : {"far", "host"}) {
    ASSERT_TRUE(registry.add(std::make_unique<backend_api::MockBackend>(
        backend_api::Mock{.name = name,
                          .supports = [](Operation*) { return backend_api::Declined{"no copies"}; },
                          .isHost = std::string_view(name) == "host"})));
  }
  MLIRContext context;
  context.loadDialect<ir::TsrDialect, func::FuncDialect>();
  backend_api::attachRegistry(context, registry);
  auto module = parseSourceString<ModuleOp>(R"(
    !far = tensor<4xf32, #tsr.layout<space = "far:0">>
    module attributes {tessera.targets = [#tsr.target<"far">, #tsr.target<"host">]} {
      func.func private @enter(%x: tensor<4xf32>) -> !far attributes {tessera.target = #tsr.target<"far">} {
        %0 = tsr.copy %x : (tensor<4xf32>) -> !far
        %1 = tsr.relu %0 : (!far) -> !far
        return %1 : !far
      }
      func.func private @leave(%x: !far) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"far">} {
        %0 = tsr.copy %x : (!far) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"host">} {
        %0 = tsr.neg %x : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func private @unowned(%x: tensor<4xf32>) -> tensor<4xf32> {
        return %x : tensor<4xf32>
      }
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = call @enter(%x) : (tensor<4xf32>) -> !far loc("first")
        %1 = call @leave(%0) : (!far) -> tensor<4xf32> loc("second")
        %2 = call @unowned(%1) : (tensor<4xf32>) -> tensor<4xf32> loc("third")
        %3 = call @negate(%2) : (tensor<4xf32>) -> tensor<4xf32> loc("fourth")
        %4 = call @negate(%3) : (tensor<4xf32>) -> tensor<4xf32> loc("fifth")
        return %4 : tensor<4xf32>
      }
    })",
                                            &context);
  ASSERT_TRUE(module);
  PassManager manager(&context);
  manager.addPass(partition::createExposeRegionsPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(ir::entryFunction(*module).getNumResults(), 4U);
  std::vector<std::string> texts;
  for (const RegionOutput& output : regionOutputs(*module))
    texts.push_back(std::to_string(output.output) + " " + output.owner + " " + output.ops.front() +
                    " " + output.sourceNodes.front());
  EXPECT_EQ(texts, (std::vector<std::string>{"1 far copy second", "2 host neg fourth",
                                             "3 host neg fifth"}));
}

}  // namespace
}  // namespace tessera::driver
