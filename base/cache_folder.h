// Where what can be made again is kept for the next time.
#pragma once

#include <string>

namespace tessera::base {

/// The folder `name` of `~/.cache/tessera`, below XDG_CACHE_HOME where that is an absolute path. It
/// may not be there. Empty where HOME is none either: what anybody may have put into the present
/// folder is not ours.
std::string cacheFolder(const std::string& name);

}  // namespace tessera::base
