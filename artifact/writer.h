// Stores a Bundle as an artifact.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "artifact/bundle.h"
#include "tessera/status.h"

namespace tessera::artifact {

struct WriteOptions {
  /// Leaves out constants whose bytes are borrowed and have a content hash: whoever loads the
  /// artifact provides them. For artifacts that live as long as a store of constants does.
  bool referenceConstants = false;
};

/// Writes the bundle to `path`: into a temporary file of the same folder that is renamed when
/// complete, so a reader never sees half a file and a failure leaves nothing behind. Streams; equal
/// bundles give equal bytes.
Status writeFile(const Bundle& bundle, const std::string& path, const WriteOptions& options = {});

/// The same bytes in memory.
Result<std::vector<std::byte>> writeMemory(const Bundle& bundle, const WriteOptions& options = {});

}  // namespace tessera::artifact
