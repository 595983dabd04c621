// Composites give way to their operators.
#include "compiler/ir/composites.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_DISSOLVECOMPOSITESPASS
#include "compiler/transforms/passes.h.inc"

static void dissolve(ir::CompositeOp composite) {
  OpBuilder builder(composite);
  IRMapping mapping;
  Block& body = composite.getBody().front();
  mapping.map(body.getArguments(), composite.getInputs());
  for (Operation& op : body.without_terminator()) builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(composite.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  composite.erase();
}

namespace {

struct DissolveComposites : impl::DissolveCompositesPassBase<DissolveComposites> {
  void runOnOperation() override {
    // From the outside in: composites inside of one appear when it is gone.
    for (bool isDone = false; !isDone;) {
      llvm::SmallVector<ir::CompositeOp> composites;
      getOperation().walk<WalkOrder::PreOrder>([&](ir::CompositeOp composite) {
        if (!ir::composite::isBackends(composite.getName())) composites.push_back(composite);
        return WalkResult::skip();
      });
      isDone = composites.empty();
      llvm::for_each(composites, dissolve);
    }
  }
};

}  // namespace

}  // namespace tessera::transforms
