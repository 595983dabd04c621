#include "base/number_ranges.h"

#include <charconv>

namespace tessera::base {

std::string writeRanges(std::span<const size_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : " ") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::vector<size_t>> readRanges(std::string_view text, size_t limit) {
  std::vector<size_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto readNumber = [&](size_t& number) {
    const auto [next, error] = std::from_chars(at, end, number);
    at = next;
    return error == std::errc() && number < limit;
  };
  while (at != end) {
    size_t first = 0;
    if (!readNumber(first)) return std::nullopt;
    size_t last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!readNumber(last)) return std::nullopt;
    }
    for (size_t number = first; number <= last; ++number) numbers.push_back(number);
    if (at != end && (*at++ != ' ' || at == end)) return std::nullopt;
  }
  return numbers;
}

}  // namespace tessera::base
