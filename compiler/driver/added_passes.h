// Passes that users add to the pipeline, from libraries of theirs.
#pragma once

#include <string>
#include <vector>

#include "compiler/target/phase.h"
#include "mlir/Pass/PassManager.h"
#include "tessera/status.h"

namespace tessera::driver {

/// Makes the passes of these libraries known by name. A library is loaded once for the process and
/// stays. Errors (kInvalidInput): it cannot be loaded, or holds no passes.
Status loadPassPlugins(const std::vector<std::string>& files);

/// Adds a textual pipeline of passes on modules. Errors (kUsage): it cannot be read.
Status addPipeline(const std::string& text, mlir::OpPassManager& manager);

}  // namespace tessera::driver
