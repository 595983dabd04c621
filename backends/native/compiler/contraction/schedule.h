// Ways to compute one contraction that differ in speed alone: what a region's schedule says, and
// which ones are worth trying.
#pragma once

#include "backends/native/compiler/contraction/plan.h"

namespace tessera::backend_native {

/// For messages.
inline constexpr llvm::StringLiteral kScheduleGrammar =
    "tile=ROWSxPANELS (up to 32x8), unroll=STEPS (up to 32), outer=panels|rows, reduce=STEPS, "
    "split=PARTS (up to 64) and algorithm=winograd|direct, each at most once";

/// "tile=9x3 unroll=8 outer=panels reduce=2048 split=4 algorithm=direct", each part at most once;
/// what is left out is the emitter's choice.
struct Schedule {
  lowering::ContractionTuning tuning = {};
  std::optional<bool> isWinograd = {};  ///< algorithm=winograd or direct, of convolutions.

  std::string text() const;
};

/// Nothing: the text is no schedule.
std::optional<Schedule> parseSchedule(llvm::StringRef text);

/// The schedule in a region's attribute (backend_api::kScheduleAttribute), the emitter's choice
/// where it has none that is one.
Schedule scheduleOf(mlir::func::FuncOp region);

/// What of the schedule does not fit the plan or the target changes nothing.
void applySchedule(const Schedule& schedule, const CodeTarget& cpu, RegionPlan& plan);

/// The schedules of a region that is computed by an emitter, whichever it has. Nothing where there
/// is no choice.
std::optional<backend_api::Schedules> schedulesOf(mlir::func::FuncOp region, const CodeTarget& cpu);

}  // namespace tessera::backend_native
