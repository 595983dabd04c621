// Several placements of one model, run in turns.
#pragma once

#include "tools/tessera/commands.h"

namespace tessera::cli {

/// What `compare` does when placements are named: compiles each, holds the outputs against those of
/// the last, and times all end to end. Gives what runCompare gives.
Result<int> comparePlacements(const CompareCommand& command);

}  // namespace tessera::cli
