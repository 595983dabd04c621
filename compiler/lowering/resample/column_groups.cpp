#include "compiler/lowering/resample/column_groups.h"

namespace tessera::lowering {

using llvm::ArrayRef;
using llvm::SmallVector;

// Columns [base, base + lanes) are inside of the row where that is long enough.
static std::optional<ColumnGroup> groupFrom(const ResampledAxis& columns, int64_t first,
                                            int64_t lanes) {
  ColumnGroup group{.numValid = std::min(lanes, columns.output - first)};
  const int64_t numTaps = columns.numTaps;
  const ArrayRef<int64_t> positions =
      ArrayRef(columns.positions).slice(first * numTaps, group.numValid * numTaps);
  group.base = std::min(*std::min_element(positions.begin(), positions.end()),
                        std::max<int64_t>(columns.input - lanes, 0));
  group.numRead = std::min(lanes, columns.input - group.base);
  if (*std::max_element(positions.begin(), positions.end()) >= group.base + lanes)
    return std::nullopt;
  for (int64_t tap = 0; tap < numTaps; ++tap) {
    auto& places = group.places.emplace_back();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      // Lanes behind the last result are like it.
      const int64_t at = std::min(lane, group.numValid - 1) * numTaps + tap;
      places.push_back(positions[at] - group.base);
      if (columns.weights.empty()) continue;
      if (lane == 0) group.weights.emplace_back();
      group.weights.back().push_back(columns.weights[first * numTaps + at]);
    }
  }
  return group;
}

std::optional<SmallVector<ColumnGroup>> columnGroups(const ResampledAxis& columns, int64_t lanes) {
  SmallVector<ColumnGroup> groups;
  for (int64_t first = 0; first < columns.output; first += lanes) {
    auto group = groupFrom(columns, first, lanes);
    if (!group) return std::nullopt;
    groups.push_back(std::move(*group));
  }
  return groups;
}

static bool areAlike(const ColumnGroup& a, const ColumnGroup& b) {
  return a.numRead == b.numRead && a.numValid == b.numValid && a.places == b.places &&
         a.weights == b.weights;
}

// The longest run from `begin` on whose groups repeat after `period` of them.
static ColumnRun runFrom(ArrayRef<ColumnGroup> groups, size_t begin, size_t period) {
  ColumnRun run{.begin = begin, .period = period};
  if (begin + period >= groups.size()) return run;
  run.advance = groups[begin + period].base - groups[begin].base;
  size_t end = begin + period;
  while (end < groups.size() && areAlike(groups[end], groups[end - period]) &&
         groups[end].base - groups[end - period].base == run.advance)
    ++end;
  run.count = (end - begin) / period;
  return run;
}

SmallVector<ColumnRun> runsOf(ArrayRef<ColumnGroup> groups) {
  // Scales of halves, thirds, fifths.
  constexpr size_t kPeriods[] = {1, 3, 5};
  constexpr size_t kLeastRepeats = 4;
  SmallVector<ColumnRun> runs;
  for (size_t begin = 0; begin < groups.size();) {
    ColumnRun best{.begin = begin};
    for (const size_t period : kPeriods) {
      const ColumnRun run = runFrom(groups, begin, period);
      if (run.count >= kLeastRepeats && run.count * run.period > best.count * best.period)
        best = run;
    }
    runs.push_back(best);
    begin += best.count * best.period;
  }
  return runs;
}

}  // namespace tessera::lowering
