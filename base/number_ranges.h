// Lists of numbers as people write them: "1 3-7 9".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::base {

/// Of ascending numbers; "" of none.
std::string writeRanges(std::span<const size_t> numbers);
/// Nothing where the text is none, or names a number of `limit` or more.
std::optional<std::vector<size_t>> readRanges(std::string_view text, size_t limit);

}  // namespace tessera::base
