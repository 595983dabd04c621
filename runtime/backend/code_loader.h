// Machine code from memory: what runtime halves get as tessera_code_loader.
#pragma once

#include "tessera/backend_runtime.h"

namespace tessera::runtime {

/// The one loader of the process.
const tessera_code_loader& codeLoader();

}  // namespace tessera::runtime
