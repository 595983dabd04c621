#include "compiler/report/placement.h"

#include "compiler/ir/composites.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/answers.h"
#include "compiler/partition/exclusions.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::report {

using namespace mlir;
using backend_api::Declined;
using partition::Answers;
using partition::OwnerIndex;

namespace {

/// Entries by node and region.
class Placement {
 public:
  Placement(ModuleOp module, const OwnerIndex& owners)
      : module_(module), owners_(owners), exclusions_(partition::exclusionsOf(module)) {}

  std::vector<NodePlacement> describe() {
    if (auto entry = ir::entryFunction(module_)) visit(entry);
    std::vector<NodePlacement> result;
    for (auto& [key, node] : nodes_) result.push_back(std::move(node));
    return result;
  }

 private:
  /// Operators of the function, those of a region in place of its first call.
  void visit(func::FuncOp function) {
    if (!seen_.insert(function).second || function.isExternal()) return;
    function.walk<WalkOrder::PreOrder>([&](Operation* op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        if (auto callee = module_.lookupSymbol<func::FuncOp>(call.getCallee())) visit(callee);
        return WalkResult::advance();
      }
      auto composite = dyn_cast<ir::CompositeOp>(op);
      if (composite && ir::composite::isBackends(composite.getName())) return WalkResult::advance();
      const bool isNode =
          op != function && !isa<ir::ConstantOp>(op) && !op->hasTrait<OpTrait::IsTerminator>();
      if (isNode) add(function, op);
      return composite ? WalkResult::skip() : WalkResult::advance();
    });
  }

  void add(func::FuncOp function, Operation* op) {
    const ir::TargetAttr owner = backend_api::ownerOf(function);
    const Answers answers = partition::askOwners({op}, owners_).front();
    SmallVector<std::string> names = ir::sourceNames(op->getLoc());
    if (names.empty()) names.emplace_back();
    for (const std::string& name : names) {
      NodePlacement& node = nodes_[function.getName().str() + "\n" + name];
      const bool isNew = node.ops.empty();
      node.node = name;
      node.ops.push_back(op->getName().stripDialect().str());
      if (owner) node.owner = backend_api::fromAttribute(owner).toString();
      node.region = function.getName().str();
      addAnswers(node, answers, owner, isNew);
    }
  }

  /// Whoever takes all operators of a node is willing; a refusal's first reason counts.
  void addAnswers(NodePlacement& node, const Answers& answers, ir::TargetAttr owner, bool isNew) {
    for (auto [i, answer] : llvm::enumerate(answers)) {
      const ir::TargetAttr target = owners_.attribute(owners_[i]);
      if (target == owner) continue;
      const std::string name = owners_[i].target.toString();
      const auto* declined = std::get_if<Declined>(&answer);
      const std::string reason = declined ? declined->reason : whyExcluded(node.node, target);
      const auto refused = llvm::find_if(
          node.refusals, [&](const NodePlacement::Refusal& each) { return each.target == name; });
      if (refused != node.refusals.end()) continue;
      if (reason.empty()) {
        if (isNew) node.willing.push_back(name);
      } else {
        llvm::erase(node.willing, name);
        node.refusals.push_back({.target = name, .reason = reason});
      }
    }
  }

  /// Exclusions name one node of a region.
  std::string whyExcluded(const std::string& node, ir::TargetAttr target) const {
    for (const partition::Exclusion& exclusion : exclusions_) {
      if (exclusion.target == target && !node.empty() && exclusion.node == node)
        return exclusion.reason;
    }
    return "";
  }

  ModuleOp module_;
  const OwnerIndex& owners_;
  std::vector<partition::Exclusion> exclusions_;
  llvm::DenseSet<Operation*> seen_;
  llvm::MapVector<std::string, NodePlacement, std::map<std::string, unsigned>> nodes_;
};

}  // namespace

/// Every value row-major in host memory: what owners are asked about before layouts are chosen.
static void forgetLayouts(ModuleOp module) {
  module.walk([](Operation* op) {
    const auto plain = [](Value value) {
      if (const auto type = dyn_cast<RankedTensorType>(value.getType()))
        value.setType(ir::plainType(type));
    };
    llvm::for_each(op->getResults(), plain);
    for (Region& region : op->getRegions()) {
      for (Block& block : region) llvm::for_each(block.getArguments(), plain);
    }
  });
}

std::vector<NodePlacement> describePlacement(ModuleOp placed) {
  const auto owners = OwnerIndex::of(placed);
  if (failed(owners)) return {};
  const OwningOpRef<ModuleOp> plain = placed.clone();
  forgetLayouts(*plain);
  return Placement(*plain, *owners).describe();
}

}  // namespace tessera::report
