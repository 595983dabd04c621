#include "backends/csource/compiler/flat_region.h"

#include "compiler/backend_api/region_nodes.h"
#include "compiler/ir/tsr.h"
#include "mlir/IR/IRMapping.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_csource {

using namespace mlir;

/// Clones `op`, of a composite what is in it; `onClone` sees each copy.
static void cloneFlat(OpBuilder& builder, Operation& op, IRMapping& mapping,
                      llvm::function_ref<void(Operation*)> onClone) {
  auto composite = dyn_cast<ir::CompositeOp>(op);
  if (!composite) {
    onClone(builder.clone(op, mapping));
    return;
  }
  Block& body = composite.getBody().front();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), composite.getInputs()))
    mapping.map(argument, mapping.lookup(input));
  for (Operation& inner : body.without_terminator()) cloneFlat(builder, inner, mapping, onClone);
  for (auto [result, value] :
       llvm::zip_equal(composite.getResults(), body.getTerminator()->getOperands()))
    mapping.map(result, mapping.lookup(value));
}

FlatRegion::FlatRegion(func::FuncOp region) {
  OpBuilder builder(region.getContext());
  function_ = func::FuncOp::create(region.getLoc(), region.getName(), region.getFunctionType());
  builder.setInsertionPointToStart(function_->addEntryBlock());
  IRMapping mapping;
  mapping.map(region.getArguments(), function_->getArguments());
  const SmallVector<uint32_t> numbers = backend_api::nodeNumbers(region);
  Block& source = region.getBody().front();
  for (auto [op, number] : llvm::zip_equal(source.without_terminator(), numbers)) {
    const uint32_t node = number;
    cloneFlat(builder, op, mapping, [&](Operation* copy) { numbers_[copy] = node; });
  }
  builder.clone(*source.getTerminator(), mapping);
}

uint32_t FlatRegion::nodeNumber(Operation* op) const {
  const auto it = numbers_.find(op);
  return it == numbers_.end() ? TESSERA_NO_NODE : it->second;
}

}  // namespace tessera::backend_csource
