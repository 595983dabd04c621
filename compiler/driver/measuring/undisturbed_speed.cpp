#include "compiler/driver/measuring/undisturbed_speed.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "tessera/compile.h"

namespace tessera::driver {

/// Another number for another work.
static constexpr const char* kYardstickVersion = "5";

/// The best that cores were seen to do, and the least that the yardstick took beside such.
static MachineSpeed together(const std::vector<MachineSpeed>& seen) {
  const placement::Calm calm;
  if (seen.empty()) return {};
  const auto most = std::numeric_limits<double>::infinity();
  MachineSpeed best{.yardstickSeconds = most, .core = {.latency = most, .throughput = most}};
  for (const auto& [seconds, core] : seen) {
    best.core.latency = std::min(best.core.latency, core.latency);
    best.core.throughput = std::min(best.core.throughput, core.throughput);
  }
  for (const auto& [seconds, core] : seen)
    if (core.latency <= best.core.latency * (1 + calm.clock) &&
        core.throughput / core.latency <=
            best.core.throughput / best.core.latency * (1 + calm.load))
      best.yardstickSeconds = std::min(best.yardstickSeconds, seconds);
  if (best.yardstickSeconds == most) best.yardstickSeconds = seen.back().yardstickSeconds;
  return best;
}

/// Of a record, whose samples are the yardstick and the two loops in this order; unknown
/// for one that is none of these.
static MachineSpeed speedOf(const costs::Record& record) {
  constexpr size_t kNumNumbers = 3;
  if (record.samples.size() != kNumNumbers) return {};
  return {.yardstickSeconds = record.samples[0],
          .core = {.latency = record.samples[1], .throughput = record.samples[2]}};
}

static bool isKnown(const MachineSpeed& speed) {
  return speed.yardstickSeconds > 0 && speed.core.isKnown();
}

UndisturbedSpeed::UndisturbedSpeed(costs::Store* store, const std::string& machine,
                                   uint32_t threads)
    : store_(store),
      key_{.subgraph = "yardstick",
           .target = "",
           .version = kYardstickVersion,
           .machine = machine,
           .threads = threads} {
  if (store_ == nullptr) return;
  const auto records = store_->find(key_);
  if (!records) return;
  for (const costs::Record& record : *records)
    if (const MachineSpeed speed = speedOf(record); isKnown(speed)) seen_.push_back(speed);
  speed_ = together(seen_);
}

void UndisturbedSpeed::keep(const MachineSpeed& speed) {
  latest_.clear();
  seen_.push_back(speed);
  speed_ = together(seen_);
  if (store_ == nullptr) return;
  (void)store_->add(
      {{.key = key_,
        .samples = {speed.yardstickSeconds, speed.core.latency, speed.core.throughput},
        .date = std::time(nullptr),
        .tool = tessera::version()}});
}

/// What is lower by less than a little is the clock's noise.
static bool isLower(double seconds, double known) {
  constexpr double kLittle = 0.02;
  return seconds < known * (1 - kLittle);
}

void UndisturbedSpeed::noteYardstick(double seconds) {
  constexpr size_t kEnough = 3, kOf = 10;
  if (!isKnown(speed_)) return;
  latest_.push_back(seconds);
  if (latest_.size() > kOf) latest_.pop_front();
  std::vector<double> lower;
  for (const double each : latest_)
    if (isLower(each, speed_.yardstickSeconds)) lower.push_back(each);
  if (lower.size() >= kEnough)
    keep({.yardstickSeconds = std::ranges::max(lower), .core = speed_.core});
}

void UndisturbedSpeed::noteCalibration(const MachineSpeed& speed) {
  if (!isKnown(speed)) return;
  const auto& [seconds, core] = speed_;
  if (!isKnown(speed_) || isLower(speed.yardstickSeconds, seconds) ||
      isLower(speed.core.latency, core.latency) || isLower(speed.core.throughput, core.throughput))
    keep(speed);
}

}  // namespace tessera::driver
