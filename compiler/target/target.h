// Targets: a target kind with attribute values on a device.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera::target {

/// One attribute that targets of a kind may set.
struct TargetAttribute {
  std::string name;          ///< As written after the dash: "mcpu".
  std::string defaultValue;  ///< Used when the target does not set it.
  std::string help;          ///< One line.
};

/// What a backend implements: its name and the attributes of its targets.
struct TargetKind {
  std::string name;
  std::vector<TargetAttribute> attributes;
  /// The kind that takes every operator the dialect claims; exactly one backend of a compiler is
  /// the host.
  bool isHost = false;
};

/// A target as the user writes it: `native -mcpu=x86-64-v4`, `opencl:1`. Values are complete:
/// defaults are filled in from the kind by `parseTarget`.
struct Target {
  std::string kind;
  int device = 0;
  std::map<std::string, std::string> attributes;

  /// Canonical text; parses back. Attributes in alphabetical order.
  std::string toString() const;
  bool operator==(const Target&) const = default;
};

/// Parses `kind[:device] [-name=value]...` and fills in defaults. Errors (kUsage): unknown kind,
/// unknown attribute, bad device number; the message lists what is known.
Result<Target> parseTarget(std::string_view text, const std::vector<const TargetKind*>& kinds);
/// Parses a comma-separated list, most preferred first. Commas inside attribute values are not
/// supported.
Result<std::vector<Target>> parseTargets(std::string_view text,
                                         const std::vector<const TargetKind*>& kinds);

}  // namespace tessera::target
