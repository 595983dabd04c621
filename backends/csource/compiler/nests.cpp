// A nest runs where its last operator stood, when everything that it reads has been computed. So an
// operator may join the nest of the operand that only it reads, and of several such operands all,
// as long as one of them has loops of its own at most.
#include "backends/csource/compiler/nests.h"

#include "backends/csource/compiler/memory_plan.h"
#include "backends/csource/compiler/scalar_formulas.h"
#include "compiler/ir/tsr.h"

namespace tessera::backend_csource {

using namespace mlir;

SmallVector<Operation*> Nest::operations() const {
  SmallVector<Operation*> all;
  if (anchor) all.push_back(anchor);
  llvm::append_range(all, tail);
  return all;
}

bool isElementwise(Operation* op) { return isScalarFormula(op); }

std::optional<Ints> storeCuts(Operation* anchor) {
  if (isa<ir::ConvOp>(anchor)) return Ints{1, 2};
  if (isa<ir::GemmOp>(anchor)) return Ints{1};
  if (auto product = dyn_cast<ir::MatmulOp>(anchor)) {
    const int64_t rank = typeOf(product.getY()).getRank();
    if (typeOf(product.getA()).getRank() >= 2 && typeOf(product.getB()).getRank() >= 2)
      return Ints{rank - 2, rank - 1};
  }
  return std::nullopt;
}

/// Whether the loops that store sums of `anchor` can read all that `op` does.
static bool isStorable(Operation* anchor, Operation* op) {
  const auto cuts = storeCuts(anchor);
  if (!cuts || !typeOf(anchor->getResult(0)).getElementType().isF32()) return false;
  const auto shape = typeOf(op->getResult(0)).getShape();
  const LoopDims loops = cutDims(shape, *cuts);
  return llvm::all_of(llvm::seq(op->getNumOperands()), [&](unsigned i) {
    return loopStrides(shape, operandStrides(op, i), loops).has_value();
  });
}

namespace {

constexpr size_t kMostInTail = 24;  // So that the registers of a loop suffice.

class NestCutter {
 public:
  explicit NestCutter(llvm::function_ref<bool(Operation*)> isCall) : isCall_(isCall) {}

  void add(Operation* op) {
    if (isCall_(op) || !isElementwise(op)) {
      start({.anchor = op, .tail = {}});
      return;
    }
    Nest nest{.anchor = nullptr, .tail = {op}};
    for (const Value operand : op->getOperands()) {
      const auto it = nestOf_.find(operand.getDefiningOp());
      if (it != nestOf_.end() && canJoin(nest, *it->second, op, operand)) join(nest, *it->second);
    }
    start(std::move(nest));
  }

  SmallVector<Nest> take() {
    SmallVector<Nest> nests;
    for (auto& nest : nests_) {
      if (nest->root()) nests.push_back(std::move(*nest));
    }
    return nests;
  }

 private:
  bool canJoin(const Nest& nest, const Nest& operandNest, Operation* op, Value operand) const {
    if (operandNest.root() != operand.getDefiningOp() || !operand.hasOneUse()) return false;
    if (typeOf(operand).getShape() != typeOf(op->getResult(0)).getShape()) return false;
    if (nest.tail.size() + operandNest.tail.size() > kMostInTail) return false;
    Operation* anchor = nest.anchor ? nest.anchor : operandNest.anchor;
    if (!anchor) return true;
    if ((nest.anchor && operandNest.anchor) || isCall_(anchor)) return false;
    const auto fits = [&](Operation* other) { return isStorable(anchor, other); };
    return llvm::all_of(nest.tail, fits) && llvm::all_of(operandNest.tail, fits);
  }

  void join(Nest& nest, Nest& operandNest) {
    if (operandNest.anchor) nest.anchor = operandNest.anchor;
    // Behind what it reads: the operators of an operand come first.
    nest.tail.insert(nest.tail.begin(), operandNest.tail.begin(), operandNest.tail.end());
    operandNest = Nest();
  }

  void start(Nest nest) {
    nests_.push_back(std::make_unique<Nest>(std::move(nest)));
    nestOf_[nests_.back()->root()] = nests_.back().get();
  }

  llvm::function_ref<bool(Operation*)> isCall_;
  std::vector<std::unique_ptr<Nest>> nests_;
  DenseMap<Operation*, Nest*> nestOf_;  ///< By root.
};

}  // namespace

SmallVector<Nest> cutNests(Block& body, llvm::function_ref<bool(Operation*)> isCall) {
  NestCutter cutter(isCall);
  for (Operation& op : body.without_terminator()) {
    if (isa<ir::ConstantOp>(op) || (isView(&op) && !isCall(&op))) continue;
    cutter.add(&op);
  }
  return cutter.take();
}

}  // namespace tessera::backend_csource
