// All backends built into this compiler.
#pragma once

#include <vector>

#include "compiler/backend_api/backend.h"

namespace tessera::backend_registry {

/// One of each, alive until the program ends; sorted by name. The list is generated from the
/// folders backends/*/compiler.
const std::vector<const backend_api::Backend*>& allBackends();

/// Null when there is none of that name.
const backend_api::Backend* findBackend(std::string_view kind);

/// Their target kinds and `reference`, for parsing targets.
std::vector<const target::TargetKind*> targetKinds();

/// The targets in `text` with their backends, attribute values resolved for this machine; the host
/// target is appended when it is not among them. Errors (kUsage): as parseTargets,
/// and `reference`, which owns nothing.
Result<backend_api::Owners> parseOwners(std::string_view text);

}  // namespace tessera::backend_registry
