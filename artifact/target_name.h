// The first word of a target's text, `kind[:device]`: which backend, on which of its devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::artifact {

struct TargetName {
  std::string kind;     ///< Letters, digits, '_' and '-': it becomes part of a file's name.
  uint32_t device = 0;  ///< 0 where the text has none.
};

/// The name of `opencl:1 -attribute=value`; nullopt when the text does not begin with one.
std::optional<TargetName> targetNameOf(std::string_view target);

}  // namespace tessera::artifact
