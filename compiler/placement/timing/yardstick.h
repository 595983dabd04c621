// A piece of work that is always the same, timed beside every sample: when the machine is slower,
// so is it. What is left of a sample when its yardstick is divided out holds whatever the clock
// speed of the moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace tessera::placement {

/// A sample and the yardstick's times right before and right after it, in seconds.
struct Measured {
  double seconds = 0;
  double before = 1;
  double after = 1;
  /// How many times slower a core computed around it than when nothing disturbs it; 0: that is not
  /// known, and the yardstick as a whole has to say it.
  double clock = 0;
};

/// How much slower the yardstick may be than `reference` on a machine that nobody disturbs.
struct Calm {
  double reference = 1;  ///< Seconds, the yardstick's time when nothing disturbs it.
  double steadiness = 0.15;
  double slowdown = 0.2;
};

/// Whether the machine was as fast after a sample as before it: the slower yardstick took no more
/// than 1 + `tolerance` times the faster one.
bool isSteady(const Measured& sample, double tolerance);
/// Whether it was steady, and nearly as fast as when nothing disturbs it, before and after.
bool isCalm(const Measured& sample, const Calm& calm);

/// What each calm sample would have taken on a machine on which the yardstick takes
/// `calm.reference`; where none was calm, each steady one, then each, by the faster of its two
/// speeds. That work slows down as a core computes more slowly holds for small changes of the
/// clock's speed. Where threads have to share a core, or cores are far from each other, the
/// yardstick loses much of its speed and other work far less: then a sample counts for longer than
/// it would have taken, never for much less.
std::vector<double> corrected(std::span<const Measured> samples, const Calm& calm);

/// The yardstick's time when nothing disturbs it, of `times` taken all along, which are not empty:
/// a low quantile, since the least may be an outlier of the clock.
double undisturbed(std::span<const double> times);

/// The work itself. Every thread multiplies and adds as much at once as a core can, over data that
/// stay in the first-level cache: that tells when cores that are two for the system are one, or two
/// threads on one. Then they read what another one just wrote, again and again: that tells when
/// cores are far from each other, as those of a virtual machine are now and then, and what one
/// computes takes long to get to the other. 50 to 100 us on the machines of 2020.
class Yardstick {
 public:
  using Body = std::function<void(size_t thread)>;
  /// Runs a body once for each thread, all at the same time, and waits for all.
  using OnThreads = std::function<void(const Body&)>;

  Yardstick(size_t numThreads, OnThreads onThreads);
  /// On the calling thread alone.
  Yardstick();

  /// Does it twice and gives how long the faster one took, in seconds. Where that is more than it
  /// ever took, again, for some milliseconds: threads of a library that just ran may be looking for
  /// more work still.
  double time();
  /// Of the times that it takes for so many seconds, what it takes undisturbed.
  double calibrate(double seconds);
  /// How many times slower the last one computed, whatever threads had to wait for, than one that
  /// nothing disturbed.
  double clock() const { return computing_ / leastComputing_; }
  /// What a thread computed last.
  float result(size_t thread) const { return shares_[thread].result; }

 private:
  /// Of one thread.
  struct Share {
    std::vector<uint64_t> written;  ///< That the next thread reads.
    uint64_t sum = 0;
    double computing = 0;  ///< Seconds, what it computed by itself.
    float result = 0;
  };

  double timeOnce();

  OnThreads onThreads_;
  std::vector<float> data_;
  std::vector<Share> shares_;
  double least_ = std::numeric_limits<double>::infinity();  ///< That it took, or nearly.
  double computing_ = 1;  ///< Of the last one, what a core computed by itself.
  double leastComputing_ = std::numeric_limits<double>::infinity();
};

}  // namespace tessera::placement
