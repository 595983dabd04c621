#include "tools/tessera-reduce/shrink.h"

#include <algorithm>
#include <map>

namespace tessera::reduce {

/// `count` runs of nearly equal length.
static std::vector<Parts> cut(const Parts& parts, size_t count) {
  std::vector<Parts> runs;
  for (size_t i = 0; i < count; ++i) {
    const auto at = [&](size_t number) {
      return parts.begin() + static_cast<ptrdiff_t>(number * parts.size() / count);
    };
    if (at(i) != at(i + 1)) runs.emplace_back(at(i), at(i + 1));
  }
  return runs;
}

static Parts without(const Parts& parts, const Parts& some) {
  Parts rest;
  std::ranges::set_difference(parts, some, std::back_inserter(rest));
  return rest;
}

Parts shrink(Parts parts, const std::function<bool(const Parts&)>& isInteresting) {
  std::map<Parts, bool> asked;
  const auto ask = [&](const Parts& some) {
    if (some.empty()) return false;
    const auto [it, isNew] = asked.try_emplace(some, false);
    if (isNew) it->second = isInteresting(some);
    return it->second;
  };
  size_t count = 2;
  while (parts.size() > 1) {
    count = std::min(count, parts.size());
    const std::vector<Parts> runs = cut(parts, count);
    const auto part = std::ranges::find_if(runs, ask);
    if (part != runs.end()) {
      parts = *part;
      count = 2;
      continue;
    }
    const auto left =
        std::ranges::find_if(runs, [&](const Parts& run) { return ask(without(parts, run)); });
    if (left != runs.end()) {
      parts = without(parts, *left);
      count = std::max<size_t>(count - 1, 2);
      continue;
    }
    if (count == parts.size()) break;
    count *= 2;
  }
  return parts;
}

}  // namespace tessera::reduce
