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

/// Replaces a composite by the operators of its body. Owners that were withdrawn from it do not get
/// its parts.
static void expand(ir::CompositeOp composite, SmallVectorImpl<Operation*>& added) {
  OpBuilder builder(composite);
  IRMapping mapping;
  Block& body = composite.getBody().front();
  mapping.map(body.getArguments(), composite.getInputs());
  for (Operation& op : body.without_terminator()) {
    Operation* part = builder.clone(op, mapping);
    copyWithdrawals(composite, part);
    if (isa<ir::CompositeOp>(part)) added.push_back(part);
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
    SmallVector<Block*> blocks = functionBlocks(getOperation());
    for (size_t i = 0; i < blocks.size(); ++i) visit(*blocks[i], *owners, blocks);
  }

  /// Bodies of control flow that nobody takes are appended to `blocks`.
  static void visit(Block& block, const OwnerIndex& owners, SmallVectorImpl<Block*>& blocks) {
    SmallVector<Operation*> asked;
    for (Operation& op : block) {
      if (!backend_api::ownerOf(&op) && (isa<ir::CompositeOp>(op) || isControlFlow(&op)))
        asked.push_back(&op);
    }
    while (!asked.empty()) {
      SmallVector<Operation*> added;
      for (auto [op, answers] : llvm::zip_equal(asked, askOwners(asked, owners))) {
        if (firstTaker(answers, owners)) continue;
        if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
          expand(composite, added);
          continue;
        }
        for (Region& region : op->getRegions()) {
          for (Block& body : region) blocks.push_back(&body);
        }
      }
      asked = std::move(added);
    }
  }
};

}  // namespace

}  // namespace tessera::partition
