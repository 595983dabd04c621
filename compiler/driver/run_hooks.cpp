// What targets add to the pipeline, and what they get to see. A target's own functions are moved
// into a module inside of the module, so that whatever its passes do, they do to nothing else.
#include "compiler/backend_api/registry.h"
#include "compiler/driver/passes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::driver {

using namespace mlir;
using target::HookPoint;
using target::Phase;

#define GEN_PASS_DEF_RUNHOOKSPASS
#include "compiler/driver/passes.h.inc"

OpPassManager hookPipeline(const backend_api::Owner& owner, Phase phase, HookPoint point) {
  OpPassManager manager(ModuleOp::getOperationName());
  owner.backend->addPasses(phase, point, manager, owner.target);
  return manager;
}

static bool hasOwners(Phase phase, HookPoint point) {
  return phase > Phase::kPartition || (phase == Phase::kPartition && point == HookPoint::kAfter);
}

namespace {

struct RunHooks : impl::RunHooksPassBase<RunHooks> {
  using Base = impl::RunHooksPassBase<RunHooks>;
  using Base::Base;

  /// The targets are known only when the module is: what any backend could need is loaded now.
  LogicalResult initialize(MLIRContext* context) override {
    backend_api::loadDialects(*context);
    return success();
  }

  void runOnOperation() override {
    const auto at = target::parsePhase(phase.getValue());
    if (!at || (point != "before" && point != "after")) {
      getOperation().emitError("found phase '" + phase + "' and point '" + point +
                               "', expected the name of a phase and before or after");
      return signalPassFailure();
    }
    const auto owners = backend_api::ownersOrEmitError(getOperation());
    if (failed(owners)) return signalPassFailure();
    const HookPoint when = point == "before" ? HookPoint::kBefore : HookPoint::kAfter;
    for (const backend_api::Owner& owner : *owners) {
      const std::string name = owner.target.toString();
      if (when == HookPoint::kAfter && hadItsTurn(name)) continue;
      OpPassManager pipeline = hookPipeline(owner, *at, when);
      const bool isOwn = hasOwners(*at, when);
      if (!pipeline.empty() &&
          failed(isOwn ? runOnOwn(owner, pipeline) : runOnAll(owner, pipeline)))
        return signalPassFailure();
      if (last.empty()) continue;
      noteTurn(name);
      if (last == name) return;
    }
  }

 private:
  ArrayAttr turns() {
    const auto hooked = getOperation()->getAttrOfType<DictionaryAttr>(kHookedAttribute);
    const auto at = hooked ? hooked.getAs<StringAttr>("phase") : StringAttr();
    return at && at.getValue() == phase ? hooked.getAs<ArrayAttr>("targets") : ArrayAttr();
  }
  bool hadItsTurn(StringRef target) {
    const ArrayAttr names = turns();
    return names && llvm::is_contained(names.getAsValueRange<StringAttr>(), target);
  }
  void noteTurn(StringRef target) {
    Builder builder(&getContext());
    SmallVector<Attribute> names;
    if (const ArrayAttr earlier = turns()) names.assign(earlier.begin(), earlier.end());
    names.push_back(builder.getStringAttr(target));
    getOperation()->setAttr(
        kHookedAttribute,
        builder.getDictionaryAttr({builder.getNamedAttr("phase", builder.getStringAttr(phase)),
                                   builder.getNamedAttr("targets", builder.getArrayAttr(names))}));
  }

  LogicalResult runMarked(const backend_api::Owner& owner, OpPassManager& pipeline,
                          ModuleOp module) {
    module->setAttr(kHookAttribute, StringAttr::get(&getContext(), owner.target.toString()));
    const LogicalResult result = runPipeline(pipeline, module);
    module->removeAttr(kHookAttribute);
    return result;
  }

  LogicalResult runOnAll(const backend_api::Owner& owner, OpPassManager& pipeline) {
    if (failed(runMarked(owner, pipeline, getOperation()))) return failure();
    const WalkResult foreign = getOperation().walk([&](Operation* op) {
      const StringRef dialect = op->getName().getDialectNamespace();
      if (dialect == "tsr" || dialect == "func" || dialect == "builtin")
        return WalkResult::advance();
      op->emitError() << "target '" << owner.target.toString() << "' left operation "
                      << op->getName() << " behind in phase '" << phase
                      << "', expected operators that every target knows";
      return WalkResult::interrupt();
    });
    return failure(foreign.wasInterrupted());
  }

  LogicalResult runOnOwn(const backend_api::Owner& owner, OpPassManager& pipeline) {
    ModuleOp whole = getOperation();
    const ir::TargetAttr target = backend_api::toAttribute(&getContext(), owner.target);
    SmallVector<Operation*> owned;
    for (Operation& op : *whole.getBody()) {
      if (backend_api::belongsTo(op, target)) owned.push_back(&op);
    }
    if (owned.empty()) return success();
    auto own = OpBuilder(owned.front()).create<ModuleOp>(whole.getLoc());
    own->setAttrs(whole->getAttrDictionary());
    own->removeAttr(SymbolTable::getSymbolAttrName());
    for (Operation* op : owned) op->moveBefore(own.getBody(), own.getBody()->end());
    const LogicalResult result = runMarked(owner, pipeline, own);
    if (succeeded(result)) renameClashes(own, whole);
    whole.getBody()->getOperations().splice(own->getIterator(), own.getBody()->getOperations());
    own.erase();
    return result;
  }

  /// What the target's passes added gives way to what others call the same.
  static void renameClashes(ModuleOp own, ModuleOp whole) {
    SymbolTable inner(own), outer(whole);
    for (Operation& op : *own.getBody()) {
      const auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      if (name && outer.lookup(name)) (void)inner.renameToUnique(&op, {&outer});
    }
  }
};

}  // namespace

StringRef runHooksName() { return RunHooks::getArgumentName(); }

std::unique_ptr<Pass> createRunHooksPass(Phase phase, HookPoint point, const std::string& last) {
  RunHooksPassOptions options;
  options.last = last;
  options.phase = std::string(target::phaseName(phase));
  options.point = point == HookPoint::kBefore ? "before" : "after";
  return createRunHooksPass(options);
}

}  // namespace tessera::driver
