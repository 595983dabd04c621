// Targets: a target kind with attribute values on a device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/status.h"

namespace tessera::target {

enum class AttributeType : uint8_t {
  kString,
  kBool,   ///< Text form: true, false.
  kInt,    ///< 64 bits.
  kFloat,  ///< Double.
  kEnum,   ///< A string out of TargetAttribute::values.
};

/// An enum's value is its string.
using AttributeValue = std::variant<std::string, bool, int64_t, double>;

/// One attribute that targets of a kind may set.
struct TargetAttribute {
  std::string name;  ///< As written after the dash: "mcpu". Not "device": that is a part of Target.
  AttributeType type = AttributeType::kString;
  AttributeValue defaultValue = std::string();  ///< Used when the target does not set it.
  std::vector<std::string> values = {};         ///< What an enum may be.
  std::string help;                             ///< One line.
};

/// The kind of target that evaluates modules instead of compiling them. No backend has it: it owns
/// no operators.
inline constexpr const char* kInterpreter = "reference";

/// What a backend implements: its name and the attributes of its targets.
struct TargetKind {
  std::string name;
  std::vector<TargetAttribute> attributes = {};
  /// The kind that takes every operator the dialect claims; exactly one backend of a compiler is
  /// the host.
  bool isHost = false;
  /// Exists to test the compiler: never chosen unless asked for, never installed.
  bool isTest = false;
};

/// "bool", "enum: fast|exact".
std::string typeText(const TargetAttribute& attribute);
/// As it stands in a target's text, without quotes.
std::string valueText(const AttributeValue& value);

/// A target as the user writes it: `native -mcpu=x86-64-v4`, `opencl:1`. Values are complete:
/// defaults are filled in from the kind by `parseTarget`.
struct Target {
  std::string kind;
  int device = 0;
  std::map<std::string, AttributeValue> attributes = {};

  /// Canonical text; parses back. Attributes in alphabetical order; a value that is empty or holds
  /// spaces, commas, quotes or backslashes is written in double quotes, in which a backslash takes
  /// the next character as it is.
  std::string toString() const;
  /// The string that attribute `name` has; `fallback` when it is absent or no string.
  std::string stringOr(std::string_view name, std::string_view fallback) const;
  bool operator==(const Target&) const = default;
};

/// Why a backend cannot have this kind; empty when it can: its name is one that artifacts take
/// (artifact::targetNameOf) and not kInterpreter; names of attributes are words, none is "device"
/// and none stands twice, defaults have their types.
std::string whyMalformed(const TargetKind& kind);

/// Why a target that was read from a module is none of `kind`: an attribute that the kind does not
/// have, or whose value is of another type. Empty when it is one; attributes may be absent.
std::string whyNoneOf(const TargetKind& kind, const Target& target);

/// The targets of a list, separated by commas outside quotes, each as text without spaces around
/// it. Errors (kUsage): a quote is not closed.
Result<std::vector<std::string>> splitTargets(std::string_view text);
/// Parses `kind[:device] [-name=value]...` and fills in defaults. Errors (kUsage): unknown kind,
/// unknown attribute, a value of another type, bad device number; the message lists what is known.
Result<Target> parseTarget(std::string_view text, const std::vector<const TargetKind*>& kinds);
/// Parses a list as splitTargets takes it, most preferred first.
Result<std::vector<Target>> parseTargets(std::string_view text,
                                         const std::vector<const TargetKind*>& kinds);

}  // namespace tessera::target
