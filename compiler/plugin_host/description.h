// What a worker says of a plugin, read: it may be anything.
#pragma once

#include "compiler/plugin_host/remote.h"
#include "tessera/backend_compile.h"

namespace tessera::plugin_host {

/// A text in one line of bounded length.
std::string word(std::string text);
/// A reason as such; a default where it is empty.
std::string sentence(std::string text);

/// Errors (kInvalidInput): a name, an attribute or an opset that cannot be.
Result<Description> readDescription(const nlohmann::json& header);

/// kUndefined element type: not known.
InferredType readType(const nlohmann::json& given);

}  // namespace tessera::plugin_host
