// Composites that nobody takes as such.
#include "compiler/partition/exclusions.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/whole_composites.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::partition {

#define GEN_PASS_DEF_EXPANDCOMPOSITESPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

/// Whether owners decide about the whole before they see what is in it.
static bool isAsked(Operation* op) { return isa<ir::CompositeOp>(op) || isControlFlow(op); }

/// Replaces a composite by the operators of its body. Rules about the whole hold for its parts.
static void expand(ir::CompositeOp composite, SmallVectorImpl<Operation*>& added) {
  OpBuilder builder(composite);
  IRMapping mapping;
  Block& body = composite.getBody().front();
  mapping.map(body.getArguments(), composite.getInputs());
  for (Operation& op : body.without_terminator()) {
    Operation* part = builder.clone(op, mapping);
    copyRules(composite, part);
    if (isAsked(part)) added.push_back(part);
  }
  Operation* yield = body.getTerminator();
  for (auto [result, value] : llvm::zip_equal(composite.getResults(), yield->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  composite.erase();
}

namespace {

struct ExpandComposites : impl::ExpandCompositesPassBase<ExpandComposites> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    llvm::DenseSet<Operation*> taken;
    const auto visit = [&](Block& block) {
      expandIn(block, *owners, taken);
      return success();
    };
    (void)forEachHostBlock(getOperation(), visit,
                           [&](Operation* op) { return taken.contains(op); });
  }

  /// Control flow that somebody takes goes into `taken`.
  static void expandIn(Block& block, const OwnerIndex& owners, llvm::DenseSet<Operation*>& taken) {
    SmallVector<Operation*> asked;
    for (Operation& op : block) {
      if (!backend_api::ownerOf(&op) && isAsked(&op)) asked.push_back(&op);
    }
    while (!asked.empty()) {
      SmallVector<Operation*> added;
      for (auto [op, answers] : llvm::zip_equal(asked, askOwners(asked, owners))) {
        auto composite = dyn_cast<ir::CompositeOp>(op);
        if (composite && !staysWhole(composite, answers, owners)) expand(composite, added);
        if (!composite && preferredTaker(op, answers, owners)) taken.insert(op);
      }
      asked = std::move(added);
    }
  }
};

}  // namespace

}  // namespace tessera::partition
