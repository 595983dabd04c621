#include "compiler/placement/timing/summary.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tessera::placement {

/// How many samples lie outside of the interval at each end: the most, k, with
/// P(at most k of n are above the median) <= (1 - level) / 2, or -1 when there is none.
static std::ptrdiff_t numOutside(size_t n, double level) {
  const double share = (1 - level) / 2;
  double logTerm = -static_cast<double>(n) * std::numbers::ln2;  // Of k = 0; 2^-n itself may be 0.
  double tail = 0;
  for (size_t k = 0; k <= n / 2; ++k) {
    tail += std::exp(logTerm);
    if (tail > share) return static_cast<std::ptrdiff_t>(k) - 1;
    logTerm += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
  }
  return static_cast<std::ptrdiff_t>(n / 2) - 1;
}

static double middleOf(const std::vector<double>& sorted) {
  const size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double Summary::relativeHalfWidth() const {
  const double width = (high - low) / 2 / median;
  return std::isnan(width) ? std::numeric_limits<double>::infinity() : width;
}

Summary summarize(std::span<const double> samples, double level) {
  Summary summary{.numSamples = samples.size()};
  if (samples.empty()) return summary;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  summary.median = middleOf(sorted);
  if (const std::ptrdiff_t outside = numOutside(sorted.size(), level); outside >= 0) {
    summary.low = sorted[static_cast<size_t>(outside)];
    summary.high = sorted[sorted.size() - 1 - static_cast<size_t>(outside)];
  }
  return summary;
}

double quantile(std::span<const double> samples, double share) {
  std::vector<double> copy(samples.begin(), samples.end());
  const auto at = copy.begin() + std::lround(share * static_cast<double>(copy.size() - 1));
  std::ranges::nth_element(copy, at);
  return *at;
}

double median(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return middleOf(sorted);
}

}  // namespace tessera::placement
