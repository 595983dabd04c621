#include "compiler/placement/timing/yardstick.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>

#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

using Clock = std::chrono::steady_clock;

/// Every machine that g++ and clang know has vectors of so many; wider ones are several.
using Vector = float __attribute__((vector_size(16)));
static constexpr size_t kLanes = sizeof(Vector) / sizeof(float);
/// 8 KiB: half of the smallest first-level cache.
static constexpr size_t kNumValues = 2048;
static constexpr size_t kNumPasses = 150;
/// Sums that do not wait for each other: more than a core computes at once.
static constexpr size_t kNumSums = 8;
static constexpr double kUndisturbedShare = 0.1;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool isSteady(const Measured& sample, double tolerance) {
  const auto [fast, slow] = std::minmax(sample.before, sample.after);
  return slow <= fast * (1 + tolerance);
}

bool isCalm(const Measured& sample, const Calm& calm) {
  return isSteady(sample, calm.steadiness) &&
         std::max(sample.before, sample.after) <= calm.reference * (1 + calm.slowdown);
}

std::vector<double> corrected(std::span<const Measured> samples, const Calm& calm) {
  const auto correctedOf = [&](auto isGood) {
    std::vector<double> seconds;
    for (const Measured& sample : samples)
      if (isGood(sample))
        seconds.push_back(sample.seconds * calm.reference * 2 / (sample.before + sample.after));
    return seconds;
  };
  std::vector<double> seconds =
      correctedOf([&](const Measured& sample) { return isCalm(sample, calm); });
  if (!seconds.empty()) return seconds;
  return correctedOf([&](const Measured& sample) { return isSteady(sample, calm.steadiness); });
}

double undisturbed(std::span<const double> times) { return quantile(times, kUndisturbedShare); }

Yardstick::Yardstick(OnThreads onThreads) : onThreads_(std::move(onThreads)), data_(kNumValues) {
  for (size_t i = 0; i < data_.size(); ++i) data_[i] = 1 + static_cast<float>(i % 7) / 8;
}

float Yardstick::work() const {
  std::array<Vector, kNumSums> sums = {};
  const Vector half = Vector{} + 0.5F;
  for (size_t pass = 0; pass < kNumPasses; ++pass) {
    for (size_t i = 0; i < data_.size(); i += kNumSums * kLanes) {
      for (size_t k = 0; k < kNumSums; ++k) {
        Vector value;
        std::memcpy(&value, &data_[i + k * kLanes], sizeof(value));
        sums[k] = sums[k] * half + value;
      }
    }
  }
  Vector total = {};
  for (const Vector& sum : sums) total += sum;
  return total[0];
}

double Yardstick::timeOf(const OnThreads& onThreads) const {
  const auto body = [this] {
    const volatile float result = work();  // Written, so that it has to be computed.
    static_cast<void>(result);
  };
  if (onThreads) onThreads([] {});  // Whoever sleeps wakes up.
  const auto start = Clock::now();
  if (onThreads)
    onThreads(body);
  else
    body();
  return secondsSince(start);
}

/// The less of two: what one interrupt takes is nobody's speed.
double Yardstick::time() const {
  const double first = timeOf(onThreads_);
  return std::min(first, timeOf(onThreads_));
}

double Yardstick::calibrate(double maxSeconds) const {
  constexpr int kFewest = 20;
  constexpr double kLittle = 1.2;
  double alone = std::numeric_limits<double>::infinity(), together = alone;
  const auto start = Clock::now();
  for (int i = 0; i < kFewest || (together > alone * kLittle && secondsSince(start) < maxSeconds);
       ++i) {
    alone = std::min(alone, timeOf({}));
    together = std::min(together, time());
  }
  return together;
}

}  // namespace tessera::placement
