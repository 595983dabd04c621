// The smallest part of something that still does what the whole does.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::reduce {

using Parts = std::vector<uint32_t>;  ///< Ascending.

/// Leaves parts out as long as the rest is interesting: first halves, then quarters and so on, down
/// to single ones, of which none can be left out in the end (delta debugging: Zeller and
/// Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 28(2), 2002). `parts` is
/// interesting. At most O(n^2) questions, O(log n) where one part is to blame; no set is asked
/// about twice.
Parts shrink(Parts parts, const std::function<bool(const Parts&)>& isInteresting);

}  // namespace tessera::reduce
