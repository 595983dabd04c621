// The interval holds the true median as often as it says, whatever the noise looks like.
#include "compiler/placement/timing/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::placement {
namespace {

std::vector<double> oneTo(size_t n) {
  std::vector<double> samples(n);
  std::iota(samples.rbegin(), samples.rend(), 1.0);  // Not sorted.
  return samples;
}

TEST(Summary, IntervalsAreThoseOfTheTables) {
  // Of the sign test: n, the place of the lower end from below at 95 % and at 99 %.
  for (const auto& [n, at95, at99] :
       {std::tuple{6, 1, 0}, {8, 1, 1}, {9, 2, 1}, {20, 6, 4}, {50, 18, 16}, {100, 40, 37}}) {
    const std::vector<double> samples = oneTo(n);
    const Summary summary = summarize(samples, 0.95);
    EXPECT_EQ(summary.low, at95) << n;
    EXPECT_EQ(summary.high, n + 1 - at95) << n;
    EXPECT_EQ(summary.median, (n + 1) / 2.0);
    const double low = summarize(samples, 0.99).low;
    EXPECT_TRUE(at99 == 0 ? std::isinf(low) : low == at99) << n << " " << low;
  }
}

TEST(Summary, FewSamplesHaveNoInterval) {
  EXPECT_TRUE(std::isnan(summarize({}).median));
  EXPECT_TRUE(std::isinf(summarize({}).relativeHalfWidth()));
  for (size_t n = 1; n <= 5; ++n) {
    const Summary summary = summarize(oneTo(n));
    EXPECT_EQ(summary.numSamples, n);
    EXPECT_TRUE(std::isinf(summary.low) && std::isinf(summary.high));
    EXPECT_TRUE(std::isinf(summary.relativeHalfWidth()));
  }
  EXPECT_EQ(summarize(oneTo(6)).relativeHalfWidth(), 2.5 / 3.5);
}

TEST(Summary, ThousandsOfSamplesHaveOne) {
  const Summary summary = summarize(oneTo(100'000));
  EXPECT_NEAR(summary.low, 50'000 - 1.96 * std::sqrt(100'000) / 2, 2);
}

TEST(Summary, IntervalsHoldTheTrueMedianAsOftenAsTheySay) {
  using Random = std::mt19937_64;
  struct Noise {
    const char* name;
    double trueMedian;
    std::function<double(Random&)> draw;
  };
  // Far away on either side, and the median stays.
  const auto withOutliers = [](Random& random) {
    const double value = std::exponential_distribution(1.0)(random);
    if (std::uniform_real_distribution(0.0, 1.0)(random) > 0.1) return value;
    return value > std::numbers::ln2 ? value + 50 : value - 50;
  };
  const std::vector<Noise> noises = {
      {.name = "normal",
       .trueMedian = 1,
       .draw = [](Random& random) { return std::normal_distribution(1.0, 0.05)(random); }},
      {.name = "skewed",
       .trueMedian = 1,
       .draw = [](Random& random) { return std::lognormal_distribution(0.0, 0.3)(random); }},
      {.name = "heavy",
       .trueMedian = 1,
       .draw = [](Random& random) { return std::cauchy_distribution(1.0, 0.1)(random); }},
      {.name = "with outliers", .trueMedian = std::numbers::ln2, .draw = withOutliers}};
  constexpr int kSets = 1000;
  for (const Noise& noise : noises) {
    for (const size_t n : {12, 30, 101}) {
      for (const double level : {0.8, 0.95}) {
        Random random(n);
        int numHeld = 0;
        for (int set = 0; set < kSets; ++set) {
          std::vector<double> samples(n);
          for (double& sample : samples) sample = noise.draw(random);
          const Summary summary = summarize(samples, level);
          if (summary.low <= noise.trueMedian && noise.trueMedian <= summary.high) ++numHeld;
        }
        // Three deviations of the count below; above, what whole samples add to the level.
        const double share = static_cast<double>(numHeld) / kSets;
        const double deviation = std::sqrt(level * (1 - level) / kSets);
        EXPECT_GE(share, level - 3 * deviation) << noise.name << " " << n << " " << level;
        EXPECT_LE(share, level + (1 - level) * 0.7 + 3 * deviation)
            << noise.name << " " << n << " " << level;
      }
    }
  }
}

TEST(Summary, QuantilesAreSamples) {
  const std::vector<double> samples = oneTo(11);
  EXPECT_EQ(quantile(samples, 0), 1);
  EXPECT_EQ(quantile(samples, 0.1), 2);
  EXPECT_EQ(quantile(samples, 0.5), 6);
  EXPECT_EQ(quantile(samples, 1), 11);
  EXPECT_EQ(median(oneTo(4)), 2.5);
}

}  // namespace
}  // namespace tessera::placement
