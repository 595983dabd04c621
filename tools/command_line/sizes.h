// Sizes that a user gives to inputs and dimensions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/status.h"

namespace tessera::cli {

/// "input=1x3x224x224", "input=scalar"; ? leaves a dimension open: -1. Errors (kUsage).
Result<std::pair<std::string, std::vector<int64_t>>> parseShape(const std::string& text);

/// "batch=4". Errors (kUsage).
Result<std::pair<std::string, int64_t>> parseDim(const std::string& text);

}  // namespace tessera::cli
