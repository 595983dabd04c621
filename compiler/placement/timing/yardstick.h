// A piece of work that is always the same, timed beside every sample: when the machine is slower,
// so is it. It tells the speed of the clock, by which samples are divided, from what else slows a
// machine down, where samples are taken again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace tessera::placement {

/// How fast a core is, by what it takes for two loops, in seconds.
struct CoreSpeed {
  /// Of operations that wait for each other: nothing but the clock makes a difference.
  double latency = 0;
  /// Of as many at once as it has units for: another thread on the same core, be it another
  /// virtual machine's, takes its share of those.
  double throughput = 0;

  bool isKnown() const { return latency > 0 && throughput > 0; }
};

/// What the yardstick took once.
struct Reading {
  double seconds = 1;
  /// How many times slower the clock of a core was than of the one that all are compared with (less
  /// than 1: faster); 0: that is not known, and the yardstick as a whole has to say it.
  double clock = 0;
  /// How many times longer a core took than that one, its clock divided out, for what it does many
  /// of at once; 0: not known.
  double load = 0;

  /// Seconds that it takes where cores compute as fast as that one: what is left of a disturbance
  /// once the speed of their clocks is divided out.
  double atReference() const { return clock > 0 ? seconds / clock : seconds; }
};

/// Of a core that took so long for the two loops.
Reading readingOf(double seconds, const CoreSpeed& core, const CoreSpeed& reference);

/// What all are compared with from now on, by what a core takes in its fast moments: `known`, with
/// the throughput of one that has its units to itself; `fast` where the known one is unknown, or so
/// slow that it is another machine's.
CoreSpeed referenceOf(const CoreSpeed& known, const CoreSpeed& fast);

/// A sample and the yardstick right before and right after it.
struct Measured {
  double seconds = 0;
  Reading before = {};
  Reading after = {};
};

/// How much slower the yardstick may be than `reference` on a machine that nobody disturbs.
struct Calm {
  double reference = 1;  ///< Seconds, Reading::atReference when nothing disturbs it.
  double steadiness = 0.15;
  double slowdown = 0.2;
  /// How much slower clocks may be: they go up and down by a quarter, as what others run on the
  /// same socket leaves them.
  double clock = 0.35;
  /// How much longer a core may take for many operations at once. Two threads on one take twice as
  /// long.
  double load = 0.2;
};

/// Whether the machine was as disturbed after a sample as before it: the slower yardstick took no
/// more than 1 + `tolerance` times the faster one.
bool isSteady(const Measured& sample, double tolerance);
/// Whether the machine was nearly as fast as when nothing disturbs it.
bool isCalm(const Reading& reading, const Calm& calm);
/// Whether it was steady, and calm before and after.
bool isCalm(const Measured& sample, const Calm& calm);

/// What each calm sample would have taken on cores that all are compared with; where none was calm,
/// each steady one, then each, by the faster of its two speeds. That work slows down as the
/// yardstick does holds for changes of the clock's speed alone. Where threads have to share a core,
/// or cores are far from each other, other work loses far less: then a sample counts for longer
/// than it would have taken, never for much less.
std::vector<double> corrected(std::span<const Measured> samples, const Calm& calm);

/// What the yardstick takes at the reference when nothing disturbs it, of those taken all along,
/// which are not empty: a low quantile, since the least may be an outlier of the clock. Of those
/// where threads had cores to themselves: two on one core have what the other wrote nearby, and the
/// yardstick takes the least of all times.
double undisturbed(std::span<const Reading> readings);

/// Whether threads had cores to themselves now and then: what the yardstick takes where they never
/// had says nothing of the machine.
bool hadCores(std::span<const Reading> readings);

/// The work itself. Every thread multiplies and adds, first one after the other, which tells the
/// clock, then as much at once as a core can, over data that stay in the first-level cache: that
/// tells when cores that are two for the system are one, or two threads on one. Then they read
/// what another one just wrote, again and again: that tells when cores are far from each other, as
/// those of a virtual machine are now and then, and what one computes takes long to get to the
/// other. 50 to 100 us on the machines of 2020.
class Yardstick {
 public:
  using Body = std::function<void(size_t thread)>;
  /// Runs a body once for each thread, all at the same time, and waits for all.
  using OnThreads = std::function<void(const Body&)>;

  /// `reference`: of the core that all are compared with, core() of another one on the same
  /// machine; unknown: the first of its own.
  Yardstick(size_t numThreads, OnThreads onThreads, const CoreSpeed& reference = {});
  /// On the calling thread alone.
  Yardstick();

  /// Does it twice and gives the faster one. Where that is more than it takes undisturbed, again,
  /// for some milliseconds: threads of a library that just ran may be looking for more work still.
  /// For less of them each time that this is in vain: then it is the machine.
  Reading time();
  /// Does it for so many seconds, or three times as many where cores compute faster and faster, and
  /// gives what it takes undisturbed; 0 where threads shared cores all the time. What a core took
  /// in its fast moments is the reference from then on where there was none, or where that core's
  /// clock was far slower; where it was not, a throughput that is higher becomes the reference's.
  double calibrate(double seconds);
  /// The one that all are compared with; unknown before there is one.
  const CoreSpeed& core() const { return reference_; }
  /// What a thread computed last.
  float result(size_t thread) const { return shares_[thread].result; }

 private:
  /// Of one thread.
  struct Share {
    std::vector<uint64_t> written;  ///< That the next thread reads.
    uint64_t sum = 0;
    CoreSpeed core;
    float result = 0;
  };

  double timeOnce();
  void noteLeast(const Reading& reading);

  OnThreads onThreads_;
  std::vector<float> data_;
  std::vector<Share> shares_;
  double least_ =
      std::numeric_limits<double>::infinity();  ///< Of two readings in a row, the slower.
  double patience_ = 0;                         ///< Seconds for which it is done again.
  double last_ = std::numeric_limits<double>::infinity();  ///< The one before.
  CoreSpeed core_;  ///< Of the last one's slowest thread, the best of what was done again.
  CoreSpeed reference_;
};

}  // namespace tessera::placement
