// The vectors that a resized row is made of. Not for other folders.
#pragma once

#include <optional>

#include "compiler/lowering/resample/resample.h"

namespace tessera::lowering {

/// A vector of neighbouring results: element places[t][lane] of a vector from column `base` of the
/// input on, times weights[t][lane], summed over the taps t.
struct ColumnGroup {
  int64_t base = 0;
  int64_t numRead = 0;   ///< Elements from `base` on that there are, up to a vector.
  int64_t numValid = 0;  ///< Results.
  llvm::SmallVector<llvm::SmallVector<int64_t>> places = {};
  llvm::SmallVector<llvm::SmallVector<float>> weights = {};  ///< Empty where there are none.
};

/// All vectors of a row; nothing where one needs elements that are too far apart.
std::optional<llvm::SmallVector<ColumnGroup>> columnGroups(const ResampledAxis& columns,
                                                           int64_t lanes);

/// Groups [begin, begin + period * count), of which each is like the one `period` before it, but
/// `advance` columns further on.
struct ColumnRun {
  size_t begin = 0, period = 1, count = 1;
  int64_t advance = 0;
};

/// All groups, in order, as few runs.
llvm::SmallVector<ColumnRun> runsOf(llvm::ArrayRef<ColumnGroup> groups);

}  // namespace tessera::lowering
