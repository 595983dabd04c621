// Plans that are run for what they tell of others.
#pragma once

#include <vector>

#include "compiler/placement/plan.h"

namespace tessera::placement {

/// The numbers of up to `most` of these plans in which, together, the most targets come right
/// behind the most others: what that costs is not known otherwise. Each tells of something that
/// those before it do not.
std::vector<size_t> mostTelling(const std::vector<std::vector<PlannedTile>>& plans, size_t most);

}  // namespace tessera::placement
