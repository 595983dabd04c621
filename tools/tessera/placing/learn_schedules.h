// Finding out in which of its ways a region is compiled best.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/compile.h"
#include "tools/tessera/commands.h"

namespace tessera::cli {

/// What was found about one class of regions.
struct LearntClass {
  std::string shapeClass;
  double ownSeconds = 0;  ///< Of the target's own choice: its regions of the model, in one run.
  std::string schedule;   ///< The fastest that is worthwhile; empty: the target's own choice.
  double bestSeconds = 0;
};

/// Compiles the module, of which nothing is emitted yet, as often as the class with the most
/// schedules has some, each class with its next one, runs each in turns with the targets' own
/// choices, and keeps what the regions took in the module's cost store. Classes that are known
/// there are left out, and so are, with a note, schedules with which outputs are not the same up to
/// rounding. `isStopped` ends it between two of these: what is known by then counts. `progress` may
/// be empty. Inputs that are given nowhere are random, their open sizes 1. 0 threads: all cores.
/// Errors: those of compiling and running, a store that cannot be written.
Result<std::vector<LearntClass>> learnSchedules(Module& module, const InputOptions& inputs,
                                                uint32_t threads,
                                                const std::function<bool()>& isStopped,
                                                const ProgressCallback& progress);

}  // namespace tessera::cli
