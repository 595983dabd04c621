// Shared objects before they are loaded.
#pragma once

#include <string>

namespace tessera::base {

/// Whether the file ends before one of the segments that its ELF header names: dlopen would touch
/// what is not there, which ends the process. What is no ELF file dlopen refuses.
bool isCutShort(const std::string& path);

}  // namespace tessera::base
