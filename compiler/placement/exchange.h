// What a plan would cost with a candidate that is not in it.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace tessera::placement {

/// A plan and what else could be in it; conversions between tiles are left out.
class Exchange {
 public:
  using NodeSet = llvm::SmallVector<uint32_t>;  ///< Sorted, each once.

  /// Something that could run these operators in so many seconds.
  void offer(const NodeSet& nodes, double seconds);
  /// A tile of the plan, which was offered, too.
  void choose(const NodeSet& nodes);

  /// Seconds by which the plan gets longer when a tile runs `nodes` in `seconds`, and what else was
  /// in the tiles that it breaks up goes to the cheapest offers. Nothing where no offers are found
  /// for that, or there are too many ways to try.
  std::optional<double> loss(const NodeSet& nodes, double seconds) const;

 private:
  class Cover;

  std::map<NodeSet, double> offers_;  ///< The cheapest for each set.
  std::map<uint32_t, std::vector<const std::pair<const NodeSet, double>*>> byFirst_;
  std::vector<NodeSet> chosen_;
};

}  // namespace tessera::placement
