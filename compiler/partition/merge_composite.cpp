// Matches of the backends' pattern tables. What a more preferred owner takes is not there for the
// patterns of a less preferred one, as if one had been asked about the whole graph after the other.
// Cost: for each entry, the operators that its root may be.
#include "compiler/backend_api/pattern_table.h"
#include "compiler/ir/composites.h"
#include "compiler/ir/io/constants.h"
#include "compiler/partition/exclusions.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/inline_constants.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/canonical_order.h"
#include "compiler/partition/whole_composites.h"
#include "compiler/pattern/make_composite.h"

namespace tessera::partition {

#define GEN_PASS_DEF_MERGECOMPOSITEPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::Owner;
using backend_api::PatternEntry;

namespace {

/// The operations of a block that may give a pattern's value, by name, users in front of what they
/// use: of two ways to match that overlap, the one further down the graph comes first.
class Roots {
 public:
  explicit Roots(Block& block) {
    std::vector<Operation*> order = canonicalOrder(block);
    for (Operation* op : llvm::reverse(order)) {
      const size_t position = ops_.size();
      ops_.push_back(op);
      for (Operation* named = op; named; named = innerRoot(named))
        byName_[named->getName().getStringRef()].push_back(position);
    }
  }

  /// In order; those that were erased are left out.
  SmallVector<Operation*> of(const pattern::Pattern& pattern) const {
    SmallVector<size_t> positions;
    if (pattern.roots()) {
      for (const StringRef name : *pattern.roots()) {
        const auto it = byName_.find(name);
        if (it != byName_.end()) llvm::append_range(positions, it->second);
      }
      llvm::sort(positions);
      positions.erase(llvm::unique(positions), positions.end());
    } else {
      llvm::append_range(positions, llvm::seq<size_t>(0, ops_.size()));
    }
    SmallVector<Operation*> found;
    for (const size_t position : positions) {
      if (!erased_.contains(ops_[position])) found.push_back(ops_[position]);
    }
    return found;
  }

  bool isErased(Operation* op) const { return erased_.contains(op); }
  void erase(ArrayRef<Operation*> ops) { erased_.insert(ops.begin(), ops.end()); }

 private:
  /// What gives the first value of a composite that may be seen through.
  static Operation* innerRoot(Operation* op) {
    auto composite = dyn_cast<ir::CompositeOp>(op);
    if (!composite || ir::composite::isBackends(composite.getName())) return nullptr;
    Operation* yield = composite.getBody().front().getTerminator();
    return yield->getNumOperands() ? yield->getOperand(0).getDefiningOp() : nullptr;
  }

  std::vector<Operation*> ops_;
  llvm::StringMap<SmallVector<size_t>> byName_;
  llvm::DenseSet<Operation*> erased_;
};

/// One block.
class Merging {
 public:
  Merging(Block& block, const OwnerIndex& owners, ArrayRef<backend_api::PatternTable> tables)
      : block_(block), owners_(owners), tables_(tables) {}

  void run() {
    for (size_t i = 0; i < owners_.size(); ++i) {
      if (!tables_[i].empty()) mergeFor(owners_[i], tables_[i]);
      reserveFor(i);
    }
  }

 private:
  void mergeFor(const Owner& owner, const backend_api::PatternTable& table) {
    Roots roots(block_);
    for (const PatternEntry& entry : table) {
      for (Operation* root : roots.of(entry.pattern)) {
        if (roots.isErased(root)) continue;
        if (const auto cover = find(owner, entry, root)) roots.erase(cover->ops);
      }
    }
  }

  /// Makes a composite where the entry matches, and gives what it covered.
  std::optional<pattern::Cover> find(const Owner& owner, const PatternEntry& entry,
                                     Operation* root) const {
    std::optional<pattern::Cover> cover;
    const auto accepts = [&](const pattern::Match& match) {
      cover = pattern::coverOf(match, root);
      if (!cover || !isFree(match, *cover, owner)) return false;
      return !entry.check || backend_api::isSupported(entry.check(match, root));
    };
    std::optional<pattern::Match> match;
    for (const Value result : root->getResults()) {
      if ((match = pattern::match(entry.pattern, result, {}, accepts))) break;
    }
    if (!match) return std::nullopt;
    make(owner, entry, *match, *cover);
    return cover;
  }

  /// Whether no other owner has or comes first for any of the operators, and none was refused.
  bool isFree(const pattern::Match& match, const pattern::Cover& cover, const Owner& owner) const {
    const ir::TargetAttr target = owners_.attribute(owner);
    const auto mayHave = [&](Operation* op) {
      const ir::TargetAttr current = backend_api::ownerOf(op);
      return (!current || current == target) && !reserved_.contains(op) &&
             !whyWithdrawn(op, target) && !prefersOther(op, target);
    };
    // What marks made a region stays one, and takes nothing in.
    const Attribute region = cover.ops.front()->getAttr(kRegionNumber);
    const auto isInRegion = [&](Operation* op) { return op->getAttr(kRegionNumber) == region; };
    return llvm::all_of(match.ops, mayHave) && llvm::all_of(cover.ops, mayHave) &&
           llvm::all_of(cover.ops, isInRegion);
  }

  static bool prefersOther(Operation* op, ir::TargetAttr target) {
    const ir::TargetAttr preferred = preferenceOf(op);
    return preferred && preferred != target;
  }

  void make(const Owner& owner, const PatternEntry& entry, const pattern::Match& match,
            const pattern::Cover& cover) const {
    const Attribute region = cover.ops.front()->getAttr(kRegionNumber);
    const auto staysInside = [&](OpOperand& operand) {
      return isInlineConstant(operand, owners_.rules(owner)) ||
             ir::constantScalar(operand.get()).has_value();
    };
    Builder builder(block_.getParentOp()->getContext());
    SmallVector<Attribute> parts;
    for (const auto& [name, value] : match.parts) parts.push_back(builder.getStringAttr(name));
    const auto parameter =
        builder.getNamedAttr(backend_api::kPartsParameter, builder.getArrayAttr(parts));
    ir::CompositeOp composite = pattern::makeComposite(
        cover, owner.target.kind + "." + entry.name, pattern::inputsOf(cover, staysInside),
        parts.empty() ? ArrayRef<NamedAttribute>() : ArrayRef(parameter));
    composite->setAttr(backend_api::kTargetAttribute, owners_.attribute(owner));
    if (region) composite->setAttr(kRegionNumber, region);
  }

  /// What the owner takes operator by operator is not there for those that are less preferred.
  /// Parts of composites that stay whole are.
  void reserveFor(size_t number) {
    const auto isEmpty = [](const backend_api::PatternTable& table) { return table.empty(); };
    if (llvm::all_of(tables_.drop_front(number + 1), isEmpty)) return;
    SmallVector<Operation*> ops;
    const llvm::DenseSet<Operation*> whole = wholeComposites();
    block_.walk<WalkOrder::PreOrder>([&](Operation* op) {
      const bool isAsked = !isa<ir::ConstantOp>(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
                           !backend_api::ownerOf(op) && !reserved_.contains(op) &&
                           !prefersOther(op, owners_.attribute(owners_[number]));
      if (isAsked) ops.push_back(op);
      return whole.contains(op) ? WalkResult::skip() : WalkResult::advance();
    });
    const Owner& owner = owners_[number];
    for (auto [op, answer] : llvm::zip_equal(ops, askOwner(ops, owner, owners_))) {
      if (backend_api::isSupported(answer)) reserved_.insert(op);
    }
  }

  llvm::DenseSet<Operation*> wholeComposites() const {
    SmallVector<Operation*> composites;
    block_.walk([&](ir::CompositeOp composite) {
      if (!backend_api::ownerOf(composite)) composites.push_back(composite);
    });
    llvm::DenseSet<Operation*> whole;
    for (auto [op, answers] : llvm::zip_equal(composites, askOwners(composites, owners_))) {
      if (staysWhole(cast<ir::CompositeOp>(op), answers, owners_)) whole.insert(op);
    }
    return whole;
  }

  Block& block_;
  const OwnerIndex& owners_;
  ArrayRef<backend_api::PatternTable> tables_;  ///< By owner.
  llvm::DenseSet<Operation*> reserved_;
};

struct MergeComposite : impl::MergeCompositePassBase<MergeComposite> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    std::vector<backend_api::PatternTable> tables;
    for (size_t i = 0; i < owners->size(); ++i)
      tables.push_back((*owners)[i].backend->patterns((*owners)[i].target));
    for (Block* block : hostBlocks(getOperation())) Merging(*block, *owners, tables).run();
  }
};

}  // namespace

}  // namespace tessera::partition
