// The median of samples and how sure it is, without assuming how noise is distributed.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace tessera::placement {

/// The median, and two samples between which the true one lies: whatever the distribution, each
/// sample is above the true median with probability 1/2, so that the number above it is binomial.
struct Summary {
  size_t numSamples = 0;
  double median = std::numeric_limits<double>::quiet_NaN();  ///< NaN without samples.
  /// Infinite where there are too few samples: 6 for a level of 0.95, 8 for 0.99.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  /// Half the interval by the median: 0.02 for 98 to 102. Infinite without an interval.
  double relativeHalfWidth() const;
};

/// The narrowest interval of this kind that holds the true median in at least `level` of all cases.
/// Samples are finite, and independent of each other; looking at the interval after each sample to
/// see whether to go on costs some of the level. O(n log n).
Summary summarize(std::span<const double> samples, double level = 0.95);

/// The sample that a share of the others, 0 to 1, lies below; `samples` are not empty. O(n).
double quantile(std::span<const double> samples, double share);

/// The middle one, or the mean of the two; `samples` are not empty. O(n log n).
double median(std::span<const double> samples);

}  // namespace tessera::placement
