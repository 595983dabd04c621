// Static memory plan: greedy by size. Values are placed largest first, each at the lowest offset
// that is free during its whole life. Source: Pisarchyk and Lee, "Efficient Memory Management for
// Deep Neural Net Inference" (2020), section 5. The peak is what the plan uses, the arena. The
// lower bound is the largest sum of sizes alive at one instruction: no plan for these buffers can
// be smaller. Cost: O(n^2) for n values.
#include <algorithm>

#include "compiler/backend_api/registry.h"
#include "compiler/codegen/passes.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::codegen {

using namespace mlir;

#define GEN_PASS_DEF_PLANMEMORYPASS
#include "compiler/codegen/passes.h.inc"

namespace {

/// Memory of one or more values that follow each other in place.
struct Slot {
  int64_t sizeBytes = 0;
  int64_t first = 0;  ///< Instruction that writes it first.
  int64_t last = 0;   ///< Last instruction that touches it.
  int64_t offset = 0;
  SmallVector<ir::AllocOp> allocs;
};

/// The slots that a host program needs.
class SlotCollector {
 public:
  SlotCollector(const backend_api::Owners& owners, const SymbolTable& symbols)
      : owners_(owners), symbols_(symbols) {}

  std::vector<Slot> collect(func::FuncOp entry) {
    DenseMap<Operation*, int64_t> lastUse;
    DenseMap<Operation*, int64_t> position;
    int64_t at = 0;
    for (Operation& op : entry.getBody().front()) {
      position[&op] = at;
      for (const Value operand : op.getOperands()) {
        if (ir::AllocOp alloc = allocOf(operand)) lastUse[alloc] = at;
      }
      ++at;
    }
    std::vector<Slot> slots;
    DenseMap<Operation*, size_t> slotOf;
    for (Operation& op : entry.getBody().front()) {
      for (const Value out : writtenBy(&op)) {
        ir::AllocOp alloc = allocOf(out);
        if (!isPlanned(alloc) || slotOf.contains(alloc)) continue;
        const ir::AllocOp reused = reusableOperand(&op, out, lastUse, position[&op]);
        if (reused) {
          const size_t slot = slotOf[reused];
          slotOf[alloc] = slot;
          slots[slot].allocs.push_back(alloc);
          slots[slot].last = std::max(slots[slot].last, lastUse[alloc]);
          continue;
        }
        slotOf[alloc] = slots.size();
        slots.push_back({.sizeBytes = static_cast<int64_t>(
                             llvm::alignTo(alloc.getSizeAttr().getInt(), kBufferAlignment)),
                         .first = position[&op],
                         .last = std::max(lastUse[alloc], position[&op]),
                         .offset = 0,
                         .allocs = {alloc}});
      }
    }
    return slots;
  }

 private:
  /// The alloc whose memory `buffer` is, through views; null for inputs and constants.
  static ir::AllocOp allocOf(Value buffer) {
    while (auto view = buffer.getDefiningOp<ir::ViewOp>()) buffer = view.getSource();
    return buffer.getDefiningOp<ir::AllocOp>();
  }

  static bool isPlanned(ir::AllocOp alloc) {
    return alloc && alloc.getSizeAttr().getInt() >= 0 && !alloc.getOutput() && !alloc.getOffset();
  }

  static SmallVector<Value> writtenBy(Operation* op) {
    if (auto call = dyn_cast<ir::CallOp>(op)) {
      SmallVector<Value> written(call.getOuts());
      if (call.getWorkspace()) written.push_back(call.getWorkspace());
      return written;
    }
    if (auto copy = dyn_cast<ir::CopyBufferOp>(op)) return {copy.getTarget()};
    return {};
  }

  /// When `out` is result 0 of a call and memory of its own: an operand of the call of the same
  /// size that dies there, with all that views it, and that the region's owner may overwrite.
  ir::AllocOp reusableOperand(Operation* op, Value value,
                              const DenseMap<Operation*, int64_t>& lastUse, int64_t at) {
    auto call = dyn_cast<ir::CallOp>(op);
    auto out = value.getDefiningOp<ir::AllocOp>();
    if (!call || !out || call.getOuts().empty() || call.getOuts().front() != value) return {};
    auto region = symbols_.lookup<func::FuncOp>(call.getCallee());
    const backend_api::Owner* owner =
        region ? backend_api::findOwner(owners_, backend_api::ownerOf(region)) : nullptr;
    if (!owner || hasAlternatives(region)) return {};
    for (auto [index, in] : llvm::enumerate(call.getIns())) {
      ir::AllocOp alloc = allocOf(in);
      if (!isPlanned(alloc) || alloc.getSize() != out.getSize() || lastUse.lookup(alloc) != at)
        continue;
      const auto sameMemory = [&](Value other) { return allocOf(other) == alloc; };
      if (llvm::count_if(call.getIns(), sameMemory) == 1 &&
          owner->backend->canReuseOperand(region, index))
        return alloc;
    }
    return {};
  }

  /// Where another implementation could run after one that failed, operands stay as they are.
  static bool hasAlternatives(func::FuncOp region) {
    const auto implementations = region->getAttrOfType<ArrayAttr>(kImplementations);
    return implementations && implementations.size() > 1;
  }

  const backend_api::Owners& owners_;
  const SymbolTable& symbols_;
};

struct PlanMemory : impl::PlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override {
    auto entry = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!entry) return;
    auto owners = backend_api::ownersOf(getOperation());
    if (!owners) {
      entry.emitError(owners.error().message);
      return signalPassFailure();
    }
    const SymbolTable symbols(getOperation());
    std::vector<Slot> slots = SlotCollector(*owners, symbols).collect(entry);
    const int64_t arena = place(slots);
    OpBuilder builder(entry);
    for (const Slot& slot : slots) {
      for (ir::AllocOp alloc : slot.allocs)
        alloc.setOffsetAttr(builder.getI64IntegerAttr(slot.offset));
    }
    entry->setAttr(kArenaBytes, builder.getI64IntegerAttr(arena));
    entry->setAttr(kPeakBytes, builder.getI64IntegerAttr(arena));
    entry->setAttr(kLowerBoundBytes, builder.getI64IntegerAttr(greatestLiveSum(slots)));
  }

 private:
  static bool overlapInTime(const Slot& a, const Slot& b) {
    return a.first <= b.last && b.first <= a.last;
  }

  static int64_t place(std::vector<Slot>& slots) {
    std::vector<Slot*> order;
    for (Slot& slot : slots) order.push_back(&slot);
    std::ranges::stable_sort(
        order, [](const Slot* a, const Slot* b) { return a->sizeBytes > b->sizeBytes; });
    std::vector<Slot*> placed;  // By offset.
    int64_t arena = 0;
    for (Slot* slot : order) {
      int64_t offset = 0;
      for (const Slot* other : placed) {
        if (!overlapInTime(*slot, *other)) continue;
        if (offset + slot->sizeBytes <= other->offset) break;
        offset = std::max(offset, other->offset + other->sizeBytes);
      }
      slot->offset = offset;
      placed.insert(std::ranges::upper_bound(placed, offset, {}, &Slot::offset), slot);
      arena = std::max(arena, offset + slot->sizeBytes);
    }
    return arena;
  }

  static int64_t greatestLiveSum(const std::vector<Slot>& slots) {
    int64_t greatest = 0;
    for (const Slot& at : slots) {  // The sum can only grow where a value begins.
      int64_t sum = 0;
      for (const Slot& slot : slots) {
        if (slot.first <= at.first && at.first <= slot.last) sum += slot.sizeBytes;
      }
      greatest = std::max(greatest, sum);
    }
    return greatest;
  }
};

}  // namespace

}  // namespace tessera::codegen
