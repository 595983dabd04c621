// How fast this machine is when nothing disturbs it, by the yardstick (timing/yardstick.h).
#pragma once

#include <vector>

#include "compiler/costs/store.h"
#include "compiler/placement/timing/yardstick.h"

namespace tessera::driver {

/// What all samples on a machine are compared with.
struct MachineSpeed {
  double yardstickSeconds = 0;     ///< Reading::atReference when nothing disturbs it; 0: unknown.
  placement::CoreSpeed core = {};  ///< That all samples are compared with.
};

/// Times of different days are about the same machine: what is known of it is kept in the store.
class UndisturbedSpeed {
 public:
  /// Of a machine as keys of the store call it and a number of threads; the store may be null.
  UndisturbedSpeed(costs::Store* store, const std::string& machine, uint32_t threads);

  const MachineSpeed& get() const { return speed_; }
  /// What a yardstick said that was taken for a while. Clocks are what all samples are divided by:
  /// the first that is known stays, unless the machine turns out to be another one.
  void noteCalibration(const MachineSpeed& speed);
  /// The yardstick took so long beside a few samples: what was less three times counts.
  void noteYardstick(double seconds);

 private:
  double least(const costs::Key& key) const;
  void setYardstick(double seconds);
  void note(const costs::Key& key, double seconds, double& known);
  void keep(const costs::Key& key, double seconds);

  costs::Store* store_;
  costs::Key yardstick_, latency_, throughput_;
  MachineSpeed speed_;
  std::vector<double> lower_;  ///< Yardsticks that took less, since it was told last.
};

}  // namespace tessera::driver
