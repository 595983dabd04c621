// A timeline of runs, in the Trace Event Format, which Perfetto opens.
#pragma once

#include <string>

#include "tessera/runtime.hpp"

namespace tessera::cli {

/// Runs the context some times and writes when it did what: a track for the calling thread and one
/// for each device that tells of its work. Errors: those of a run, an invalid file.
Status recordTrace(const Executable& executable, Context& context, const std::string& path);

}  // namespace tessera::cli
