#include "compiler/placement/costing/measurer.h"

#include <cmath>

namespace tessera::placement {

std::vector<Measurement> checkedTimes(std::vector<Measurement> measurements) {
  for (Measurement& each : measurements) {
    const bool isTime = std::isfinite(each.seconds) && each.seconds >= 0;
    if (each.outcome != costs::Outcome::kOk || isTime) continue;
    each = {.outcome = costs::Outcome::kFailed,
            .reason = "its time is no time: " + std::to_string(each.seconds) + " s"};
  }
  return measurements;
}

}  // namespace tessera::placement
