// The way back from regions to operators.
#include "compiler/backend_api/backend.h"
#include "compiler/ir/composites.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/outline.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::partition {

#define GEN_PASS_DEF_INLINEREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

/// Copies the body in front of `op`, whose operands and results are the body's, and erases `op`.
static SmallVector<Operation*> replaceByBody(Operation* op, Block& body) {
  OpBuilder builder(op);
  IRMapping mapping;
  mapping.map(body.getArguments(), op->getOperands());
  SmallVector<Operation*> copies;
  for (Operation& inner : body.without_terminator())
    copies.push_back(builder.clone(inner, mapping));
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  op->erase();
  return copies;
}

namespace {

struct InlineRegions : impl::InlineRegionsPassBase<InlineRegions> {
  using Base = impl::InlineRegionsPassBase<InlineRegions>;
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto region = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!region || region.isExternal() || !isWanted(backend_api::ownerOf(region))) continue;
      const std::string prefix = backend_api::ownerOf(region).getKind().str() + ".";
      for (Operation* op : replaceByBody(call, region.getBody().front())) {
        auto composite = dyn_cast<ir::CompositeOp>(op);
        if (composite && composite.getName().starts_with(prefix))
          replaceByBody(composite, composite.getBody().front());
      }
    }
    for (auto region : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (isWanted(backend_api::ownerOf(region)) && !region.isExternal() &&
          SymbolTable::symbolKnownUseEmpty(region, getOperation()))
        symbols.erase(region);
    }
  }

 private:
  bool isWanted(ir::TargetAttr owner) const {
    if (!owner) return false;
    const target::Target target = backend_api::fromAttribute(owner);
    return targets.empty() || llvm::is_contained(targets, target.toString()) ||
           llvm::is_contained(targets, target.kind);
  }
};

}  // namespace

}  // namespace tessera::partition
