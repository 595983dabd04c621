// A target's passes of one point of the pipeline, run in its process.
#pragma once

#include <memory>

#include "compiler/isolation/remote.h"
#include "compiler/target/phase.h"
#include "mlir/Pass/Pass.h"

namespace tessera::isolation {

/// A pass on modules that has the process run what the backend adds at that point and takes the
/// module that comes back. When the process has no answer, the functions in the module that the
/// target owns are refused (backend_api::kRefusedAttribute) and stay as they are; where it owns
/// none, because nothing is placed yet, the pass fails. `remote` outlives the pass.
std::unique_ptr<mlir::Pass> createRunRemotelyPass(Remote& remote, const target::Target& target,
                                                  target::Phase phase, target::HookPoint point);

}  // namespace tessera::isolation
