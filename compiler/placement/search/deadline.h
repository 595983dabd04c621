// When a solver has to come to an end.
#pragma once

#include <algorithm>
#include <chrono>

namespace tessera::placement::search {

class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::min(seconds, kMost)))) {}

  double secondsLeft() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }
  bool isOver() const { return secondsLeft() <= 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kMost = 1e8;  // Seconds: more could overflow the clock.

  Clock::time_point end_;
};

}  // namespace tessera::placement::search
