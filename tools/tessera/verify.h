// Whether the regions of other targets compute what the reference computes.
#pragma once

#include "commands.h"

namespace tessera::cli {

/// Runs each region on random inputs (open dimensions are 1) and keeps those that fail or differ
/// from their targets: others get them when `module` is compiled. Errors (kTargetFailed): with
/// isStrict, and where the module came here partitioned, the first that differs.
Status verifyRegions(Module& module, const ModelOptions& options, bool isStrict);

}  // namespace tessera::cli
