#include "compiler/pattern/match.h"

#include "compiler/pattern/search.h"

namespace tessera::pattern {

using namespace mlir;

static Value lookUp(llvm::ArrayRef<std::pair<StringRef, Value>> list, StringRef name) {
  for (const auto& [key, value] : list) {
    if (key == name) return value;
  }
  return {};
}

Value Match::value(StringRef name) const { return lookUp(captures, name); }

Value Match::part(StringRef name) const { return lookUp(parts, name); }

std::optional<Match> match(const Pattern& pattern, Value value, const Options& options) {
  return match(pattern, value, options, [](const Match&) { return true; });
}

std::optional<Match> match(const Pattern& pattern, Value value, const Options& options,
                           llvm::function_ref<bool(const Match&)> accepts) {
  Search search(options);
  // What a pattern concludes from a search that was cut short counts for nothing.
  const auto isWanted = [&] { return !search.isExhausted() && accepts(search.found()); };
  if (!pattern(value, search, isWanted)) return std::nullopt;
  return search.take();
}

}  // namespace tessera::pattern
