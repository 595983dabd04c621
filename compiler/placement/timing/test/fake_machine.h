// A machine made up: its clock moves by what is run on it, as fast as the test says.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "compiler/placement/timing/race.h"

namespace tessera::placement {

struct FakeMachine {
  explicit FakeMachine(uint64_t seed) : random(seed) {}

  std::mt19937_64 random;
  double clock = 0;
  /// How many times slower it is at a time of its clock.
  std::function<double(double)> slowness = [](double) { return 1.0; };
  double noise = 0.02;            ///< Relative, of samples.
  double yardstickNoise = 0.005;  ///< The same, of the yardstick.

  /// Logarithms of times are normal: never below 0, and the median is `seconds`.
  double run(double seconds, double deviation) {
    const double time =
        seconds * slowness(clock) * std::exp(std::normal_distribution(0.0, deviation)(random));
    clock += time;
    return time;
  }

  /// Competitors by the seconds that they need; the yardstick takes 75 us.
  Track track(const std::vector<double>& seconds) {
    return {.numCompetitors = seconds.size(),
            .sample = [this, seconds](size_t i) { return Result<double>(run(seconds[i], noise)); },
            .yardstick = [this] { return Reading{.seconds = run(75e-6, yardstickNoise)}; },
            .now = [this] { return clock; }};
  }
};

/// Independent samples around a median of 1.
inline std::vector<double> noisySamples(size_t number, double deviation, uint64_t seed) {
  FakeMachine machine(seed);
  std::vector<double> samples(number);
  for (double& sample : samples) sample = machine.run(1, deviation);
  return samples;
}

}  // namespace tessera::placement
