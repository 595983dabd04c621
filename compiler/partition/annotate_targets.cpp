// Greedy choice of an owner for each operator.
#include "compiler/ir/host_views.h"
#include "compiler/partition/passes.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::partition {

using namespace mlir;

func::FuncOp entryFunction(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

namespace {

/// Replaces a composite by the operators of its body; they are appended to `added`.
void expandComposite(ir::CompositeOp composite, SmallVectorImpl<Operation*>& added) {
  OpBuilder builder(composite);
  IRMapping mapping;
  Block& body = composite.getBody().front();
  mapping.map(body.getArguments(), composite.getInputs());
  for (Operation& op : body.without_terminator()) added.push_back(builder.clone(op, mapping));
  Operation* yield = body.getTerminator();
  for (auto [result, value] : llvm::zip_equal(composite.getResults(), yield->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  composite.erase();
}

struct AnnotateTargets : PassWrapper<AnnotateTargets, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AnnotateTargets)

  explicit AnnotateTargets(backend_api::Owners owners) : owners(std::move(owners)) {}
  StringRef getArgument() const override { return "tessera-partition-annotate-targets"; }
  StringRef getDescription() const override {
    return "give every operator an owner, most preferred target first";
  }

  void runOnOperation() override {
    func::FuncOp entry = entryFunction(getOperation());
    if (!entry) return;
    SmallVector<Operation*> work;
    for (Operation& op : entry.getBody().front().without_terminator()) work.push_back(&op);
    for (size_t i = 0; i < work.size(); ++i) {
      if (failed(annotate(work[i], work))) return signalPassFailure();
    }
  }

  /// Operators that appear when a composite is expanded are appended to `work`.
  LogicalResult annotate(Operation* op, SmallVectorImpl<Operation*>& work) {
    if (backend_api::ownerOf(op) || isa<ir::ConstantOp, func::CallOp>(op) || ir::isRename(op))
      return success();
    std::string reasons;
    for (const backend_api::Owner& owner : owners) {
      const backend_api::Support support = owner.backend->supports(op, owner.target);
      if (backend_api::isSupported(support)) {
        op->setAttr(backend_api::kTargetAttribute,
                    backend_api::toAttribute(&getContext(), owner.target));
        return success();
      }
      reasons += (reasons.empty() ? "" : "; ") + owner.target.kind + ": " +
                 std::get<backend_api::Declined>(support).reason;
    }
    if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
      expandComposite(composite, work);
      return success();
    }
    return op->emitError() << "no target takes " << op->getName() << " (" << reasons << ")";
  }

  backend_api::Owners owners;
};

}  // namespace

std::unique_ptr<Pass> createAnnotateTargetsPass(backend_api::Owners owners) {
  return std::make_unique<AnnotateTargets>(std::move(owners));
}

}  // namespace tessera::partition
