// Where what can be made again is kept for the next time.
#pragma once

#include <string>

namespace tessera::base {

/// `~/.cache/tessera`, below XDG_CACHE_HOME where that is set. It may not be there.
std::string cacheFolder();

}  // namespace tessera::base
