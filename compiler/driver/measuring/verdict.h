// Plans that won are kept in the cost store: a model that was placed is not measured again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/costs/store.h"
#include "compiler/driver/measuring/worker_measurer.h"
#include "compiler/placement/plan.h"

namespace tessera::driver {

/// What was decided about a module, with its targets and rules, on this machine and by this code.
/// The store outlives it.
class Verdict {
 public:
  /// `module` is at phase `pre_partition`; `options` have a store. Errors: an unknown target.
  static Result<Verdict> of(mlir::ModuleOp module, const MeasuringOptions& options);

  /// The file of the plan that won; nothing when nobody decided. Errors: those of costs::Store.
  Result<std::optional<std::string>> find() const;
  /// The last plan that won with whichever code, on whichever machine.
  Result<std::optional<std::string>> findPrevious() const;
  /// `file` is that of the plan. Errors: those of costs::Store.
  Status keep(const placement::FoundPlan& plan, std::string file) const;

 private:
  Verdict(costs::Store& store, costs::Key key) : store_(&store), key_(std::move(key)) {}

  costs::Store* store_;
  costs::Key key_;
};

}  // namespace tessera::driver
