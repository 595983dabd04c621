// Commands that people can copy.
#pragma once

#include <string>

namespace tessera::cli {

/// As one word of a shell, whatever is in it.
std::string shellWord(const std::string& text);

}  // namespace tessera::cli
