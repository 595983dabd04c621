// Axes along which results repeat. Not for other folders.
#pragma once

#include <optional>

#include "compiler/lowering/resample/resample.h"

namespace tessera::lowering {

/// A whole number of results for each element of the input: result j * phases.size() + p is the sum
/// of phases[p].weights[t] times element j + phases[p].first + t, where those outside of the input
/// are like the outermost one. Weights are empty where there is one tap of 1.
struct RepeatedAxis {
  struct Phase {
    int64_t first = 0;
    llvm::ArrayRef<float> weights = {};  ///< Those of the axis.
  };

  llvm::SmallVector<Phase> phases;
  int64_t before = 0, behind = 0;  ///< Elements in front of j and behind it that any result needs.

  int64_t factor() const { return static_cast<int64_t>(phases.size()); }
};

/// Nothing where results do not repeat. `axis` outlives the result.
std::optional<RepeatedAxis> repeatedAxis(const ResampledAxis& axis);

}  // namespace tessera::lowering
