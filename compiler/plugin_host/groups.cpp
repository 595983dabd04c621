#include "compiler/plugin_host/groups.h"

#include "compiler/ir/types.h"

namespace tessera::plugin_host {

using namespace mlir;

static void addNames(Operation* op, std::set<std::string>& names) {
  for (std::string& name : ir::sourceNames(op->getLoc())) {
    if (!name.empty()) names.insert(std::move(name));
  }
}

void Groups::learn(const std::string& target, const std::vector<std::vector<Operation*>>& groups) {
  const std::scoped_lock lock(mutex_);
  for (const std::vector<Operation*>& group : groups) {
    if (group.empty()) continue;
    Names names;
    for (Operation* op : group) addNames(op, names);
    std::vector<Names>& known = groups_[{group.front()->getContext(), target}];
    std::erase_if(known, [&](const Names& other) {
      return std::ranges::any_of(other,
                                 [&](const std::string& name) { return names.contains(name); });
    });
    if (names.size() > 1) known.push_back(std::move(names));
  }
}

std::string Groups::whyTorn(const std::string& target, func::FuncOp region) const {
  const std::scoped_lock lock(mutex_);
  const auto known = groups_.find({region.getContext(), target});
  if (known == groups_.end()) return {};
  Names here;
  region.walk([&](Operation* op) { addNames(op, here); });
  for (const Names& group : known->second) {
    const auto isHere = [&](const std::string& name) { return here.contains(name); };
    if (std::ranges::none_of(group, isHere)) continue;
    const auto absent = std::ranges::find_if_not(group, isHere);
    if (absent != group.end())
      return "it takes it only together with '" + *absent + "', which is not in the region";
  }
  return {};
}

}  // namespace tessera::plugin_host
