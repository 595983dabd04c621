// A race: who of several does the same work in the least time, and what each takes, with as few
// samples as that needs and on a machine that is not always equally fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compiler/placement/timing/paired.h"
#include "compiler/placement/timing/summary.h"
#include "compiler/placement/timing/yardstick.h"
#include "tessera/status.h"

namespace tessera::placement {

struct RaceOptions {
  double level = 0.95;              ///< Of the intervals.
  double relativeHalfWidth = 0.02;  ///< Of an interval that is narrow enough.
  /// Calm ones (yardstick.h) of each competitor, whatever the time, as far as three times as many
  /// samples hold them.
  size_t minSamples = 1;
  size_t maxSamples = 200;                                      ///< Of each competitor.
  size_t maxWarmup = 20;                                        ///< The same, before samples count.
  double maxSeconds = std::numeric_limits<double>::infinity();  ///< Of the whole race.
  /// Of the yardstick, to which samples are corrected; `reference` 0: its time when nothing
  /// disturbs this race.
  Calm calm = {.reference = 0};
  /// How long the whole race waits for a machine that is disturbed, and takes samples again.
  double patience = 0;
  uint64_t seed = 1;  ///< Of the order.
  /// False: they do different work, and are timed together for the sake of the machine alone.
  /// Nobody leaves for being slower, each as soon as its interval is narrow.
  bool areRivals = true;
};

/// What a race is about, and on which clock.
struct Track {
  size_t numCompetitors = 0;
  /// Seconds that a competitor takes once; an error ends the race for it.
  std::function<Result<double>(size_t competitor)> sample = {};
  /// Empty: samples are not corrected.
  std::function<Reading()> yardstick = {};
  /// Seconds since whenever. Empty: the steady clock.
  std::function<double()> now = {};
};

/// Why nothing more was asked of a competitor.
enum class Finish : uint8_t {
  kNarrow,  ///< Its interval is narrow enough.
  kSlower,  ///< Another one is surely faster.
  kSpent,   ///< There was no time, or no sample, left.
  kFailed,
};

struct Competitor {
  std::vector<double> warmup;     ///< Seconds, as they were taken.
  std::vector<Measured> samples;  ///< The i-th one is of round i.
  std::vector<Turn> turns;        ///< The same, for those compared in pairs.
  /// Of calm samples, corrected, where there are any (yardstick.h).
  std::vector<double> seconds;
  Summary summary;  ///< Of `seconds`.
  /// What the yardstick took where none of the samples was calm, or, where threads shared a core
  /// and it took no longer for that, the least that is not calm; 0: some were.
  double disturbedYardstick = 0;
  Finish finish = Finish::kSpent;
  std::optional<Error> error = {};  ///< Of kFailed.
};

struct RaceResult {
  std::vector<Competitor> competitors;
  std::vector<Reading> yardsticks;  ///< In the order in which they were taken.
  double waited = 0;                ///< Seconds, of the patience.
  double reference = 1;             ///< Calm::reference.
};

/// Warm-up: rounds over all, until a competitor's times no longer fall. Then rounds in which each
/// one that is left is asked once, in an order drawn anew, with the yardstick in between: nobody
/// has the better hour, nor always the same one before it. After each round those leave that cannot
/// win: their interval lies above that of the best, or the least of their times is more than twice
/// as much as its median. Those that may win stay together until the interval of each is
/// narrow. Limits are looked at between samples; but for errors everybody has at least minSamples.
/// While a machine is disturbed and there is patience nobody is asked, and what was taken when it
/// was is taken again.
RaceResult race(const Track& track, const RaceOptions& options = {});

}  // namespace tessera::placement
