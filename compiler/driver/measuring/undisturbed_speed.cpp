#include "compiler/driver/measuring/undisturbed_speed.h"

#include <algorithm>
#include <ctime>

#include "tessera/compile.h"

namespace tessera::driver {

/// Another number for another work.
static constexpr const char* kYardstickVersion = "2";

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
    for (const double each : record.samples)
      if (each > 0) seconds_ = seconds_ == 0 ? each : std::min(seconds_, each);
}

/// What is lower by less than a little is the clock's noise.
void UndisturbedSpeed::note(double seconds) {
  constexpr double kLittle = 0.02;
  if (seconds <= 0 || (seconds_ > 0 && seconds >= seconds_ * (1 - kLittle))) return;
  seconds_ = seconds;
  if (store_ == nullptr) return;
  (void)store_->add({{.key = key_,
                      .samples = {seconds},
                      .date = std::time(nullptr),
                      .tool = tessera::version()}});
}

}  // namespace tessera::driver
