// What the conformance kit found, for people and for programs.
#pragma once

#include <string>

#include "commands.h"
#include "tessera/conformance.h"

namespace tessera::cli {

/// The command that shows a failure again; empty for one without a case.
std::string reproduction(const ConformanceCommand& command, const ConformanceFailure& failure);

std::string toMarkdown(const ConformanceCommand& command, const ConformanceReport& report);
std::string toJson(const ConformanceCommand& command, const ConformanceReport& report);
/// A few lines for the terminal.
std::string toText(const ConformanceCommand& command, const ConformanceReport& report);

}  // namespace tessera::cli
