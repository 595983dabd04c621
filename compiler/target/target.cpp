#include "compiler/target/target.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace tessera::target {

std::string Target::toString() const {
  std::string text = kind;
  if (device != 0) text += ":" + std::to_string(device);
  for (const auto& [name, value] : attributes) text += " -" + name + "=" + value;
  return text;
}

static std::string knownKinds(const std::vector<const TargetKind*>& kinds) {
  std::string names;
  for (const TargetKind* kind : kinds) names += (names.empty() ? "" : ", ") + kind->name;
  return names;
}

static Status setAttribute(std::string_view word, const TargetKind& kind, Target& target) {
  const size_t equal = word.find('=');
  if (word.size() < 2 || word[0] != '-' || equal == std::string_view::npos)
    return usageError("target '" + target.kind + "': found '" + std::string(word) +
                      "', expected -name=value");
  const std::string name(word.substr(1, equal - 1));
  const bool isKnown = std::ranges::any_of(
      kind.attributes, [&](const TargetAttribute& attribute) { return attribute.name == name; });
  if (!isKnown) {
    std::string known;
    for (const TargetAttribute& attribute : kind.attributes)
      known += (known.empty() ? "" : ", ") + attribute.name;
    return usageError("target '" + target.kind + "' has no attribute '" + name +
                      "'; it has: " + (known.empty() ? "none" : known));
  }
  target.attributes[name] = std::string(word.substr(equal + 1));
  return {};
}

Result<Target> parseTarget(std::string_view text, const std::vector<const TargetKind*>& kinds) {
  std::istringstream words{std::string(text)};
  std::string head;
  words >> head;
  Target target;
  const size_t colon = head.find(':');
  target.kind = head.substr(0, colon);
  if (colon != std::string::npos) {
    const std::string number = head.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), target.device);
    if (error != std::errc() || end != number.data() + number.size() || target.device < 0)
      return usageError("target '" + head + "': found device '" + number + "', expected a number");
  }
  const auto it = std::ranges::find_if(
      kinds, [&](const TargetKind* kind) { return kind->name == target.kind; });
  if (it == kinds.end())
    return usageError("unknown target '" + target.kind + "'; known targets: " + knownKinds(kinds));
  for (const TargetAttribute& attribute : (*it)->attributes)
    target.attributes[attribute.name] = attribute.defaultValue;
  for (std::string word; words >> word;) TESSERA_TRY_VOID(setAttribute(word, **it, target));
  return target;
}

Result<std::vector<Target>> parseTargets(std::string_view text,
                                         const std::vector<const TargetKind*>& kinds) {
  std::vector<Target> targets;
  while (true) {
    const size_t comma = text.find(',');
    TESSERA_TRY(Target target, parseTarget(text.substr(0, comma), kinds));
    if (std::ranges::find(targets, target) != targets.end())
      return usageError("target '" + target.toString() + "' is given twice");
    targets.push_back(std::move(target));
    if (comma == std::string_view::npos) return targets;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tessera::target
