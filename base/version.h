// Versions as texts: numbers with dots between.
#pragma once

#include <string_view>

namespace tessera::base {

/// Whether version `a` is older than `b`. Missing numbers are 0, and so is what is no number.
bool isOlderVersion(std::string_view a, std::string_view b);

}  // namespace tessera::base
