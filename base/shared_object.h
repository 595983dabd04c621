// Shared objects before they are loaded, and what names them afterwards.
#pragma once

#include <string>

namespace tessera::base {

/// Whether the file ends before one of the segments that its ELF header names: dlopen would touch
/// what is not there, which ends the process. What is no ELF file dlopen refuses.
bool isCutShort(const std::string& path);

/// The hash that the linker noted in the loaded program or library that `address` lies in (its GNU
/// build id), in hexadecimal digits; empty where it noted none.
std::string buildIdOf(const void* address);

}  // namespace tessera::base
