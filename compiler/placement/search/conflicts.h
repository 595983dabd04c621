// Which candidates can never be taken together.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/problem.h"
#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// Two candidates without a common node of which each waits for something that the other computes,
/// directly or through what is between them. Only candidates with several ends can (quotient.h).
/// Cycles of three and more are not in here. Candidates with the same nodes are one shape.
struct Conflicts {
  static constexpr uint32_t kNone = ~0u;

  Conflicts(const Problem& problem, std::span<const CandidateId> some);

  std::vector<uint32_t> shapeOf;                     ///< By candidate; kNone: it has no conflict.
  std::vector<std::vector<CandidateId>> candidates;  ///< By shape.
  std::vector<std::vector<uint32_t>> with;           ///< By shape: the others, ascending.
  std::vector<NodeId> lastStart;                     ///< By shape: the last first node of those.
};

}  // namespace tessera::placement::search
