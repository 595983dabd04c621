// Whether a runtime half keeps to the C ABI of tessera/backend_runtime.h, as far as it can be seen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/backend_runtime.h"

namespace tessera::conformance {

/// Sentences about what is wrong with the half of this kind, which is among `given` or in
/// libtessera_backend_<kind>.so in TESSERA_PLUGIN_PATH or beside the runtime; none for a half that
/// is linked into the runtime and cannot be looked at.
std::vector<std::string> checkAbi(const std::string& kind,
                                  std::span<const tessera_backend_runtime* const> given);

}  // namespace tessera::conformance
