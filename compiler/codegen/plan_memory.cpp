// Static memory plan: the lifetimes of values, counted in instructions, placed by
// base/greedy_placement.h. The lower bound is the largest sum of sizes alive at one instruction: no
// plan for these buffers can be smaller.
#include <algorithm>
#include <map>

#include "base/alignment.h"
#include "base/greedy_placement.h"
#include "compiler/backend_api/registry.h"
#include "compiler/codegen/passes.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::codegen {

using namespace mlir;

#define GEN_PASS_DEF_PLANMEMORYPASS
#include "compiler/codegen/passes.h.inc"

/// Name of the memory space of a buffer; empty for the host's.
static std::string spaceOf(Value buffer) {
  return ir::spaceOf(cast<ir::BufferType>(buffer.getType()).getTensor()).str();
}

/// Those of the targets that have the memory space.
static ArrayAttr targetsWith(const std::string& space, const backend_api::Owners& owners,
                             MLIRContext* context) {
  SmallVector<Attribute> targets;
  for (const backend_api::Owner& owner : owners) {
    if (llvm::is_contained(owner.backend->memorySpaces(), space))
      targets.push_back(backend_api::toAttribute(context, owner.target));
  }
  return ArrayAttr::get(context, targets);
}

namespace {

/// Memory of one or more values that follow each other in place: the buffer's times are those of
/// the instruction that writes it first and of the last one that touches it.
struct Slots {
  std::vector<base::PlacedBuffer> buffers;
  std::vector<SmallVector<ir::AllocOp>> allocs;  ///< Of each buffer.
};

/// The slots that a host program needs.
class SlotCollector {
 public:
  SlotCollector(const backend_api::Owners& owners, const SymbolTable& symbols)
      : owners_(owners), symbols_(symbols) {}

  Slots collect(func::FuncOp entry) {
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
    Slots slots;
    DenseMap<Operation*, size_t> slotOf;
    for (Operation& op : entry.getBody().front()) {
      for (const Value out : writtenBy(&op)) {
        ir::AllocOp alloc = allocOf(out);
        if (!isPlanned(alloc) || slotOf.contains(alloc)) continue;
        const ir::AllocOp reused = reusableOperand(&op, out, lastUse, position[&op]);
        if (reused) {
          const size_t slot = slotOf[reused];
          slotOf[alloc] = slot;
          slots.allocs[slot].push_back(alloc);
          slots.buffers[slot].last = std::max(slots.buffers[slot].last, lastUse[alloc]);
          continue;
        }
        slotOf[alloc] = slots.buffers.size();
        slots.buffers.push_back({.sizeBytes = static_cast<int64_t>(base::alignUp(alloc.getSize())),
                                 .first = position[&op],
                                 .last = std::max(lastUse[alloc], position[&op])});
        slots.allocs.push_back({alloc});
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
      if (!isPlanned(alloc) || alloc.getSize() != out.getSize() || lastUse.lookup(alloc) != at ||
          spaceOf(alloc) != spaceOf(out))
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
    auto entry = ir::entryFunction(getOperation());
    if (!entry) return;
    const auto owners = backend_api::ownersOrEmitError(getOperation());
    if (failed(owners)) return signalPassFailure();
    const SymbolTable symbols(getOperation());
    const Slots slots = SlotCollector(*owners, symbols).collect(entry);
    std::map<std::string, Slots> spaces = {{"", {}}};  // The host's is there, used or not.
    const auto addSpace = [&](Value value) {
      if (isa<ir::BufferType>(value.getType())) spaces.try_emplace(spaceOf(value));
    };
    llvm::for_each(entry.getArguments(), addSpace);
    for (Operation& op : entry.getBody().front()) llvm::for_each(op.getResults(), addSpace);
    for (const auto& [buffer, allocs] : llvm::zip_equal(slots.buffers, slots.allocs)) {
      ir::AllocOp first = allocs.front();
      Slots& space = spaces[spaceOf(first)];
      space.buffers.push_back(buffer);
      space.allocs.push_back(allocs);
    }
    OpBuilder builder(entry);
    SmallVector<NamedAttribute> others;
    for (auto& [name, space] : spaces) {
      NamedAttrList figures(planSpace(space, builder));
      if (name.empty()) {
        for (const NamedAttribute figure : figures)
          entry->setAttr(figure.getName(), figure.getValue());
        continue;
      }
      figures.set(ir::kTargetsAttribute, targetsWith(name, *owners, &getContext()));
      others.push_back(builder.getNamedAttr(name, figures.getDictionary(&getContext())));
    }
    if (!others.empty()) entry->setAttr(kOtherSpaces, builder.getDictionaryAttr(others));
  }

 private:
  /// Places the slots of one space; its figures.
  static DictionaryAttr planSpace(Slots& slots, OpBuilder& builder) {
    const auto number = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    const int64_t arena = base::placeBuffers(slots.buffers);
    for (const auto& [buffer, allocs] : llvm::zip_equal(slots.buffers, slots.allocs)) {
      for (ir::AllocOp alloc : allocs)
        alloc.setOffsetAttr(builder.getI64IntegerAttr(buffer.offset));
    }
    return builder.getDictionaryAttr(
        {number(kArenaBytes, arena),
         number(kLowerBoundBytes, base::greatestLiveBytes(slots.buffers))});
  }
};

}  // namespace

}  // namespace tessera::codegen
