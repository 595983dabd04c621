// Code that earlier processes compiled.
#pragma once

#include "compiler/backend_api/code_folder.h"

namespace tessera::driver {

/// `~/.cache/tessera/code`, at most a gigabyte, told apart by the code generator
/// (code_version.h).
backend_api::CodeFolder keptCode();

}  // namespace tessera::driver
