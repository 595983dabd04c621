// What is wrong with samples, in sentences for people: a machine that changed while they were
// taken, work with two speeds, others on the same machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::placement {

/// A trend over the order in which samples were taken: a rank correlation with it that chance gives
/// once in a thousand times, and 2 % between the medians of the first third and of the last. Gives
/// the change: 0.1 for samples that rose by a tenth.
std::optional<double> findDrift(std::span<const double> samples);

/// Two speeds of one work.
struct Modes {
  double fast = 0, slow = 0;  ///< Medians.
  double slowShare = 0;       ///< Of the samples, 0 to 1.
};
/// Two groups of at least a tenth of the samples each, at least 5 % and five times their spread
/// apart, with little in between. The slowest twentieth of the samples counts as outliers.
std::optional<Modes> findModes(std::span<const double> samples);

/// What the kernel counts for all processors since it started, and how many threads want one.
struct Load {
  double runnable = 0;       ///< Mean of the last minute.
  uint64_t ticks = 0;        ///< Of all kinds, idle ones too.
  uint64_t stolenTicks = 0;  ///< That the hypervisor gave to other machines.
};
/// At this moment; 0 where nothing says so. `root` stands before /proc, for tests.
Load machineLoad(const std::string& root = "");

/// What is known of a measurement.
struct Evidence {
  std::span<const double> samples;     ///< In the order in which they were taken, corrected or not.
  std::span<const double> yardsticks;  ///< As `samples`; may be empty.
  Load before = {}, after = {};
  uint32_t threads = 1;  ///< That this process computes with.
};
/// One sentence for each thing that is wrong, without a full stop; none when all is well.
std::vector<std::string> diagnose(const Evidence& evidence);

}  // namespace tessera::placement
