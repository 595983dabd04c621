// Stores a Bundle as an artifact.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "artifact/bundle.h"
#include "tessera/status.h"

namespace tessera::artifact {

/// Writes the bundle to `path`: into a temporary file of the same folder that is renamed when
/// complete, so a reader never sees half a file and a failure leaves nothing behind. Streams; equal
/// bundles give equal bytes.
Status writeFile(const Bundle& bundle, const std::string& path);

/// The same bytes in memory.
Result<std::vector<std::byte>> writeMemory(const Bundle& bundle);

}  // namespace tessera::artifact
