#include "compiler/lowering/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_GENERALIZELINALGPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct GeneralizeLinalg : impl::GeneralizeLinalgPassBase<GeneralizeLinalg> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op)) named.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (const linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);  // Stays named when it has no generic form.
    }
  }
};

}  // namespace

}  // namespace tessera::lowering
