#include "compiler/placement/candidates/candidate_set.h"

#include "compiler/backend_api/backend.h"
#include "compiler/ir/host_views.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/passes.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::placement {

using namespace mlir;

/// Whether a region only brings a value to another layout or memory space.
static bool isConversion(func::FuncOp region) {
  return llvm::all_of(region.getBody().front().without_terminator(), [](Operation& op) {
    return isa<ir::ConstantOp, ir::RelayoutOp, ir::CopyOp>(op);
  });
}

/// What of a placed tile is not its target's; empty when all is.
static std::string whatOthersGot(ModuleOp placed, ir::TargetAttr target) {
  for (auto region : placed.getOps<func::FuncOp>()) {
    const ir::TargetAttr owner = backend_api::ownerOf(region);
    if (!owner || owner == target || isConversion(region)) continue;
    return "target '" + backend_api::fromAttribute(target).toString() +
           "' does not take all of it: " + region.getName().str();
  }
  return "";
}

static size_t countRegions(ModuleOp placed, ir::TargetAttr target) {
  return llvm::count_if(placed.getOps<func::FuncOp>(), [&](func::FuncOp region) {
    return backend_api::ownerOf(region) == target && !isConversion(region);
  });
}

void CandidateCollector::add(const std::vector<Proposal>& proposals) {
  set_.numProposals += proposals.size();
  for (const Proposal& proposal : proposals) {
    if (addTile(proposal.tile, proposal.rule)) taken_.push_back(proposal);
  }
  for (size_t before = 0; before != set_.tiles.size();) {
    before = set_.tiles.size();
    for (const Proposal& proposal : taken_) addVariants(proposal);
  }
}

/// In every choice of layouts; false when the tile's target does not take it, or it is there.
bool CandidateCollector::addTile(const Tile& tile, const std::string& rule) {
  if (!addChoice(tile, rule)) return false;
  const uint32_t numChoices = set_.classes[set_.tiles.back().classNumber].numChoices;
  Tile other = tile;
  while (++other.choice < std::min<size_t>(numChoices, kMaxLayouts)) addChoice(other, rule);
  return true;
}

bool CandidateCollector::addChoice(const Tile& tile, const std::string& rule) {
  std::vector<const void*> key = {tile.target.getAsOpaquePointer()};
  for (const Type type : tile.reads) key.push_back(type.getAsOpaquePointer());
  if (!tried_.insert({tile.nodes, tile.choice, std::move(key)}).second) return false;
  ExtractedTile extracted = extractTile(graph_, tile);
  const size_t number = classOf(*extracted.module, tile.target);
  const CandidateClass& found = set_.classes[number];
  if (!found.reason.empty()) {
    if (tile.reads.empty() && tile.choice == 0)
      set_.declined.push_back({.tile = tile, .classNumber = number});
    return false;
  }
  // What it falls into is on offer by itself.
  const bool mustBeOne = rule.starts_with(kSharedRule) || rule == kUnionRule;
  if (mustBeOne && found.numRegions > 1) return false;
  for (auto [output, type] : llvm::zip_equal(extracted.outputs, found.gives)) {
    std::vector<Type>& states = states_[output];
    const bool isNew = type != output.getType() && !llvm::is_contained(states, type);
    if (isNew && states.size() + 1 < kMaxLayouts) states.push_back(type);
  }
  set_.tiles.push_back({.tile = tile,
                        .rule = rule,
                        .classNumber = number,
                        .inputs = std::move(extracted.inputs),
                        .outputs = std::move(extracted.outputs)});
  if (tile.reads.empty()) inputs_[tile.nodes] = set_.tiles.back().inputs;
  return true;
}

size_t CandidateCollector::classOf(ModuleOp extracted, ir::TargetAttr target) {
  std::string name = tileClass(extracted);
  const auto [it, isNew] = classes_.try_emplace(name, set_.classes.size());
  if (!isNew) return it->second;
  CandidateClass& made = set_.classes.emplace_back();
  made.name = std::move(name);
  made.module = extracted.clone();
  const Status status = place_(*made.module);
  made.reason = status ? whatOthersGot(*made.module, target) : status.error().message;
  if (made.reason.empty())
    llvm::append_range(made.gives, ir::entryFunction(*made.module).getResultTypes());
  else
    made.module = {};
  if (!made.module) return it->second;
  made.numRegions = countRegions(*made.module, target);
  if (const auto count = dyn_cast_or_null<IntegerAttr>(
          (*made.module)->removeAttr(partition::kNumLayoutChoicesAttribute)))
    made.numChoices = static_cast<uint32_t>(count.getInt());
  return it->second;
}

/// The tile again for values that come in other layouts: the first that somebody gives, for all
/// of its inputs that have one, then the second, ...
void CandidateCollector::addVariants(const Proposal& proposal) {
  const SmallVector<Value> inputs = inputs_.find(proposal.tile.nodes)->second;
  for (size_t k = 0; k + 1 < kMaxLayouts; ++k) {
    Tile variant = proposal.tile;
    bool hasLayout = false;
    for (const Value input : inputs) {
      const std::vector<Type>& states = states_[input];
      const size_t index = std::min(k, states.size() - 1);
      variant.reads.push_back(states.empty() ? input.getType() : states[index]);
      hasLayout |= k < states.size();
    }
    if (!hasLayout) return;
    addTile(variant, proposal.rule);
  }
}

}  // namespace tessera::placement
