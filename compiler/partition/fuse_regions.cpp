// Fusion groups become functions with an owner.
#include "compiler/ir/host_views.h"
#include "compiler/partition/fusion_groups.h"
#include "compiler/partition/passes.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::partition {

using namespace mlir;

namespace {

struct FuseRegions : PassWrapper<FuseRegions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseRegions)

  explicit FuseRegions(backend_api::Owners owners) : owners(std::move(owners)) {}
  StringRef getArgument() const override { return "tessera-partition-fuse-regions"; }
  StringRef getDescription() const override {
    return "make fused operators functions of their owner";
  }

  void runOnOperation() override {
    func::FuncOp entry = entryFunction(getOperation());
    if (!entry) return;
    Block& block = entry.getBody().front();
    SymbolTable symbols(getOperation());
    placed.clear();
    llvm::StringMap<int> count;
    for (const FusionGroup& group : computeFusionGroups(block, owners)) {
      if (group.size() == 1 && isHostView(group.front())) {
        group.front()->removeAttr(backend_api::kTargetAttribute);
        continue;
      }
      const ir::TargetAttr target = backend_api::ownerOf(group.front());
      const std::string name = (target.getKind() + "_" + Twine(count[target.getKind()]++)).str();
      outline(group, name, target, symbols);
    }
    for (Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isa<ir::ConstantOp>(op) && op.use_empty()) op.erase();
    }
  }

  /// Operators before `op` are in regions by now, or in the host program to stay. A value can be
  /// computed into one concatenation only.
  bool isHostView(Operation* op) {
    if (!ir::contiguousParts(op)) return false;
    if (!isa<ir::ConcatOp>(op)) return true;
    llvm::SmallDenseSet<Value> parts;
    for (const Value operand : op->getOperands()) {
      const Value part = ir::placeableValue(operand);
      if (!part || placed.contains(part) || !parts.insert(part).second) return false;
    }
    placed.insert(parts.begin(), parts.end());
    return true;
  }

  /// Values that the group reads: constants that its owner wants inside, and all others.
  struct Inputs {
    llvm::SetVector<Value> arguments;
    llvm::SetVector<Operation*> inlined;
  };

  Inputs collectInputs(const FusionGroup& group) {
    const llvm::DenseSet<Operation*> members(group.begin(), group.end());
    const backend_api::Owner* owner =
        backend_api::findOwner(owners, backend_api::ownerOf(group.front()));
    const auto isInline = owner->backend->regionRules(owner->target).isInlineConstant;
    Inputs inputs;
    for (Operation* op : group) {
      op->walk([&](Operation* inner) {
        for (OpOperand& operand : inner->getOpOperands()) {
          Operation* producer = operand.get().getDefiningOp();
          if (producer ? (members.contains(producer) || op->isProperAncestor(producer))
                       : op->isAncestor(operand.get().getParentBlock()->getParentOp()))
            continue;
          if (isa_and_nonnull<ir::ConstantOp>(producer) && isInline && isInline(operand))
            inputs.inlined.insert(producer);
          else
            inputs.arguments.insert(operand.get());
        }
      });
    }
    // A constant that one member wants inside and another outside is an argument for both.
    inputs.inlined.remove_if(
        [&](Operation* op) { return inputs.arguments.contains(op->getResult(0)); });
    return inputs;
  }

  void outline(const FusionGroup& group, const std::string& name, ir::TargetAttr target,
               SymbolTable& symbols) {
    const Inputs inputs = collectInputs(group);
    SmallVector<Location> locations;
    SmallVector<Value> results;
    const llvm::DenseSet<Operation*> members(group.begin(), group.end());
    for (Operation* op : group) {
      locations.push_back(op->getLoc());
      for (const Value result : op->getResults()) {
        if (llvm::any_of(result.getUsers(),
                         [&](Operation* user) { return !members.contains(user); }))
          results.push_back(result);
      }
    }
    if (results.empty())
      results.push_back(group.back()->getResult(0));  // Dead code that was not removed.
    const Location loc = FusedLoc::get(&getContext(), locations);
    OpBuilder builder(&getContext());
    const auto type = builder.getFunctionType(TypeRange(ValueRange(inputs.arguments.getArrayRef())),
                                              TypeRange(ValueRange(results)));
    auto function = func::FuncOp::create(loc, name, type);
    function.setPrivate();
    function->setAttr(backend_api::kTargetAttribute, target);
    symbols.insert(function);
    fillBody(function, group, inputs, results);

    builder.setInsertionPointAfter(group.back());
    auto call = builder.create<func::CallOp>(loc, function, inputs.arguments.getArrayRef());
    for (auto [old, replacement] : llvm::zip_equal(results, call.getResults()))
      old.replaceAllUsesWith(replacement);
    for (Operation* op : llvm::reverse(group)) op->erase();
  }

  static void fillBody(func::FuncOp function, const FusionGroup& group, const Inputs& inputs,
                       ArrayRef<Value> results) {
    Block* body = function.addEntryBlock();
    OpBuilder builder = OpBuilder::atBlockEnd(body);
    IRMapping mapping;
    mapping.map(inputs.arguments.getArrayRef(), body->getArguments());
    for (Operation* constant : inputs.inlined) builder.clone(*constant, mapping);
    for (Operation* op : group)
      builder.clone(*op, mapping)->removeAttr(backend_api::kTargetAttribute);
    SmallVector<Value> returned;
    for (const Value result : results) returned.push_back(mapping.lookup(result));
    builder.create<func::ReturnOp>(function.getLoc(), returned);
  }

  backend_api::Owners owners;
  llvm::DenseSet<Value> placed;  ///< Parts of concatenations in the host program.
};

}  // namespace

std::unique_ptr<Pass> createFuseRegionsPass(backend_api::Owners owners) {
  return std::make_unique<FuseRegions>(std::move(owners));
}

void buildGreedyPartition(OpPassManager& manager, const backend_api::Owners& owners,
                          const std::function<void(OpPassManager&)>& foldConstants) {
  manager.addPass(createAnnotateTargetsPass(owners));
  manager.addPass(createAssignLayoutsPass(owners));
  foldConstants(manager);  // Weights take their layout now, once.
  manager.addPass(createFuseRegionsPass(owners));
  manager.addPass(createMergeEqualRegionsPass());
}

}  // namespace tessera::partition
