#include "compiler/placement/timing/yardstick.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>

#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

using Clock = std::chrono::steady_clock;

/// Every machine that g++ and clang know has vectors of so many; wider ones are several.
using Vector = float __attribute__((vector_size(16)));
static constexpr size_t kLanes = sizeof(Vector) / sizeof(float);
/// 8 KiB: half of the smallest first-level cache.
static constexpr size_t kNumValues = 2016;
static constexpr size_t kNumPasses = 150;
/// Sums that do not wait for each other: more than a core computes at once.
static constexpr size_t kNumSums = 14;
/// 128 KiB: more than a first-level cache, less than a second-level one.
static constexpr size_t kNumWritten = 16384;
static constexpr int kNumExchanges = 3;
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

/// Of work, when the yardstick is so many times slower: no more than the clock's speed explains.
/// Where the yardstick lost 2.8 of its speed, since cores were far from each other, networks lost
/// 1.19 to 1.45. Who takes off more than was lost finds parts that seem to be fast, and chooses
/// them for it.
static double slowdownOf(double ofYardstick, double ofClock) {
  return std::min(ofYardstick, 1 + ofClock);
}

template <typename IsGood>
static std::vector<double> correctedOf(std::span<const Measured> samples, const Calm& calm,
                                       const IsGood& isGood) {
  std::vector<double> seconds;
  for (const Measured& sample : samples) {
    if (!isGood(sample)) continue;
    // Of two speeds the faster: what seems to take less than it does would be chosen for that.
    const double yardstick = isSteady(sample, calm.steadiness)
                                 ? (sample.before + sample.after) / 2
                                 : std::min(sample.before, sample.after);
    const double slowdown = sample.clock > 0 ? sample.clock : yardstick / calm.reference;
    seconds.push_back(sample.seconds / slowdownOf(slowdown, calm.slowdown));
  }
  return seconds;
}

std::vector<double> corrected(std::span<const Measured> samples, const Calm& calm) {
  const auto isEach = [](const Measured&) { return true; };
  const auto isSteadyOne = [&](const Measured& sample) {
    return isSteady(sample, calm.steadiness);
  };
  const auto isCalmOne = [&](const Measured& sample) { return isCalm(sample, calm); };
  if (std::ranges::any_of(samples, isCalmOne)) return correctedOf(samples, calm, isCalmOne);
  if (std::ranges::any_of(samples, isSteadyOne)) return correctedOf(samples, calm, isSteadyOne);
  return correctedOf(samples, calm, isEach);
}

double undisturbed(std::span<const double> times) { return quantile(times, kUndisturbedShare); }

/// Sums over data, so many at once that no unit of a core that adds or multiplies waits.
static float multiplyAndAdd(const std::vector<float>& data) {
  std::array<Vector, kNumSums> sums = {};
  const Vector half = Vector{} + 0.5F;
  for (size_t pass = 0; pass < kNumPasses; ++pass) {
    for (size_t i = 0; i < data.size(); i += kNumSums * kLanes) {
#pragma GCC unroll 14  // Sums are in registers only where each has a name.
      for (size_t k = 0; k < kNumSums; ++k) {
        Vector value;
        std::memcpy(&value, &data[i + k * kLanes], sizeof(value));
        sums[k] = sums[k] * half + value;
      }
    }
  }
  Vector total = {};
  for (const Vector& sum : sums) total += sum;
  return total[0];
}

Yardstick::Yardstick(size_t numThreads, OnThreads onThreads)
    : onThreads_(std::move(onThreads)), data_(kNumValues), shares_(numThreads) {
  for (size_t i = 0; i < data_.size(); ++i) data_[i] = 1 + static_cast<float>(i % 7) / 8;
  for (Share& share : shares_) share.written.resize(kNumWritten);
}

Yardstick::Yardstick() : Yardstick(1, [](const Body& body) { body(0); }) {}

double Yardstick::timeOnce() {
  onThreads_([](size_t) {});  // Whoever sleeps wakes up.
  const auto start = Clock::now();
  onThreads_([&](size_t thread) {
    const auto begin = Clock::now();
    shares_[thread].result = multiplyAndAdd(data_);
    shares_[thread].computing = secondsSince(begin);
  });
  computing_ = std::min(computing_, std::ranges::max(shares_, {}, &Share::computing).computing);
  for (int i = 0; i < kNumExchanges; ++i) {
    onThreads_([&](size_t thread) {
      for (uint64_t& each : shares_[thread].written) ++each;
    });
    onThreads_([&](size_t thread) {
      const Share& other = shares_[(thread + 1) % shares_.size()];
      shares_[thread].sum =
          std::accumulate(other.written.begin(), other.written.end(), shares_[thread].sum);
    });
  }
  return secondsSince(start);
}

/// What one interrupt takes is nobody's speed.
double Yardstick::time() {
  constexpr double kLongest = 4e-3, kNearly = 1.1;
  const auto start = Clock::now();
  computing_ = std::numeric_limits<double>::infinity();
  double least = std::min(timeOnce(), timeOnce());
  while (least > least_ * kNearly && secondsSince(start) < kLongest)
    least = std::min(least, timeOnce());
  least_ = std::min(least_, least);
  leastComputing_ = std::min(leastComputing_, computing_);
  return least;
}

double Yardstick::calibrate(double seconds) {
  const auto start = Clock::now();
  std::vector<double> times = {time()};
  while (secondsSince(start) < seconds) times.push_back(time());
  return least_ = undisturbed(times);
}

}  // namespace tessera::placement
