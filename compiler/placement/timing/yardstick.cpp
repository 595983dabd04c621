#include "compiler/placement/timing/yardstick.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

/// 128 KiB: more than a first-level cache, less than a second-level one.
static constexpr size_t kNumValues = 16384;
static constexpr size_t kNumPasses = 8;
/// Sums that do not wait for each other.
static constexpr size_t kNumSums = 8;
static constexpr double kUndisturbedShare = 0.1;

bool isSteady(const Measured& sample, double tolerance) {
  const auto [fast, slow] = std::minmax(sample.before, sample.after);
  return slow <= fast * (1 + tolerance);
}

std::vector<double> corrected(std::span<const Measured> samples, double reference,
                              double tolerance) {
  std::vector<double> seconds;
  for (const Measured& sample : samples) {
    if (isSteady(sample, tolerance))
      seconds.push_back(sample.seconds * reference * 2 / (sample.before + sample.after));
  }
  return seconds;
}

double undisturbed(std::span<const double> times) { return quantile(times, kUndisturbedShare); }

Yardstick::Yardstick() : data_(kNumValues) {
  for (size_t i = 0; i < data_.size(); ++i) data_[i] = 1 + static_cast<double>(i % 7) / 8;
}

double Yardstick::work() const {
  std::array<double, kNumSums> sums = {};
  for (size_t pass = 0; pass < kNumPasses; ++pass) {
    for (size_t i = 0; i < data_.size(); i += kNumSums) {
      for (size_t k = 0; k < kNumSums; ++k) sums[k] = sums[k] * 0.5 + data_[i + k];
    }
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

double Yardstick::time() const {
  const auto start = std::chrono::steady_clock::now();
  const volatile double result = work();  // Written, so that it has to be computed.
  static_cast<void>(result);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tessera::placement
