// The oracle: every choice, one by one.
#pragma once

#include <optional>
#include <vector>

#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

struct CountedChoice {
  Ticks ticks = 0;
  std::vector<CandidateId> chosen;  ///< By first node.
};

/// All choices that checkChoice allows, cheapest first. Errors are none: empty where there is none.
std::vector<CountedChoice> allChoices(const Problem& problem);

}  // namespace tessera::placement::search
