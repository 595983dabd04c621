// A plan becomes regions: what is spliced together is what was measured piece by piece.
#include "compiler/backend_api/registry.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/exclusions.h"
#include "compiler/partition/layouts/conversions.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"
#include "compiler/partition/regions/outline.h"
#include "compiler/placement/passes.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/tile_order.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::placement {

#define GEN_PASS_DEF_APPLYPLANPASS
#include "compiler/placement/passes.h.inc"

using namespace mlir;

namespace {

/// Builds the new entry function out of placed tiles.
class Splicing {
 public:
  Splicing(ModuleOp module, const OperatorGraph& graph, const partition::OwnerIndex& owners)
      : module_(module),
        graph_(graph),
        owners_(owners),
        symbols_(module),
        names_(symbols_),
        conversions_(module, symbols_, owners) {
    func::FuncOp present = graph.entry();
    entry_ = func::FuncOp::create(present.getLoc(), "planned", present.getFunctionType());
    entry_->setAttrs(present->getAttrDictionary());
    module.push_back(entry_);
    entry_.setName("planned");
    Block* body = entry_.addEntryBlock();
    for (auto [old, argument] : llvm::zip_equal(present.getArguments(), body->getArguments()))
      values_[old] = argument;
    builder_.setInsertionPointToEnd(body);
  }

  /// Puts a placed tile behind the others.
  LogicalResult add(ExtractedTile& tile, ModuleOp placed, const backend_api::Owner* owner) {
    func::FuncOp function = ir::entryFunction(placed);
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip_equal(tile.inputs, function.getArguments())) {
      const Value value = convert(values_.lookup(input), argument.getType(), owner);
      if (!value)
        return module_.emitError() << "no target converts " << values_.lookup(input).getType()
                                   << " to " << argument.getType() << ", which a tile reads";
      mapping.map(argument, value);
    }
    const llvm::StringMap<std::string> names = takeRegions(placed);
    builder_.setInsertionPointToEnd(&entry_.getBody().front());
    for (Operation& op : function.getBody().front().without_terminator()) {
      builder_.clone(op, mapping)->walk([&](func::CallOp call) {
        call.setCallee(names.lookup(call.getCallee()));
      });
    }
    Operation* returned = function.getBody().front().getTerminator();
    for (auto [output, value] : llvm::zip_equal(tile.outputs, returned->getOperands()))
      values_[output] = mapping.lookupOrDefault(value);
    for (const partition::Exclusion& exclusion : partition::exclusionsOf(placed))
      partition::addExclusion(module_, exclusion);
    return success();
  }

  /// Returns what the function returned and puts the new one in its place.
  LogicalResult finish() {
    func::FuncOp present = graph_.entry();
    Operation* returned = present.getBody().front().getTerminator();
    SmallVector<Value> results;
    for (auto [operand, type] :
         llvm::zip_equal(returned->getOperands(), present.getResultTypes())) {
      const Value value = convert(valueOf(graph_.origin(operand)), type, nullptr);
      if (!value) return returned->emitError() << "no target brings a result to " << type;
      results.push_back(value);
    }
    builder_.setInsertionPointToEnd(&entry_.getBody().front());
    builder_.create<func::ReturnOp>(returned->getLoc(), results);
    present.erase();
    entry_.setName(ir::kEntryFunction);
    return success();
  }

 private:
  /// Constants that the model returns as they are belong to no tile.
  Value valueOf(Value origin) {
    Value& value = values_[origin];
    if (!value) {
      builder_.setInsertionPointToEnd(&entry_.getBody().front());
      value = builder_.clone(*origin.getDefiningOp())->getResult(0);
    }
    return value;
  }

  Value convert(Value value, Type type, const backend_api::Owner* consumer) {
    const auto wanted = dyn_cast<RankedTensorType>(type);
    if (!wanted || value.getType() == type) return value;
    return conversions_.convert(value, wanted, consumer);
  }

  /// Moves the regions of a placed tile here; says what they are called now.
  llvm::StringMap<std::string> takeRegions(ModuleOp placed) {
    llvm::StringMap<std::string> names;
    for (auto region : llvm::make_early_inc_range(placed.getOps<func::FuncOp>())) {
      const ir::TargetAttr target = backend_api::ownerOf(region);
      if (!target) continue;
      const std::string name = names_.next(target.getKind());
      names[region.getName()] = name;
      region->remove();
      region.setName(name);
      symbols_.insert(region);
    }
    return names;
  }

  ModuleOp module_;
  const OperatorGraph& graph_;
  const partition::OwnerIndex& owners_;
  SymbolTable symbols_;
  partition::RegionNames names_;
  partition::Conversions conversions_;
  func::FuncOp entry_;
  OpBuilder builder_{module_.getContext()};
  llvm::DenseMap<Value, Value> values_;  ///< Origins to what they are in the new function.
};

struct ApplyPlan : impl::ApplyPlanPassBase<ApplyPlan> {
  using Base = impl::ApplyPlanPassBase<ApplyPlan>;

  ApplyPlan() = default;
  explicit ApplyPlan(AddPasses placeTile) : placeTile_(std::move(placeTile)) {}

  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<ir::TsrDialect, func::FuncDialect>();
  }

  void runOnOperation() override {
    if (failed(apply(getOperation()))) signalPassFailure();
  }

 private:
  LogicalResult apply(ModuleOp module) {
    const Result<std::vector<Tile>> tiles = tilesOf(module->getAttr(kPlanAttribute));
    if (!tiles) return module.emitError() << tiles.error().message;
    const auto owners = partition::OwnerIndex::of(module);
    if (failed(owners)) return failure();
    const OperatorGraph graph(ir::entryFunction(module));
    const Result<std::vector<size_t>> order = orderOf(graph, *tiles);
    if (!order) return module.emitError() << order.error().message;
    Splicing splicing(module, graph, *owners);
    for (const size_t number : *order) {
      const Tile& tile = (*tiles)[number];
      const backend_api::Owner* owner = owners->find(tile.target);
      if (!owner)
        return module.emitError() << "the plan names target '"
                                  << backend_api::fromAttribute(tile.target).toString()
                                  << "', which is none of the module's";
      if (!readsFit(graph, tile))
        return module.emitError()
               << "the plan has a tile that reads other tensors than its operators do";
      ExtractedTile extracted = extractTile(graph, tile);
      ModuleOp nested = *extracted.module;
      module.push_back(extracted.module.release());
      const bool isDone =
          succeeded(place(nested)) && succeeded(splicing.add(extracted, nested, owner));
      nested.erase();
      if (!isDone) return failure();
    }
    module->removeAttr(kPlanAttribute);
    return splicing.finish();
  }

  /// Inside of this module, where the pass may run others.
  LogicalResult place(ModuleOp nested) {
    OpPassManager manager(ModuleOp::getOperationName());
    placeTile_(manager);
    const Status status = partition::placeUntilAccepted(nested, [&](ModuleOp attempt) -> Status {
      if (succeeded(runPipeline(manager, attempt))) return {};
      return targetFailed("a tile cannot be placed");
    });
    if (status) return success();
    return nested.emitError() << status.error().message;
  }

  AddPasses placeTile_ = [](OpPassManager& manager) {
    partition::buildGreedyPartition(manager, [](OpPassManager&) {});
  };
};

}  // namespace

std::unique_ptr<Pass> createApplyPlanPass(AddPasses placeTile) {
  return std::make_unique<ApplyPlan>(std::move(placeTile));
}

void buildPlannedPartition(OpPassManager& manager, const AddPasses& foldConstants) {
  manager.addPass(partition::createApplyPinsPass());  // Tiles do not know all targets.
  manager.addPass(createApplyPlanPass([foldConstants](OpPassManager& nested) {
    partition::buildGreedyPartition(nested, foldConstants);
  }));
  manager.addPass(partition::createFuseRegionsPass());  // Conversions between tiles.
  manager.addPass(partition::createOptimizeRegionsPass());
  manager.addPass(partition::createCheckRegionsPass());
  manager.addPass(partition::createMergeEqualRegionsPass());
}

}  // namespace tessera::placement
