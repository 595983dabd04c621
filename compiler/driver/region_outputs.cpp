#include "compiler/driver/region_outputs.h"

#include "compiler/backend_api/backend.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"

namespace tessera::driver {

std::vector<RegionOutput> regionOutputs(mlir::ModuleOp module) {
  std::vector<RegionOutput> outputs;
  mlir::func::FuncOp entry = ir::entryFunction(module);
  if (!entry) return outputs;
  mlir::Operation* terminator = entry.getBody().front().getTerminator();
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    const auto name =
        entry.getResultAttrOfType<mlir::FlatSymbolRefAttr>(i, partition::kExposedAttribute);
    auto region =
        name ? module.lookupSymbol<mlir::func::FuncOp>(name.getValue()) : mlir::func::FuncOp();
    const ir::TargetAttr owner = region ? backend_api::ownerOf(region) : ir::TargetAttr();
    if (!owner) continue;
    // Calls of one function come from different nodes; conversions keep the place of their value.
    const auto nodes = ir::sourceNames(terminator->getOperand(i).getLoc());
    outputs.push_back({.output = i,
                       .owner = backend_api::fromAttribute(owner).toString(),
                       .ops = backend_api::operatorNames(region),
                       .sourceNodes = {nodes.begin(), nodes.end()}});
  }
  return outputs;
}

}  // namespace tessera::driver
