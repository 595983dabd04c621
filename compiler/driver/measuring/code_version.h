// What made the code whose times are kept.
#pragma once

#include <string>

namespace tessera::driver {

/// A hash of this library's file, the code generator: one that was built anew reuses no times of
/// its predecessor. Computed once; the version of the library where its file cannot be read.
const std::string& codeVersion();

}  // namespace tessera::driver
