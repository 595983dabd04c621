// Regions whose owner has no code for them.
#include "compiler/driver/module_state.h"
#include "compiler/ir/types.h"

namespace tessera {

using namespace mlir;

static Error refusalError(func::FuncOp region) {
  Error error = targetFailed("target '" +
                             backend_api::fromAttribute(backend_api::ownerOf(region)).toString() +
                             "' has no code for region '" + region.getName().str() +
                             "': " + region->getAttrOfType<StringAttr>(codegen::kRefused).str());
  const auto nodes = ir::sourceNames(region.getLoc());
  if (!nodes.empty()) error.node = nodes.front();
  return error;
}

Status Module::State::checkRefusals() const {
  for (auto region : module.get().getOps<func::FuncOp>()) {
    if (region->hasAttr(codegen::kRefused)) return atFile(refusalError(region));
  }
  return {};
}

}  // namespace tessera
