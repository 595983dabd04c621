// Composites that nobody takes as such.
#include "compiler/partition/answers.h"
#include "compiler/partition/exclusions.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"
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

/// Whether an owner that is preferred to `taker`, which takes the whole, takes every operator of
/// the body.
static bool isBetterInParts(ir::CompositeOp composite, const backend_api::Owner& taker,
                            const OwnerIndex& owners) {
  SmallVector<Operation*> parts;
  for (Operation& op : composite.getBody().front().without_terminator()) {
    if (!isa<ir::ConstantOp>(op)) parts.push_back(&op);
  }
  const auto takesAll = [&](size_t i) {
    return !whyWithdrawn(composite, owners.attribute(owners[i])) &&
           llvm::all_of(askOwner(parts, owners[i], owners), backend_api::isSupported);
  };
  const backend_api::Owner* preferred = owners.find(preferenceOf(composite));
  if (preferred == &taker) return false;
  if (preferred && takesAll(owners.indexOf(*preferred))) return true;
  return llvm::any_of(llvm::seq<size_t>(0, owners.indexOf(taker)), takesAll);
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
        const backend_api::Owner* taker = preferredTaker(op, answers, owners);
        const bool isTaken = taker && !(composite && isBetterInParts(composite, *taker, owners));
        if (composite && !isTaken) expand(composite, added);
        if (!composite && isTaken) taken.insert(op);
      }
      asked = std::move(added);
    }
  }
};

}  // namespace

}  // namespace tessera::partition
