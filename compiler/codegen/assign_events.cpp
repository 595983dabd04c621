// Which instructions of the host program go on beside the host, and what each waits for. The
// runtime begins them in order; one on a device signals an event and may still be running while
// later ones begin. Two instructions that touch the same bytes, one of them writing, run one after
// the other: the later waits for the event of the earlier. Bytes are those of the memory plan, so
// that values that share memory without ever living together are kept apart, too. What an event
// that is waited for implies is not waited for again: of n instructions on devices each keeps n
// bits of what is reached when it is.
#include <limits>

#include "compiler/codegen/passes.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/BitVector.h"

namespace tessera::codegen {

using namespace mlir;

#define GEN_PASS_DEF_ASSIGNEVENTSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

/// A stretch of memory: of the arena of a memory space, or of a buffer that has memory of its own.
struct Access {
  const void* memory = nullptr;
  int64_t begin = 0, end = 0;  ///< Bytes.
  bool isWrite = false;

  bool conflictsWith(const Access& other) const {
    return memory == other.memory && begin < other.end && other.begin < end &&
           (isWrite || other.isWrite);
  }
};
using Accesses = SmallVector<Access, 4>;

RankedTensorType tensorOf(Value buffer) {
  return cast<ir::BufferType>(buffer.getType()).getTensor();
}

class EventAssignment {
 public:
  explicit EventAssignment(func::FuncOp entry) : entry_(entry), builder_(entry.getContext()) {}

  void run() {
    for (Operation& op : entry_.getBody().front()) {
      if (isa<ir::CallOp, ir::CopyBufferOp>(op)) numAsync_ += isAsync(&op) ? 1 : 0;
    }
    hostReached_.resize(numAsync_);
    for (Operation& op : entry_.getBody().front()) {
      if (auto call = dyn_cast<ir::CallOp>(op)) assign(call);
      if (auto copy = dyn_cast<ir::CopyBufferOp>(op)) assign(copy);
    }
  }

 private:
  /// Whether a device works on it while the host goes on. Buffers sized at run time share memory,
  /// and move, as the runtime sees fit: what touches one is done when the host goes on.
  static bool isAsync(Operation* op) {
    const auto isStatic = [](Value buffer) { return tensorOf(buffer).hasStaticShape(); };
    const auto isElsewhere = [](Value buffer) { return !ir::spaceOf(tensorOf(buffer)).empty(); };
    return llvm::all_of(op->getOperands(), isStatic) &&
           llvm::any_of(op->getOperands(), isElsewhere);
  }

  static Accesses accessesOf(Operation* op) {
    Accesses accesses;
    const auto add = [&](ValueRange buffers, bool isWrite) {
      for (const Value buffer : buffers) {
        if (const auto access = accessOf(buffer, isWrite)) accesses.push_back(*access);
      }
    };
    if (auto call = dyn_cast<ir::CallOp>(op)) {
      add(call.getIns(), false);
      add(call.getOuts(), true);
      if (call.getWorkspace()) add(call.getWorkspace(), true);
    } else {
      auto copy = cast<ir::CopyBufferOp>(op);
      add(copy.getSource(), false);
      add(copy.getTarget(), true);
    }
    return accesses;
  }

  /// Nothing for memory that no instruction writes: inputs and constants.
  static std::optional<Access> accessOf(Value buffer, bool isWrite) {
    Access access{.end = ir::physicalSizeBytes(tensorOf(buffer)), .isWrite = isWrite};
    while (auto view = buffer.getDefiningOp<ir::ViewOp>()) {
      access.begin += view.getOffset();
      buffer = view.getSource();
    }
    auto alloc = buffer.getDefiningOp<ir::AllocOp>();
    if (!alloc) return std::nullopt;
    access.memory = alloc.getOperation();
    if (alloc.getOffset()) {
      access.begin += *alloc.getOffset();
      access.memory = ir::spaceOf(tensorOf(alloc)).empty()
                          ? nullptr
                          : StringAttr::get(alloc.getContext(), ir::spaceOf(tensorOf(alloc)))
                                .getAsOpaquePointer();
    }
    access.end = access.end < 0 ? std::numeric_limits<int64_t>::max() : access.begin + access.end;
    return access;
  }

  template <typename Op>
  void assign(Op op) {
    const Accesses accesses = accessesOf(op);
    llvm::BitVector reached = hostReached_;
    SmallVector<int32_t> waits;
    // The latest first: it may imply others.
    for (size_t event = begun_.size(); event-- > 0;) {
      if (reached.test(event) || !conflict(accesses, begun_[event])) continue;
      waits.push_back(static_cast<int32_t>(event));
      reached |= reachedBefore_[event];
    }
    std::reverse(waits.begin(), waits.end());
    op.setWaitsAttr(waits.empty() ? DenseI32ArrayAttr() : builder_.getDenseI32ArrayAttr(waits));
    if (!isAsync(op)) {
      op.setSignalAttr(IntegerAttr());
      hostReached_ = std::move(reached);
      return;
    }
    op.setSignalAttr(builder_.getI32IntegerAttr(static_cast<int32_t>(begun_.size())));
    reached.set(begun_.size());
    begun_.push_back(accesses);
    reachedBefore_.push_back(std::move(reached));
  }

  static bool conflict(const Accesses& accesses, const Accesses& earlier) {
    return llvm::any_of(accesses, [&](const Access& access) {
      return llvm::any_of(earlier,
                          [&](const Access& other) { return access.conflictsWith(other); });
    });
  }

  func::FuncOp entry_;
  Builder builder_;
  size_t numAsync_ = 0;
  std::vector<Accesses> begun_;                 ///< By event: of the instruction that signals it.
  std::vector<llvm::BitVector> reachedBefore_;  ///< By event: what is reached when it is.
  llvm::BitVector hostReached_;                 ///< What is reached when the host goes on.
};

struct AssignEvents : impl::AssignEventsPassBase<AssignEvents> {
  void runOnOperation() override {
    if (auto entry = ir::entryFunction(getOperation())) EventAssignment(entry).run();
  }
};

}  // namespace

}  // namespace tessera::codegen
