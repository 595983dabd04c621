// A piece of work that is always the same, timed beside every sample: when the machine is slower,
// so is it. What is left of a sample when its yardstick is divided out holds whatever the clock
// speed of the moment, and whoever else runs on the core.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tessera::placement {

/// A sample and the yardstick's times right before and right after it, in seconds.
struct Measured {
  double seconds = 0;
  double before = 1;
  double after = 1;
};

/// Whether the machine was as fast after a sample as before it: the slower yardstick took no more
/// than 1 + `tolerance` times the faster one.
bool isSteady(const Measured& sample, double tolerance);

/// What each steady sample would have taken on a machine on which the yardstick takes `reference`
/// seconds; the others are left out. That work slows down as the yardstick does is an assumption:
/// it holds for what computes and for whoever has to share a core, less for what waits for memory.
std::vector<double> corrected(std::span<const Measured> samples, double reference,
                              double tolerance);

/// The yardstick's time when nothing disturbs it, of `times` taken all along, which are not empty:
/// a low quantile, since the least may be an outlier of the clock.
double undisturbed(std::span<const double> times);

/// The work itself: multiplications and additions over data that stay in the second-level cache,
/// one thread, 50 to 100 us on the machines of 2020.
class Yardstick {
 public:
  Yardstick();

  /// Does it once and gives how long it took, in seconds.
  double time() const;
  /// Does it once and gives what it computed: the same on every call.
  double work() const;

 private:
  std::vector<double> data_;
};

}  // namespace tessera::placement
