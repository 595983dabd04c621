// The backends that are built into this compiler, those of plugins, and targets in words.
#pragma once

#include <string>
#include <vector>

#include "compiler/backend_api/registry.h"

namespace tessera::backend_registry {

/// A backend that was selected and is not there.
struct MissingBackend {
  std::string name;
  std::string reason;  ///< "libfast was not found".
};

/// Adds one of each built-in backend, sorted by name. The list is generated from the folders
/// backends/*/compiler that TESSERA_BACKENDS selects. Returns those that could not be built and
/// those that the registry does not take. `isIsolated`: each as isolation::isolate makes it.
std::vector<MissingBackend> addBuiltinBackends(backend_api::BackendRegistry& registry,
                                               bool isIsolated = false);

/// A backend that came from a library.
struct Plugin {
  std::string kind;
  std::string file;
};

/// Loads a plugin. Errors (kInvalidInput) name the file: it is none, its kind is another backend's.
Result<Plugin> addPlugin(backend_api::BackendRegistry& registry, const std::string& file);

/// Loads those in TESSERA_PLUGIN_PATH whose kinds the registry does not have. What cannot be loaded
/// goes to `missing`.
std::vector<Plugin> addFoundPlugins(backend_api::BackendRegistry& registry,
                                    std::vector<MissingBackend>& missing);

/// The target kinds of a registry and the interpreter's, for parsing targets.
std::vector<const target::TargetKind*> targetKinds(const backend_api::BackendRegistry& registry);

/// The name of an attribute by which a target can be told to spend no memory for speed; bool.
inline constexpr char kLeanAttribute[] = "lean";

/// The targets in `text` with their backends, attribute values resolved for this machine; the host
/// target is appended when it is not among them. `isLean`: all that have `kLeanAttribute` are lean.
/// Errors (kUsage): as parseTargets, and the interpreter, which owns nothing.
Result<backend_api::Owners> parseOwners(const backend_api::BackendRegistry& registry,
                                        std::string_view text, bool isLean = false);

}  // namespace tessera::backend_registry
