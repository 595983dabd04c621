// Code that earlier processes compiled.
#pragma once

#include "compiler/backend_api/code_folder.h"

namespace tessera::driver {

/// `~/.cache/tessera/code`, at most a gigabyte, of code generators that are byte for byte the same.
backend_api::CodeFolder keptCode();

}  // namespace tessera::driver
