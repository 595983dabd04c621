#include "compiler/driver/measuring/undisturbed_speed.h"

#include <algorithm>
#include <ctime>

#include "tessera/compile.h"

namespace tessera::driver {

/// Another number for another work.
static constexpr const char* kYardstickVersion = "4";

static costs::Key keyOf(const char* what, const std::string& machine, uint32_t threads) {
  return {.subgraph = what,
          .target = "",
          .version = kYardstickVersion,
          .machine = machine,
          .threads = threads};
}

UndisturbedSpeed::UndisturbedSpeed(costs::Store* store, const std::string& machine,
                                   uint32_t threads)
    : store_(store),
      yardstick_(keyOf("yardstick", machine, threads)),
      latency_(keyOf("yardstick latency", machine, threads)),
      throughput_(keyOf("yardstick throughput", machine, threads)),
      speed_{.yardstickSeconds = least(yardstick_),
             .core = {.latency = least(latency_), .throughput = least(throughput_)}} {}

/// 0 where nothing was kept.
double UndisturbedSpeed::least(const costs::Key& key) const {
  if (store_ == nullptr) return 0;
  const auto records = store_->find(key);
  if (!records) return 0;
  double least = 0;
  for (const costs::Record& record : *records)
    for (const double each : record.samples)
      if (each > 0) least = least == 0 ? each : std::min(least, each);
  return least;
}

void UndisturbedSpeed::keep(const costs::Key& key, double seconds) {
  if (store_ == nullptr) return;
  (void)store_->add(
      {{.key = key, .samples = {seconds}, .date = std::time(nullptr), .tool = tessera::version()}});
}

/// What is lower by less than a little is the clock's noise.
static bool isLower(double seconds, double known) {
  constexpr double kLittle = 0.02;
  return seconds > 0 && (known <= 0 || seconds < known * (1 - kLittle));
}

void UndisturbedSpeed::setYardstick(double seconds) {
  speed_.yardstickSeconds = seconds;
  keep(yardstick_, seconds);
  lower_.clear();
}

void UndisturbedSpeed::noteYardstick(double seconds) {
  constexpr size_t kEnough = 3;
  if (!isLower(seconds, speed_.yardstickSeconds)) return;
  lower_.push_back(seconds);
  if (lower_.size() >= kEnough) setYardstick(std::ranges::max(lower_));
}

void UndisturbedSpeed::note(const costs::Key& key, double seconds, double& known) {
  if (!isLower(seconds, known)) return;
  known = seconds;
  keep(key, seconds);
}

void UndisturbedSpeed::noteCalibration(const MachineSpeed& speed) {
  if (isLower(speed.yardstickSeconds, speed_.yardstickSeconds))
    setYardstick(speed.yardstickSeconds);
  note(latency_, speed.core.latency, speed_.core.latency);
  note(throughput_, speed.core.throughput, speed_.core.throughput);
}

}  // namespace tessera::driver
