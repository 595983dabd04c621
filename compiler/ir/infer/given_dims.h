// Names that the compiler gives to open dimensions: equal names are equal sizes. Outside of the
// compiler they mean nothing. No model has such a name: the importer sees to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// "?7"
inline std::string givenDimName(int64_t number) { return "?" + std::to_string(number); }

/// The number in such a name; nothing for a model's own.
inline std::optional<int64_t> givenDimNumber(llvm::StringRef name) {
  int64_t number = 0;
  if (!name.consume_front("?") || name.getAsInteger(10, number)) return std::nullopt;
  return number;
}

/// The name as seen outside: empty in place of one that the compiler gave.
inline std::string modelDimName(llvm::StringRef name) {
  return givenDimNumber(name) ? std::string() : name.str();
}

}  // namespace tessera::ir
