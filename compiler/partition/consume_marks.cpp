// Manual annotation: what stands between marks is a region of the marked target. Source: TVM,
// AnnotatedRegionSet; a mark stands on each edge that enters or leaves.
#include "compiler/partition/exclusions.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::partition {

#define GEN_PASS_DEF_CONSUMEMARKSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::Owner;

static bool isMark(Operation* op) { return isa<ir::CompilerBeginOp, ir::CompilerEndOp>(op); }

namespace {

/// The marked operators of a block.
class Marks {
 public:
  Marks(Block& block, const OwnerIndex& owners) : block_(block), owners_(owners) {}

  /// Owners and numbers, from `number` on, of what is marked; the marks are erased.
  LogicalResult consume(int64_t& number) {
    for (Operation& op : block_) {
      if (failed(enter(&op))) return failure();
    }
    SmallVector<Operation*> marked;
    for (const auto& [op, owner] : owner_) marked.push_back(op);
    llvm::MapVector<Operation*, int64_t> numbers;
    Builder builder(block_.getParentOp()->getContext());
    for (Operation* op : marked) {
      const auto [it, isNew] = numbers.try_emplace(regions_.getLeaderValue(op), number);
      if (isNew) ++number;
      op->setAttr(backend_api::kTargetAttribute, owners_.attribute(*owner_[op]));
      op->setAttr(kRegionNumber, builder.getI64IntegerAttr(it->second));
    }
    for (Operation& op : llvm::make_early_inc_range(block_)) {
      if (!isMark(&op)) continue;
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
    }
    return success();
  }

 private:
  static StringRef textOf(Operation* mark) {
    if (auto begin = dyn_cast<ir::CompilerBeginOp>(mark)) return begin.getTarget();
    return cast<ir::CompilerEndOp>(mark).getTarget();
  }
  const Owner* targetOf(Operation* mark) const { return owners_.findByText(textOf(mark)); }

  /// The operator's own inputs decide where it stands.
  LogicalResult enter(Operation* op) {
    if (isMark(op) && !targetOf(op))
      return op->emitError() << "found a mark for target '" << textOf(op)
                             << "', which is none of the module's";
    if (isa<ir::CompilerBeginOp>(op)) return enterBegin(op);
    if (isa<ir::CompilerEndOp>(op)) return enterEnd(op);
    const Owner* owner = nullptr;
    SmallVector<Operation*> joined;
    for (const Value operand : op->getOperands()) {
      Operation* producer = operand.getDefiningOp();
      const Owner* from = producer ? insideOf(producer) : nullptr;
      if (!from) continue;
      if (owner && owner != from)
        return op->emitError() << "reads values that are marked for two targets, '"
                               << owner->target.toString() << "' and '" << from->target.toString()
                               << "'";
      owner = from;
      joined.push_back(producer);
    }
    if (!owner) return success();
    if (op->hasTrait<OpTrait::IsTerminator>())
      return op->emitError() << "reads a value that is marked for target '"
                             << owner->target.toString() << "', expected tsr.compiler_end before";
    return join(op, owner, joined);
  }

  LogicalResult join(Operation* op, const Owner* owner, ArrayRef<Operation*> joined) {
    for (const Value operand : op->getOperands()) {
      Operation* producer = operand.getDefiningOp();
      if ((producer && insideOf(producer)) || isa_and_nonnull<ir::ConstantOp>(producer)) continue;
      return op->emitError() << "reads some values that are marked for target '"
                             << owner->target.toString()
                             << "' and one that is not, expected tsr.compiler_begin on it";
    }
    owner_[op] = owner;
    regions_.insert(op);
    // Two that read one begin are not one region by that: equal marks may have been merged.
    for (Operation* producer : joined) {
      if (!isMark(producer)) regions_.unionSets(op, producer);
    }
    return success();
  }

  LogicalResult enterBegin(Operation* begin) {
    Operation* producer = begin->getOperand(0).getDefiningOp();
    if (producer && insideOf(producer))
      return begin->emitError() << "marks a value that is marked already, expected "
                                   "tsr.compiler_end before";
    begins_[begin] = targetOf(begin);
    return success();
  }

  LogicalResult enterEnd(Operation* end) {
    Operation* producer = end->getOperand(0).getDefiningOp();
    const Owner* from = producer ? insideOf(producer) : nullptr;
    if (!from || isMark(producer))
      return end->emitError() << "ends no marked part: its value comes from outside";
    if (from != targetOf(end))
      return end->emitError() << "ends a part that is marked for target '"
                              << from->target.toString() << "'";
    return success();
  }

  /// The target that the results of `op` are marked for; null when they are outside.
  const Owner* insideOf(Operation* op) const {
    if (const Owner* begun = begins_.lookup(op)) return begun;
    const auto it = owner_.find(op);
    return it == owner_.end() ? nullptr : it->second;
  }

  Block& block_;
  const OwnerIndex& owners_;
  llvm::DenseMap<Operation*, const Owner*> begins_;
  llvm::MapVector<Operation*, const Owner*> owner_;  ///< Of marked operators, in their order.
  llvm::EquivalenceClasses<Operation*> regions_;
};

struct ConsumeMarks : impl::ConsumeMarksPassBase<ConsumeMarks> {
  void runOnOperation() override {
    const WalkResult hasMark = getOperation().walk(
        [](Operation* op) { return isMark(op) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (!hasMark.wasInterrupted()) return;
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    int64_t number = 0;
    for (Block* block : hostBlocks(getOperation())) {
      if (failed(Marks(*block, *owners).consume(number))) return signalPassFailure();
    }
  }
};

}  // namespace

}  // namespace tessera::partition
