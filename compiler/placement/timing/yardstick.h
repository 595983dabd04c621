// A piece of work that is always the same, timed beside every sample: when the machine is slower,
// so is it. What is left of a sample when its yardstick is divided out holds whatever the clock
// speed of the moment.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tessera::placement {

/// A sample and the yardstick's times right before and right after it, in seconds.
struct Measured {
  double seconds = 0;
  double before = 1;
  double after = 1;
};

/// How much slower the yardstick may be than `reference` on a machine that nobody disturbs.
struct Calm {
  double reference = 1;  ///< Seconds, the yardstick's time when nothing disturbs it.
  double steadiness = 0.15;
  double slowdown = 0.25;
};

/// Whether the machine was as fast after a sample as before it: the slower yardstick took no more
/// than 1 + `tolerance` times the faster one.
bool isSteady(const Measured& sample, double tolerance);
/// Whether it was steady, and nearly as fast as when nothing disturbs it, before and after.
bool isCalm(const Measured& sample, const Calm& calm);

/// What each calm sample would have taken on a machine on which the yardstick takes
/// `calm.reference`; where none was calm, each steady one; the others are left out. That work slows
/// down as the yardstick does holds for small changes of the clock's speed. Where threads have to
/// share what they compute with, the yardstick loses half its speed, and other work less.
std::vector<double> corrected(std::span<const Measured> samples, const Calm& calm);

/// The yardstick's time when nothing disturbs it, of `times` taken all along, which are not empty:
/// a low quantile, since the least may be an outlier of the clock.
double undisturbed(std::span<const double> times);

/// The work itself: multiplications and additions, as many at once as a core can do, over data that
/// stay in the first-level cache; every thread does it, all at the same time, so that it tells
/// when cores that are two for the system are one. 30 to 100 us on the machines of 2020.
class Yardstick {
 public:
  using Body = std::function<void()>;
  /// Runs a body once on each thread and waits for all.
  using OnThreads = std::function<void(const Body&)>;

  /// Empty: on the calling thread alone.
  explicit Yardstick(OnThreads onThreads = {});

  /// Does it once and gives how long it took, in seconds.
  double time() const;
  /// The time when nothing disturbs it: the least of many, taken until the calling thread alone is
  /// no faster, as it is no more than a little where each thread has a core; or `maxSeconds` long.
  double calibrate(double maxSeconds) const;
  /// Does it once on the calling thread and gives what it computed: the same on every call.
  float work() const;

 private:
  double timeOf(const OnThreads& onThreads) const;

  OnThreads onThreads_;
  std::vector<float> data_;
};

}  // namespace tessera::placement
