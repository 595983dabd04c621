#include "compiler/plugin_host/groups.h"

#include <algorithm>
#include <iterator>

#include "compiler/ir/types.h"

namespace tessera::plugin_host {

using namespace mlir;

static void addNames(Operation* op, std::set<std::string>& names) {
  for (std::string& name : ir::sourceNames(op->getLoc())) {
    if (!name.empty()) names.insert(std::move(name));
  }
}

void Groups::learn(const std::string& target, ArrayRef<Operation*> asked,
                   const std::vector<std::vector<Operation*>>& groups) {
  if (asked.empty()) return;
  Names all;
  for (Operation* op : asked) addNames(op, all);
  const std::scoped_lock lock(mutex_);
  std::vector<Names>& known = groups_[{asked.front()->getContext(), target}];
  // A part of a group, alone, may be taken alone: that says nothing about the rest.
  std::erase_if(known, [&](const Names& other) { return std::ranges::includes(all, other); });
  for (const std::vector<Operation*>& group : groups) {
    Names names;
    for (Operation* op : group) addNames(op, names);
    if (names.size() > 1) known.push_back(std::move(names));
  }
}

/// Nodes of the operators in a module. A context may lie where an earlier one lay, whose modules
/// had others.
static std::set<std::string> namesIn(ModuleOp module) {
  std::set<std::string> names;
  if (!module) return names;
  module.walk([&](Operation* op) {
    if (!isa<func::FuncOp>(op)) addNames(op, names);
  });
  return names;
}

std::string Groups::whyTorn(const std::string& target, func::FuncOp region) const {
  const std::scoped_lock lock(mutex_);
  const auto known = groups_.find({region.getContext(), target});
  if (known == groups_.end()) return {};
  Names here;
  region.walk([&](Operation* op) { addNames(op, here); });
  for (const Names& group : known->second) {
    Names inside, outside;
    std::ranges::set_intersection(group, here, std::inserter(inside, inside.end()));
    std::ranges::set_difference(group, here, std::inserter(outside, outside.end()));
    if (inside.empty() || outside.empty()) continue;
    const Names all = namesIn(region->getParentOfType<ModuleOp>());
    if (std::ranges::includes(all, group))
      return "it takes it only together with '" + *outside.begin() +
             "', which is not in the region";
  }
  return {};
}

}  // namespace tessera::plugin_host
