// Models run one operator at a time.
#pragma once

#include <span>
#include <vector>

#include "model.h"

namespace tessera::cli {

/// Operators through the reference implementations. Where the module or the options name targets,
/// regions of all but the host target run as they do in an artifact: in the code that their owner
/// makes of them, by its runtime half.
Result<std::vector<HostTensor>> interpret(Module& module, const ModelOptions& options,
                                          std::span<const HostTensor> inputs);

}  // namespace tessera::cli
