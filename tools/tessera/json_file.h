// Figures for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tessera/status.h"

namespace tessera::cli {

/// The file cannot be written, for whatever reason.
Error cannotWrite(const std::string& path);

/// Writes two-column indented JSON; texts that are no UTF-8 are mended. Errors: cannotWrite.
Status writeJson(const std::string& path, const nlohmann::json& value);

}  // namespace tessera::cli
