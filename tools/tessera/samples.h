// Times of repeated runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::cli {

/// The sample that a share `q` of the others lies below; `sorted` is not empty.
inline double quantile(const std::vector<double>& sorted, double q) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<size_t>(q * static_cast<double>(sorted.size())))];
}

}  // namespace tessera::cli
