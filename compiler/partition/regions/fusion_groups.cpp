// Operator fusion by post-dominators. Source: TVM, FuseOps (Chen et al., OSDI 2018, section 3); the
// kinds of operators are ir::FusionKind. Cost: O(n * depth) for n operators.
//
// For each operator its immediate post-dominator is where all its uses meet again. If everything
// between the two is cheap enough to recompute in registers (by kind), the whole stretch becomes
// one group. Three rounds: contractions and reductions first take the elementwise operators behind
// them, and perhaps what ends these, then contractions those in front that are left, then chains of
// injective operators fuse. Operators are visited in canonical order: who claims a tail that two
// could take does not depend on how independent operators are ordered.
#include "compiler/partition/regions/fusion_groups.h"

#include <functional>

#include "compiler/ir/types.h"
#include "compiler/partition/regions/canonical_order.h"
#include "compiler/support/check.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::partition {

using namespace mlir;
using ir::FusionKind;

namespace {

struct Node {
  Operation* op = nullptr;
  const backend_api::Owner* owner = nullptr;
  const backend_api::RegionRules* rules = nullptr;
  FusionKind kind = FusionKind::Opaque;
  std::vector<int> users = {};
  bool escapes = false;  ///< Has a use outside the owned operators.
  int dominator = -1;    ///< Immediate post-dominator; -1 when uses never meet again.
  int depth = 0;
};

class Grouping {
 public:
  Grouping(Block& block, const OwnerIndex& owners) {
    for (Operation* op : canonicalOrder(block)) {
      const backend_api::Owner* owner = owners.of(op);
      if (!owner) continue;
      index_[op] = static_cast<int>(nodes_.size());
      Node node{.op = op, .owner = owner, .rules = &owners.rules(*owner)};
      if (auto interface = dyn_cast<ir::TsrOpInterface>(op)) node.kind = interface.getFusionKind();
      nodes_.push_back(std::move(node));
    }
    for (Node& node : nodes_) collectUsers(node);
    parent_.resize(nodes_.size());
    size_.assign(nodes_.size(), 1);
    groupKind_.resize(nodes_.size());
    anchors_.resize(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      parent_[i] = static_cast<int>(i);
      groupKind_[i] = nodes_[i].kind;
      if (nodes_[i].kind >= FusionKind::Injective) anchors_[i].push_back(nodes_[i].op);
    }
    for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) computeDominator(i);
  }

  std::vector<FusionGroup> run() {
    for (size_t i = 0; i < nodes_.size(); ++i) fuseEpilogue(static_cast<int>(i));
    for (size_t i = 0; i < nodes_.size(); ++i) fusePrologues(static_cast<int>(i));
    for (size_t i = 0; i < nodes_.size(); ++i) fuseInjective(static_cast<int>(i));
    return collect();
  }

 private:
  void collectUsers(Node& node) {
    for (Operation* user : node.op->getUsers()) {
      const auto it = index_.find(user);
      if (it == index_.end())
        node.escapes = true;
      else if (!llvm::is_contained(node.users, it->second))
        node.users.push_back(it->second);
    }
  }

  /// Nodes come in the reverse of an execution order, so all users are done.
  void computeDominator(int i) {
    Node& node = nodes_[i];
    if (node.escapes || node.users.empty()) return;
    int meet = node.users[0];
    for (const int user : node.users) meet = leastCommonAncestor(meet, user);
    if (meet < 0) return;
    node.dominator = meet;
    node.depth = nodes_[meet].depth + 1;
  }

  int leastCommonAncestor(int a, int b) const {
    while (a != b) {
      if (a < 0 || b < 0) return -1;
      int& deeper = nodes_[a].depth >= nodes_[b].depth ? a : b;
      deeper = nodes_[deeper].dominator;
    }
    return a;
  }

  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  bool sameOwner(int a, int b) const { return nodes_[a].owner == nodes_[b].owner; }

  /// Calls visit(node, isSink) for all nodes behind `from` up to `sink`; stops at the first that
  /// returns false.
  bool forPath(int from, int sink, const std::function<bool(int, bool)>& visit) {
    llvm::DenseSet<int> seen;
    std::vector<int> stack(nodes_[from].users);
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      if (!seen.insert(at).second) continue;
      if (!visit(at, at == sink)) return false;
      if (at != sink) stack.insert(stack.end(), nodes_[at].users.begin(), nodes_[at].users.end());
    }
    return true;
  }

  /// Whether the owner takes the operators that are more than elementwise of all groups in one.
  bool mayShareRegion(const llvm::DenseSet<int>& roots, const backend_api::Backend& owner) const {
    std::vector<Operation*> seen;
    for (const int root : roots) {
      for (Operation* anchor : anchors_[root]) {
        const auto declines = [&](Operation* other) {
          return !owner.mayShareRegion(other, anchor);
        };
        if (llvm::any_of(seen, declines)) return false;
      }
      seen.insert(seen.end(), anchors_[root].begin(), anchors_[root].end());
    }
    return true;
  }

  /// Joins the stretch between `from` and `sink` unless it becomes too large, or holds operators
  /// that the owner, where it did not ask for this, wants apart.
  bool merge(int from, int sink, bool isAskedFor = false) {
    llvm::DenseSet<int> roots = {find(from)};
    forPath(from, sink, [&](int at, bool) { return roots.insert(find(at)), true; });
    size_t total = 0;
    FusionKind kind = FusionKind::Elementwise;
    for (const int root : roots) {
      total += size_[root];
      kind = std::max(kind, groupKind_[root]);
    }
    if (total > nodes_[from].rules->maxOperations) return false;
    if (!isAskedFor && !mayShareRegion(roots, *nodes_[from].owner->backend)) return false;
    const int target = find(sink);
    for (const int root : roots) {
      parent_[root] = target;
      if (root != target) llvm::append_range(anchors_[target], anchors_[root]);
    }
    size_[target] = total;
    groupKind_[target] = kind;
    return true;
  }

  static bool takesEpilogue(const Node& anchor) {
    if (anchor.kind == FusionKind::Opaque)
      return anchor.rules->takesEpilogue && anchor.rules->takesEpilogue(anchor.op);
    return anchor.kind == FusionKind::OutFusable || anchor.kind == FusionKind::Reduction;
  }

  /// Elementwise operators behind a contraction or reduction, as long as they keep its shape, and
  /// what ends them.
  void fuseEpilogue(int i) {
    const Node& anchor = nodes_[i];
    // What ends another one's epilogue has none.
    if (!takesEpilogue(anchor) || anchors_[find(i)].size() > 1) return;
    if (!anchor.rules->fuseEpilogues || anchor.op->getNumResults() != 1) return;
    const auto shape = cast<RankedTensorType>(anchor.op->getResult(0).getType());
    llvm::DenseSet<Operation*> members = {anchor.op};
    const auto& joins = anchor.rules->joinsEpilogue;
    const auto& mayEnd = anchor.rules->mayEndEpilogue;
    int from = i, last = i;
    while (nodes_[last].dominator >= 0) {
      const int sink = nodes_[last].dominator;
      forPath(from, sink, [&](int at, bool) { return members.insert(nodes_[at].op), true; });
      const bool fits = forPath(from, sink, [&](int at, bool) {
        const Node& node = nodes_[at];
        return node.kind <= FusionKind::Broadcast && sameOwner(i, at) && find(at) == at &&
               node.op->getNumResults() == 1 && keepsShape(node.op, shape, members) &&
               (!joins || joins(node.op, anchor.op, members));
      });
      if (!fits) break;
      last = sink;
      if (mayEnd && !mayEnd(nodes_[sink].op, anchor.op)) continue;
      if (!merge(from, sink)) break;
      from = sink;
    }
    fuseEnd(i, from);
  }

  /// The only reader of `from`, the last operator of the contraction `anchor`.
  void fuseEnd(int anchor, int from) {
    const Node& node = nodes_[from];
    const auto& isEnd = nodes_[anchor].rules->endsEpilogue;
    if (!isEnd || nodes_[anchor].kind != FusionKind::OutFusable || node.escapes ||
        node.users.size() != 1)
      return;
    const int end = node.users.front();
    const bool isAlone = find(end) == end && size_[end] == 1 && sameOwner(anchor, end);
    if (isAlone && isEnd(nodes_[end].op, nodes_[anchor].op)) merge(from, end, /*isAskedFor=*/true);
  }

  /// Whether an elementwise operator has results of shape `shape`, given that those of `members`
  /// have: an open dimension that is 1 at run time must not meet a larger one from elsewhere.
  static bool keepsShape(Operation* op, RankedTensorType shape,
                         const llvm::DenseSet<Operation*>& members) {
    const auto result = cast<RankedTensorType>(op->getResult(0).getType());
    if (result.getShape() != shape.getShape()) return false;
    for (int64_t d = 0; d < shape.getRank(); ++d) {
      if (ir::isEqualSize(result, d, shape, d)) continue;
      for (const Value operand : op->getOperands()) {
        const auto type = dyn_cast<RankedTensorType>(operand.getType());
        const int64_t own = type ? d - (shape.getRank() - type.getRank()) : -1;
        const bool isMember = members.contains(operand.getDefiningOp());
        if (own >= 0 && !isMember && type.getDimSize(own) != 1) return false;
      }
    }
    return true;
  }

  /// Elementwise operators in front of a contraction that nothing else reads.
  void fusePrologues(int i) {
    const Node& anchor = nodes_[i];
    if (anchor.kind != FusionKind::OutFusable || !anchor.rules->fusesPrologue) return;
    for (OpOperand& operand : anchor.op->getOpOperands()) fusePrologue(i, i, operand);
  }

  /// What makes the operands of `reader`, which is the contraction `anchor` or leads to its operand
  /// `into`.
  void fusePrologue(int reader, int anchor, OpOperand& into) {
    const Type type = into.get().getType();
    SmallVector<Value> read = {into.get()};
    if (reader != anchor) read = llvm::to_vector<6>(nodes_[reader].op->getOperands());
    for (const Value value : read) {
      const auto it = index_.find(value.getDefiningOp());
      if (it == index_.end()) continue;
      const int at = it->second;
      const Node& node = nodes_[at];
      const bool isAlone = find(at) == at && size_[at] == 1 && !node.escapes &&
                           node.users == std::vector<int>{reader};
      if (!isAlone || node.kind > FusionKind::Broadcast || !sameOwner(at, anchor) ||
          value.getType() != type || !node.rules->fusesPrologue(node.op, into))
        continue;
      if (merge(at, anchor)) fusePrologue(at, anchor, into);
    }
  }

  /// Injective operators into the injective or reducing operator in which their uses meet.
  void fuseInjective(int i) {
    const Node& node = nodes_[i];
    if (node.dominator < 0 || !node.rules->fuseElementwise ||
        groupKind_[find(i)] > FusionKind::Injective)
      return;
    const int sink = node.dominator;
    if (find(sink) == find(i)) return;
    const bool fits = forPath(i, sink, [&](int at, bool isSink) {
      const FusionKind kind = groupKind_[find(at)];
      const FusionKind limit = isSink ? FusionKind::Reduction : FusionKind::Injective;
      return kind <= limit && sameOwner(i, at);
    });
    if (fits) merge(i, sink);
  }

  /// Groups as their last operators stand in the block, which is an order of execution: values
  /// leave through the last.
  std::vector<FusionGroup> collect() {
    llvm::MapVector<int, FusionGroup> byRoot;
    for (size_t i = 0; i < nodes_.size(); ++i)
      byRoot[find(static_cast<int>(i))].push_back(nodes_[i].op);
    std::vector<FusionGroup> groups;
    for (auto& [root, group] : byRoot) groups.push_back(std::move(group));
    llvm::sort(groups, [](const FusionGroup& a, const FusionGroup& b) {
      return a.back()->isBeforeInBlock(b.back());
    });
    return groups;
  }

  std::vector<Node> nodes_;  ///< In canonical order: they claim each other in it.
  llvm::DenseMap<Operation*, int> index_;
  std::vector<int> parent_;
  std::vector<size_t> size_;
  std::vector<FusionKind> groupKind_;
  std::vector<std::vector<Operation*>> anchors_;  ///< By root: what is more than elementwise.
};

}  // namespace

std::vector<FusionGroup> computeFusionGroups(Block& block, const OwnerIndex& owners) {
  return Grouping(block, owners).run();
}

}  // namespace tessera::partition
