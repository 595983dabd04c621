#include "compiler/backend_api/region_nodes.h"

#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"

namespace tessera::backend_api {

using namespace mlir;

uint32_t RegionNodes::indexOf(Operation* op) {
  if (isa<ir::ConstantOp>(op)) return UINT32_MAX;
  uint32_t first = UINT32_MAX;
  for (std::string& name : ir::sourceNames(op->getLoc())) {
    auto* const known = llvm::find(names_, name);
    if (first == UINT32_MAX) first = static_cast<uint32_t>(known - names_.begin());
    if (known == names_.end()) names_.push_back(std::move(name));
  }
  return first;
}

SmallVector<uint32_t> nodeNumbers(func::FuncOp region) {
  RegionNodes nodes;
  SmallVector<uint32_t> numbers;
  for (Operation& op : region.getBody().front().without_terminator())
    numbers.push_back(nodes.indexOf(&op));
  return numbers;
}

}  // namespace tessera::backend_api
