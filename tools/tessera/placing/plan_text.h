// Plans as files.
#pragma once

#include <string>

#include "tessera/compile.h"

namespace tessera::cli {

/// Module::plan in a file. Errors: those of Module::plan and base::writeFile.
Status savePlan(const Module& module, const std::string& path);

}  // namespace tessera::cli
