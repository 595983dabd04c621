// What was learnt about how regions are compiled best: `tessera tune` measures, whoever compiles
// looks it up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/backend_api/backend.h"
#include "compiler/costs/store.h"
#include "tessera/compile.h"

namespace tessera::driver {

/// The schedules in a cost store that hold for this machine, this code generator and one number of
/// threads.
class LearntSchedules {
 public:
  /// The store outlives it. 0 threads: all cores.
  LearntSchedules(costs::Store& store, uint32_t threads);

  /// The fastest of the choices; nothing where none is worthwhile (kWorthwhileSchedule), or what
  /// the target's own takes is not known.
  /// Errors: those of the store.
  Result<std::optional<std::string>> fastest(const target::Target& target,
                                             const backend_api::Schedules& schedules);
  /// Whether every choice was measured.
  Result<bool> knows(const target::Target& target, const backend_api::Schedules& schedules);
  Status keep(std::span<const TimedSchedule> timed);

 private:
  costs::Key keyOf(const std::string& target, const std::string& shapeClass) const;

  costs::Store* store_;
  std::string version_, machine_;
  uint32_t threads_;
};

}  // namespace tessera::driver
