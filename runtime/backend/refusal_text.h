// What tessera_host_services.refuse is told, as a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::runtime {

/// `text` with {0} and {1} replaced by the numbers.
std::string refusalText(std::string_view text, int64_t found, int64_t expected);

}  // namespace tessera::runtime
