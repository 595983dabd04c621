// How fast this machine is when nothing disturbs it, by the yardstick (timing/yardstick.h).
#pragma once

#include <deque>
#include <vector>

#include "compiler/costs/store.h"
#include "compiler/placement/timing/yardstick.h"

namespace tessera::driver {

/// What a yardstick said of a machine while nothing seemed to disturb it.
struct MachineSpeed {
  double yardstickSeconds = 0;     ///< Reading::atReference; 0: unknown.
  placement::CoreSpeed core = {};  ///< The one that readings were compared with.
};

/// Times of different days are about the same machine: what was seen of it is kept in the store.
/// The yardstick counts by the least that was seen, but only beside cores at their best: where
/// threads share one it takes less than it ever does undisturbed.
class UndisturbedSpeed {
 public:
  /// Of a machine as keys of the store call it and a number of threads; the store may be null.
  UndisturbedSpeed(costs::Store* store, const std::string& machine, uint32_t threads);

  const MachineSpeed& get() const { return speed_; }
  /// What a yardstick said that was taken for a while.
  void noteCalibration(const MachineSpeed& speed);
  /// The yardstick took so long beside a few samples: what was less three times of ten counts.
  void noteYardstick(double seconds);

 private:
  void keep(const MachineSpeed& speed);

  costs::Store* store_;
  costs::Key key_;
  std::vector<MachineSpeed> seen_;
  MachineSpeed speed_;         ///< What those say together.
  std::deque<double> latest_;  ///< Yardsticks, since it was told last.
};

}  // namespace tessera::driver
