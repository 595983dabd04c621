// How fast this machine is when nothing disturbs it, by the yardstick's time (timing/yardstick.h).
#pragma once

#include "compiler/costs/store.h"

namespace tessera::driver {

/// Times of different days are about the same machine: what is known of it is kept in the store.
class UndisturbedSpeed {
 public:
  /// Of a machine as keys of the store call it and a number of threads; the store may be null.
  UndisturbedSpeed(costs::Store* store, const std::string& machine, uint32_t threads);

  /// The least time that the yardstick ever took, in seconds; 0: it was never timed.
  double seconds() const { return seconds_; }
  /// It took so long, all along.
  void note(double seconds);

 private:
  costs::Store* store_;
  costs::Key key_;
  double seconds_ = 0;
};

}  // namespace tessera::driver
