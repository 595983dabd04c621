#include "compiler/target/target.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "artifact/target_name.h"

namespace tessera::target {

/// What stands between the words of a target.
static constexpr std::string_view kSpaces = " \t\n";

static constexpr std::string_view kTypeNames[] = {"string", "bool", "int", "float", "enum"};

std::string typeText(const TargetAttribute& attribute) {
  std::string text(kTypeNames[static_cast<size_t>(attribute.type)]);
  for (size_t i = 0; i < attribute.values.size(); ++i)
    text += (i == 0 ? ": " : "|") + attribute.values[i];
  return text;
}

std::string valueText(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  std::array<char, 32> digits = {};
  const auto print = [&](auto number) {
    return std::string(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
  };
  if (const auto* number = std::get_if<int64_t>(&value)) return print(*number);
  return print(std::get<double>(value));
}

template <typename Number>
static std::optional<AttributeValue> parseNumber(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

static std::optional<AttributeValue> parseValue(const TargetAttribute& attribute,
                                                std::string_view text) {
  switch (attribute.type) {
    case AttributeType::kString:
      return std::string(text);
    case AttributeType::kBool:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case AttributeType::kInt:
      return parseNumber<int64_t>(text);
    case AttributeType::kFloat:
      return parseNumber<double>(text);
    case AttributeType::kEnum:
      if (std::ranges::find(attribute.values, text) == attribute.values.end()) return std::nullopt;
      return std::string(text);
  }
  return std::nullopt;
}

static bool isKindName(const std::string& text) {
  const auto name = artifact::targetNameOf(text);
  return name && name->kind == text;
}

std::string whyMalformed(const TargetKind& kind) {
  if (!isKindName(kind.name))
    return "target kind '" + kind.name + "': the name is no word of letters, digits, _ and -";
  if (kind.name == kInterpreter)
    return "target kind '" + kind.name + "': the name is the interpreter's";
  for (size_t i = 0; i < kind.attributes.size(); ++i) {
    const TargetAttribute& attribute = kind.attributes[i];
    const std::string of = "target kind '" + kind.name + "': attribute '" + attribute.name + "' ";
    if (attribute.name.empty() || attribute.name.find_first_of(" \t\n,=\"\\") != std::string::npos)
      return of + "has a name that is no word";
    if (attribute.name == "device") return of + "has the name of a target's device number";
    for (size_t j = 0; j < i; ++j) {
      if (kind.attributes[j].name == attribute.name) return of + "stands twice";
    }
    if (parseValue(attribute, valueText(attribute.defaultValue)) != attribute.defaultValue)
      return of + "has a default that is no " + typeText(attribute);
  }
  return {};
}

static std::string quotedIfNeeded(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \t\n,\"\\") == std::string::npos) return value;
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string whyNoneOf(const TargetKind& kind, const Target& target) {
  for (const auto& [name, value] : target.attributes) {
    const std::string of = "attribute '" + name + "' of target '" + kind.name + "' ";
    const auto known = std::ranges::find(kind.attributes, name, &TargetAttribute::name);
    if (known == kind.attributes.end()) return of + "does not exist";
    if (parseValue(*known, valueText(value)) != value)
      return of + "is " + quotedIfNeeded(valueText(value)) + ", expected " + typeText(*known);
  }
  return {};
}

std::string Target::toString() const {
  std::string text = kind;
  if (device != 0) text += ":" + std::to_string(device);
  for (const auto& [name, value] : attributes)
    text += " -" + name + "=" + quotedIfNeeded(valueText(value));
  return text;
}

std::string Target::stringOr(std::string_view name, std::string_view fallback) const {
  const auto it = attributes.find(std::string(name));
  const auto* text = it == attributes.end() ? nullptr : std::get_if<std::string>(&it->second);
  return text ? *text : std::string(fallback);
}

Result<std::vector<std::string>> splitTargets(std::string_view text) {
  std::vector<std::string> targets(1);
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') isQuoted = !isQuoted;
    if (c == ',' && !isQuoted) {
      targets.emplace_back();
      continue;
    }
    targets.back() += c;
    if (isQuoted && c == '\\' && i + 1 < text.size()) targets.back() += text[++i];
  }
  if (isQuoted) return usageError("targets '" + std::string(text) + "': a quote is not closed");
  for (std::string& target : targets) {
    target.erase(0, target.find_first_not_of(kSpaces));
    target.erase(target.find_last_not_of(kSpaces) + 1);
  }
  return targets;
}

/// The words of one target, whose quotes are closed: quotes and backslashes resolved.
static std::vector<std::string> wordsOf(std::string_view target) {
  std::vector<std::string> words;
  std::string word;
  bool isInWord = false, isQuoted = false;
  const auto endWord = [&] {
    if (isInWord) words.push_back(std::move(word));
    word.clear();
    isInWord = false;
  };
  for (size_t i = 0; i < target.size(); ++i) {
    const char c = target[i];
    if (!isQuoted && kSpaces.find(c) != std::string_view::npos) {
      endWord();
      continue;
    }
    isInWord = true;
    if (c == '"')
      isQuoted = !isQuoted;
    else
      word += isQuoted && c == '\\' ? target[++i] : c;
  }
  endWord();
  return words;
}

static std::string knownKinds(const std::vector<const TargetKind*>& kinds) {
  std::string names;
  for (const TargetKind* kind : kinds) names += (names.empty() ? "" : ", ") + kind->name;
  return names;
}

static Status setAttribute(std::string_view word, const TargetKind& kind, Target& target,
                           std::set<std::string>& given) {
  const size_t equal = word.find('=');
  if (word.size() < 2 || word[0] != '-' || equal == std::string_view::npos)
    return usageError("target '" + target.kind + "': found '" + std::string(word) +
                      "', expected -name=value");
  const std::string name(word.substr(1, equal - 1));
  const auto it = std::ranges::find(kind.attributes, name, &TargetAttribute::name);
  if (it == kind.attributes.end()) {
    std::string known;
    for (const TargetAttribute& attribute : kind.attributes)
      known += (known.empty() ? "" : ", ") + attribute.name;
    return usageError("target '" + target.kind + "' has no attribute '" + name +
                      "'; it has: " + (known.empty() ? "none" : known));
  }
  if (!given.insert(name).second)
    return usageError("target '" + target.kind + "': attribute '" + name + "' is given twice");
  const std::string text(word.substr(equal + 1));
  auto value = parseValue(*it, text);
  if (!value)
    return usageError("target '" + target.kind + "': attribute '" + name + "' is '" + text +
                      "', expected " + typeText(*it));
  target.attributes[name] = std::move(*value);
  return {};
}

static Result<Target> makeTarget(const std::vector<std::string>& words,
                                 const std::vector<const TargetKind*>& kinds) {
  const std::string_view head = words.empty() ? std::string_view() : words.front();
  Target target;
  const size_t colon = head.find(':');
  target.kind = head.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view number = head.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), target.device);
    if (error != std::errc() || end != number.data() + number.size() || target.device < 0)
      return usageError("target '" + std::string(head) + "': found device '" + std::string(number) +
                        "', expected a number");
  }
  const auto it = std::ranges::find(kinds, target.kind, &TargetKind::name);
  if (it == kinds.end())
    return usageError("unknown target '" + target.kind + "'; known targets: " + knownKinds(kinds));
  for (const TargetAttribute& attribute : (*it)->attributes)
    target.attributes[attribute.name] = attribute.defaultValue;
  std::set<std::string> given;
  for (size_t i = 1; i < words.size(); ++i)
    TESSERA_TRY_VOID(setAttribute(words[i], **it, target, given));
  return target;
}

Result<Target> parseTarget(std::string_view text, const std::vector<const TargetKind*>& kinds) {
  TESSERA_TRY(const std::vector<Target> targets, parseTargets(text, kinds));
  if (targets.size() != 1)
    return usageError("found " + std::to_string(targets.size()) + " targets in '" +
                      std::string(text) + "', expected one");
  return targets.front();
}

Result<std::vector<Target>> parseTargets(std::string_view text,
                                         const std::vector<const TargetKind*>& kinds) {
  TESSERA_TRY(const std::vector<std::string> list, splitTargets(text));
  std::vector<Target> targets;
  for (const std::string& one : list) {
    TESSERA_TRY(Target target, makeTarget(wordsOf(one), kinds));
    if (std::ranges::find(targets, target) != targets.end())
      return usageError("target '" + target.toString() + "' is given twice");
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace tessera::target
