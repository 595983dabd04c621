#include "compiler/placement/costing/changes_of.h"

#include <algorithm>

namespace tessera::placement {

Changes changesOf(const Calibration& calibration, const partition::OwnerIndex& owners) {
  constexpr double kNoticeable = 3e-6;
  const auto between = [&](size_t a, size_t b) {
    return calibration.ofChange(owners.attribute(owners[a]), owners.attribute(owners[b]));
  };
  const auto isMinded = [&](size_t a, size_t b) {
    return std::max(between(a, b), between(b, a)) > kNoticeable;
  };
  std::vector<std::vector<size_t>> groups;
  Changes changes;
  for (size_t owner = 0; owner < owners.size(); ++owner) {
    const auto fits = [&](const std::vector<size_t>& group) {
      return llvm::none_of(group, [&](size_t other) { return isMinded(owner, other); });
    };
    auto group = llvm::find_if(groups, fits);
    if (group == groups.end()) group = groups.insert(groups.end(), std::vector<size_t>());
    changes.groups.push_back(static_cast<uint32_t>(group - groups.begin()));
    group->push_back(owner);
  }
  changes.seconds.assign(groups.size(), std::vector<double>(groups.size(), 0));
  for (size_t from = 0; from < groups.size(); ++from)
    for (size_t to = 0; to < groups.size(); ++to)
      for (const size_t before : groups[from])
        for (const size_t target : groups[to])
          if (from != to)
            changes.seconds[from][to] =
                std::max(changes.seconds[from][to], between(before, target));
  return changes;
}

}  // namespace tessera::placement
