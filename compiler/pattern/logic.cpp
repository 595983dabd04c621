// Patterns made of patterns, and conditions.
#include <set>

#include "compiler/pattern/search.h"

namespace tessera::pattern {

using namespace mlir;
using Next = Pattern::Next;

/// What any of `patterns` may be defined by.
static Pattern::Roots unionOfRoots(ArrayRef<Pattern> patterns) {
  std::set<StringRef> names;
  for (const Pattern& pattern : patterns) {
    if (!pattern.roots()) return std::nullopt;
    names.insert(pattern.roots()->begin(), pattern.roots()->end());
  }
  return std::vector<StringRef>(names.begin(), names.end());
}

/// An operand that may be absent for one of them may be absent.
static Pattern::Place placeOf(ArrayRef<Pattern> patterns) {
  const auto mayBeAbsent = [](const Pattern& pattern) {
    return pattern.place() == Pattern::Place::kPerhaps;
  };
  return llvm::any_of(patterns, mayBeAbsent) ? Pattern::Place::kPerhaps : Pattern::Place::kOne;
}

Pattern anyOf(std::vector<Pattern> alternatives) {
  Pattern::Roots roots = unionOfRoots(alternatives);
  const Pattern::Place place = placeOf(alternatives);
  return {[alternatives = std::move(alternatives)](Value value, Search& search, Next next) {
            return llvm::any_of(
                alternatives, [&](const Pattern& pattern) { return pattern(value, search, next); });
          },
          std::move(roots), place};
}

Pattern recursive(const std::function<Pattern(const Pattern& self)>& make) {
  // Whoever holds the result holds the pattern; what stands inside of it only refers to it.
  const auto whole = std::make_shared<std::optional<Pattern>>();
  const std::weak_ptr<std::optional<Pattern>> inner = whole;
  *whole = make(Pattern(
      [inner](Value value, Search& search, Next next) {
        const auto held = inner.lock();
        return held && *held && (**held)(value, search, next);
      },
      std::nullopt));
  return {
      [whole](Value value, Search& search, Next next) { return (**whole)(value, search, next); },
      (*whole)->roots(), (*whole)->place()};
}

static bool matchAll(Value value, ArrayRef<Pattern> patterns, Search& search, Next next) {
  if (patterns.empty()) return next();
  return patterns.front()(value, search,
                          [&] { return matchAll(value, patterns.drop_front(), search, next); });
}

Pattern allOf(std::vector<Pattern> patterns) {
  const auto known =
      llvm::find_if(patterns, [](const Pattern& pattern) { return pattern.roots().has_value(); });
  Pattern::Roots roots = known == patterns.end() ? std::nullopt : known->roots();
  return {[patterns = std::move(patterns)](Value value, Search& search, Next next) {
            return matchAll(value, patterns, search, next);
          },
          std::move(roots)};
}

Pattern no(const Pattern& pattern) {
  return {[pattern](Value value, Search& search, Next next) {
            bool matches = false;
            // Declined once seen, so that all that it entered into the match is undone.
            (void)pattern(value, search, [&] {
              matches = true;
              return false;
            });
            return !matches && next();
          },
          std::nullopt};
}

Pattern when(const Pattern& pattern, std::function<bool(Value)> holds) {
  return whenMatched(
      pattern, [holds = std::move(holds)](Value value, const Match&) { return holds(value); });
}

Pattern whenMatched(const Pattern& pattern, std::function<bool(Value, const Match&)> holds) {
  return {[pattern, holds = std::move(holds)](Value value, Search& search, Next next) {
            return pattern(value, search, [&] {
              const SmallVector<OpResult, 2> definitions = search.definitions(value);
              const auto accepts = [&](Value found) { return holds(found, search.found()); };
              const bool isAccepted = definitions.empty() ? accepts(outermost(value))
                                                          : llvm::any_of(definitions, accepts);
              return isAccepted && next();
            });
          },
          pattern.roots()};
}

}  // namespace tessera::pattern
