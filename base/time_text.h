// Times as people read them.
#pragma once

#include <string>

namespace tessera::base {

/// "1.234 s", "1.234 ms", "12.3 us"
std::string timeText(double seconds);

}  // namespace tessera::base
