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
/// That wait for each other: some microseconds.
static constexpr int kNumInTurn = 2000;
/// Sums that do not wait for each other: more than a core computes at once.
static constexpr size_t kNumSums = 14;
/// 128 KiB: more than a first-level cache, less than a second-level one.
static constexpr size_t kNumWritten = 16384;
static constexpr int kNumExchanges = 3;
static constexpr double kUndisturbedShare = 0.1;
/// So many times slower than another one a core is about as fast.
static constexpr double kAsFast = 1.1;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool isSteady(const Measured& sample, double tolerance) {
  const auto [fast, slow] = std::minmax({sample.before.atReference(), sample.after.atReference()});
  return slow <= fast * (1 + tolerance);
}

bool isCalm(const Measured& sample, const Calm& calm) {
  return isSteady(sample, calm.steadiness) && isCalm(sample.before, calm) &&
         isCalm(sample.after, calm);
}

bool isCalm(const Reading& reading, const Calm& calm) {
  return reading.atReference() <= calm.reference * (1 + calm.slowdown) &&
         reading.clock <= 1 + calm.clock && reading.load <= 1 + calm.load;
}

Reading readingOf(double seconds, const CoreSpeed& core, const CoreSpeed& reference) {
  const double clock = core.latency / reference.latency;
  return {
      .seconds = seconds, .clock = clock, .load = core.throughput / reference.throughput / clock};
}

CoreSpeed referenceOf(const CoreSpeed& known, const CoreSpeed& fast) {
  constexpr double kMuchFaster = 0.75;
  if (!known.isKnown() || fast.latency < known.latency * kMuchFaster) return fast;
  const double throughput = fast.throughput / fast.latency * known.latency;
  return {.latency = known.latency, .throughput = std::min(known.throughput, throughput)};
}

/// Of two speeds the faster: what seems to take less than it does would be chosen for that.
static double between(double before, double after, double steadiness) {
  const auto [fast, slow] = std::minmax(before, after);
  return slow <= fast * (1 + steadiness) ? (fast + slow) / 2 : fast;
}

/// How many times slower work was than on the cores that all are compared with: no more than the
/// clock's speed explains. Where the yardstick lost 2.8 of its speed, since cores were far from
/// each other, networks lost 1.19 to 1.45. Who takes off more than was lost finds parts that seem
/// to be fast, and chooses them for it.
static double slowdownOf(const Measured& sample, const Calm& calm) {
  const auto& [seconds, before, after] = sample;
  if (before.clock > 0 && after.clock > 0)
    return std::clamp(between(before.clock, after.clock, calm.steadiness), 1 / (1 + calm.clock),
                      1 + calm.clock);
  return std::min(between(before.seconds, after.seconds, calm.steadiness) / calm.reference,
                  1 + calm.slowdown);
}

template <typename IsGood>
static std::vector<double> correctedOf(std::span<const Measured> samples, const Calm& calm,
                                       const IsGood& isGood) {
  std::vector<double> seconds;
  for (const Measured& sample : samples)
    if (isGood(sample)) seconds.push_back(sample.seconds / slowdownOf(sample, calm));
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

double undisturbed(std::span<const Reading> readings) {
  std::vector<double> loads(readings.size()), seconds;
  std::ranges::transform(readings, loads.begin(), &Reading::load);
  const double most = std::max(1.0, quantile(loads, kUndisturbedShare)) * kAsFast;
  for (const Reading& reading : readings)
    if (reading.load <= most) seconds.push_back(reading.atReference());
  return quantile(seconds, kUndisturbedShare);
}

bool hadCores(std::span<const Reading> readings) {
  std::vector<double> loads(readings.size());
  std::ranges::transform(readings, loads.begin(), &Reading::load);
  return quantile(loads, kUndisturbedShare) <= 1 + Calm().load;
}

static float multiplyAndAddInTurn(float value) {
  for (int i = 0; i < kNumInTurn; ++i) value = value * 0.5F + 1;
  return value;
}

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

Yardstick::Yardstick(size_t numThreads, OnThreads onThreads, const CoreSpeed& reference)
    : onThreads_(std::move(onThreads)),
      data_(kNumValues),
      shares_(numThreads),
      reference_(reference) {
  for (size_t i = 0; i < data_.size(); ++i) data_[i] = 1 + static_cast<float>(i % 7) / 8;
  for (Share& share : shares_) share.written.resize(kNumWritten);
}

Yardstick::Yardstick() : Yardstick(1, [](const Body& body) { body(0); }) {}

double Yardstick::timeOnce() {
  onThreads_([](size_t) {});  // Whoever sleeps wakes up.
  const auto start = Clock::now();
  onThreads_([&](size_t thread) {
    Share& share = shares_[thread];
    const auto begin = Clock::now();
    share.result = multiplyAndAddInTurn(data_.front());
    share.core.latency = secondsSince(begin);
    share.result += multiplyAndAdd(data_);
    share.core.throughput = secondsSince(begin) - share.core.latency;
  });
  CoreSpeed slowest;
  for (const Share& share : shares_) {
    slowest.latency = std::max(slowest.latency, share.core.latency);
    slowest.throughput = std::max(slowest.throughput, share.core.throughput);
  }
  core_.latency = std::min(core_.latency, slowest.latency);
  core_.throughput = std::min(core_.throughput, slowest.throughput);
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
Reading Yardstick::time() {
  constexpr double kLongest = 4e-3, kShortest = 0.5e-3, kNearly = 1.2;
  const auto start = Clock::now();
  core_.latency = core_.throughput = std::numeric_limits<double>::infinity();
  double seconds = std::min(timeOnce(), timeOnce());
  if (!reference_.isKnown()) reference_ = core_;
  Reading reading = readingOf(seconds, core_, reference_);
  const auto isSlow = [&] { return reading.atReference() > least_ * kNearly; };
  while (isSlow() && secondsSince(start) < patience_) {
    seconds = std::min(seconds, timeOnce());
    reading = readingOf(seconds, core_, reference_);
  }
  patience_ = isSlow() ? std::max(kShortest, patience_ / 2) : kLongest;
  noteLeast(reading);
  return reading;
}

/// One alone may be an outlier, and whatever is slower would be taken again for milliseconds.
void Yardstick::noteLeast(const Reading& reading) {
  if (reading.load > kAsFast) return;
  least_ = std::min(least_, std::max(last_, reading.atReference()));
  last_ = reading.atReference();
}

double Yardstick::calibrate(double seconds) {
  constexpr double kFaster = 0.9, kMostTimes = 3;
  const CoreSpeed known = reference_;
  const auto start = Clock::now();
  std::vector<Reading> readings;
  std::vector<double> latency, throughput;
  double least = std::numeric_limits<double>::infinity(), leastAt = 0, elapsed = 0;
  do {
    readings.push_back(time());
    latency.push_back(core_.latency);
    throughput.push_back(core_.throughput);
    elapsed = secondsSince(start);
    if (core_.throughput < least * kFaster) leastAt = elapsed;
    least = std::min(least, core_.throughput);
    // A machine that was idle may have put its threads on one core.
  } while (elapsed < seconds || (leastAt > elapsed / 2 && elapsed < seconds * kMostTimes));
  reference_ = referenceOf(known, {.latency = quantile(latency, kUndisturbedShare),
                                   .throughput = quantile(throughput, kUndisturbedShare)});
  for (size_t i = 0; i < readings.size(); ++i)
    readings[i] = readingOf(readings[i].seconds, {latency[i], throughput[i]}, reference_);
  least_ = last_ = undisturbed(readings);
  return hadCores(readings) ? least_ : 0;
}

}  // namespace tessera::placement
