// Plans as files.
#pragma once

#include <string>

#include "tessera/compile.h"

namespace tessera::cli {

/// The whole of a file. Errors (kInvalidInput) name it.
Result<std::string> readText(const std::string& path);
/// Beside its final name first: half a file is none. Errors: cannotWrite (json_file.h).
Status writeText(const std::string& path, const std::string& text);
/// Module::plan in a file.
Status savePlan(const Module& module, const std::string& path);

}  // namespace tessera::cli
