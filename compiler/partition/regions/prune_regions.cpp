// Regions that are not worth their borders, by rules that owners state as data.
#include "compiler/ir/host_views.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/owner_index.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"
#include "compiler/partition/regions/canonical_order.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::partition {

#define GEN_PASS_DEF_PRUNEREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::Owner;
using backend_api::RegionRules;

namespace {

/// What the rules ask about.
struct Content {
  size_t operations = 0;
  int64_t flops = 0;  ///< Where they are known.
  bool hasAnchor = false;
};

}  // namespace

static Content contentOf(func::FuncOp region, const RegionRules& rules) {
  Content content;
  content.hasAnchor = rules.anchors.empty();
  for (Operation& op : region.getBody().front().without_terminator()) {
    if (isa<ir::ConstantOp>(op) || ir::isRename(&op)) continue;
    ++content.operations;
    if (auto counted = dyn_cast<ir::TsrOpInterface>(op))
      content.flops += std::max<int64_t>(counted.getFlops(), 0);
  }
  region.walk([&](Operation* op) {
    content.hasAnchor |= llvm::is_contained(rules.anchors, op->getName().stripDialect().str());
  });
  return content;
}

/// Whether it only brings a value to another layout or memory space: what needs that decides.
static bool isConversion(func::FuncOp region) {
  return llvm::all_of(region.getBody().front().without_terminator(), [](Operation& op) {
    return isa<ir::ConstantOp, ir::RelayoutOp, ir::CopyOp>(op);
  });
}

/// Why a region by itself is not worth it; empty when it is.
static std::string whyPruned(const Content& content, const RegionRules& rules) {
  if (!content.hasAnchor)
    return "a region without any of " + llvm::join(rules.anchors, ", ") +
           " is not worth its borders";
  if (content.operations < rules.minOperations)
    return "a region of " + std::to_string(content.operations) + " operators, fewer than " +
           std::to_string(rules.minOperations) + ", is not worth its borders";
  return "";
}

namespace {

struct PruneRegions : impl::PruneRegionsPassBase<PruneRegions> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    for (size_t i = 0; i < owners->size(); ++i) {
      const Owner& owner = (*owners)[i];
      const RegionRules& rules = owners->rules(owner);
      const bool mayPrune = !rules.anchors.empty() || rules.minOperations > 1 ||
                            rules.maxRegions != backend_api::kUnlimited;
      if (mayPrune && &owner != owners->host()) prune(rules, owners->attribute(owner));
    }
  }

  void prune(const RegionRules& rules, ir::TargetAttr target) {
    SmallVector<std::pair<func::FuncOp, int64_t>> kept;
    for (func::FuncOp region : regionsOf(target)) {
      if (region.isExternal() || isConversion(region)) continue;
      const Content content = contentOf(region, rules);
      const std::string reason = whyPruned(content, rules);
      if (reason.empty())
        kept.emplace_back(region, content.flops);
      else
        giveUp(region, target, reason);
    }
    if (kept.size() <= rules.maxRegions) return;
    llvm::stable_sort(kept, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [region, flops] : ArrayRef(kept).drop_front(rules.maxRegions))
      giveUp(region, target,
             "it keeps the " + std::to_string(rules.maxRegions) + " largest regions of a module");
  }

  /// In the order of their calls in the data flow: of equally large ones the first stay.
  llvm::SetVector<func::FuncOp> regionsOf(ir::TargetAttr target) {
    llvm::SetVector<func::FuncOp> regions;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!backend_api::ownerOf(function) && !function.isExternal())
        collect(function.getBody().front(), target, regions);
    }
    return regions;
  }

  void collect(Block& block, ir::TargetAttr target, llvm::SetVector<func::FuncOp>& regions) {
    for (Operation* op : canonicalOrder(block)) {
      auto call = dyn_cast<func::CallOp>(op);
      auto region =
          call ? getOperation().lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (region && backend_api::ownerOf(region) == target) regions.insert(region);
      for (Region& body : op->getRegions()) {
        if (isControlFlow(op)) collect(body.front(), target, regions);
      }
    }
  }

  void giveUp(func::FuncOp region, ir::TargetAttr target, const std::string& reason) {
    addExclusion(getOperation(), {.regionClass = "",
                                  .target = target,
                                  .reason = reason,
                                  .node = firstNodeOf(region),
                                  .isPruned = true});
    noteRefusal(getOperation(), operatorNumbers(region), target, reason);
  }
};

}  // namespace

}  // namespace tessera::partition
