#include "compiler/backend_registry/registry.h"

#include <algorithm>
#include <memory>

#include "backend_includes.inc"
#include "compiler/isolation/isolated_backend.h"
#include "compiler/plugin_host/find.h"
#include "compiler/plugin_host/plugin_backend.h"

namespace tessera::backend_registry {

std::vector<MissingBackend> addBuiltinBackends(backend_api::BackendRegistry& registry,
                                               bool isIsolated) {
  std::vector<MissingBackend> missing;
  const auto add = [&](const char* folder, std::unique_ptr<backend_api::Backend> backend) {
    if (isIsolated) backend = isolation::isolate(std::move(backend));
    if (const auto added = registry.add(std::move(backend)); !added)
      missing.push_back({.name = folder, .reason = added.error().message});
  };
#define TESSERA_BUILTIN_BACKEND(folder) add(#folder, backend_##folder::createBackend());
#include "backend_list.inc"
#undef TESSERA_BUILTIN_BACKEND
#define TESSERA_MISSING_BACKEND(folder, why) missing.push_back({.name = #folder, .reason = (why)});
#include "missing_list.inc"
#undef TESSERA_MISSING_BACKEND
  return missing;
}

Result<Plugin> addPlugin(backend_api::BackendRegistry& registry, const std::string& file) {
  TESSERA_TRY(std::unique_ptr<backend_api::Backend> backend, plugin_host::loadPlugin(file));
  auto added = registry.add(std::move(backend));
  if (added) return Plugin{.kind = (*added)->kind().name, .file = file};
  Error error = invalidInput(added.error().message);
  error.file = file;
  return error;
}

std::vector<Plugin> addFoundPlugins(backend_api::BackendRegistry& registry,
                                    std::vector<MissingBackend>& missing) {
  std::vector<Plugin> plugins;
  for (const std::string& file : plugin_host::findPlugins()) {
    const std::string kind = plugin_host::kindInName(file);
    if (registry.find(kind) != nullptr) continue;
    auto plugin = addPlugin(registry, file);
    if (plugin)
      plugins.push_back(std::move(*plugin));
    else
      missing.push_back({.name = kind, .reason = plugin.error().toString()});
  }
  return plugins;
}

/// The interpreter: a kind of target that has no backend and owns nothing.
static const target::TargetKind& interpreterKind() {
  static const target::TargetKind kind{.name = target::kInterpreter, .attributes = {}};
  return kind;
}

std::vector<const target::TargetKind*> targetKinds(const backend_api::BackendRegistry& registry) {
  std::vector<const target::TargetKind*> kinds;
  for (const backend_api::Backend* backend : registry.backends()) kinds.push_back(&backend->kind());
  kinds.push_back(&interpreterKind());
  return kinds;
}

Result<backend_api::Owners> parseOwners(const backend_api::BackendRegistry& registry,
                                        std::string_view text, bool isLean) {
  const std::vector<const target::TargetKind*> kinds = targetKinds(registry);
  std::vector<target::Target> targets;
  if (!text.empty()) {
    TESSERA_TRY(targets, target::parseTargets(text, kinds));
  }
  for (const target::TargetKind* kind : kinds) {
    const bool isListed =
        std::ranges::any_of(targets, [&](const target::Target& t) { return t.kind == kind->name; });
    if (!kind->isHost || isListed) continue;
    TESSERA_TRY(target::Target host, target::parseTarget(kind->name, kinds));
    targets.push_back(std::move(host));
  }
  backend_api::Owners owners;
  for (target::Target& target : targets) {
    const auto lean = target.attributes.find(kLeanAttribute);
    if (isLean && lean != target.attributes.end()) lean->second = true;
    const backend_api::Backend* backend = registry.find(target.kind);
    if (backend == nullptr)
      return usageError("target '" + target.kind +
                        "' evaluates a whole model and stands alone; found '" + std::string(text) +
                        "'");
    TESSERA_TRY(target::Target resolved, backend->resolve(target));
    owners.push_back({.target = std::move(resolved), .backend = backend});
  }
  return owners;
}

}  // namespace tessera::backend_registry
