#include "compiler/backend_api/region_nodes.h"

#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_api {

using namespace mlir;

std::vector<std::string> operatorNames(func::FuncOp region) {
  std::vector<std::string> names;
  if (region.isExternal()) return names;
  for (Operation& op : region.getBody().front().without_terminator()) {
    if (isa<ir::ConstantOp, UnrealizedConversionCastOp>(op)) continue;
    auto composite = dyn_cast<ir::CompositeOp>(op);
    names.push_back((composite ? composite.getName() : op.getName().stripDialect()).str());
  }
  return names;
}

SmallVector<uint32_t> nodeNumbers(func::FuncOp region) {
  llvm::StringMap<uint32_t> known;
  SmallVector<uint32_t> numbers;
  for (Operation& op : region.getBody().front().without_terminator()) {
    numbers.push_back(TESSERA_NO_NODE);
    if (isa<ir::ConstantOp>(op)) continue;
    for (const std::string& name : ir::sourceNames(op.getLoc())) {
      const uint32_t number = known.try_emplace(name, known.size()).first->second;
      if (numbers.back() == TESSERA_NO_NODE) numbers.back() = number;
    }
  }
  return numbers;
}

}  // namespace tessera::backend_api
