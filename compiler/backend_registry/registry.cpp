#include "compiler/backend_registry/registry.h"

#include <algorithm>
#include <memory>

#include "compiler/backend_registry/backend_includes.inc"

namespace tessera::backend_registry {

const std::vector<const backend_api::Backend*>& allBackends() {
  static const auto* backends = new std::vector<const backend_api::Backend*>{
#include "compiler/backend_registry/backend_list.inc"
  };
  return *backends;
}

const backend_api::Backend* findBackend(std::string_view kind) {
  for (const backend_api::Backend* backend : allBackends()) {
    if (backend->kind().name == kind) return backend;
  }
  return nullptr;
}

/// The interpreter: a kind of target that has no backend and owns nothing.
static const target::TargetKind& referenceKind() {
  static const auto* kind = new target::TargetKind{.name = "reference", .attributes = {}};
  return *kind;
}

std::vector<const target::TargetKind*> targetKinds() {
  std::vector<const target::TargetKind*> kinds;
  for (const backend_api::Backend* backend : allBackends()) kinds.push_back(&backend->kind());
  kinds.push_back(&referenceKind());
  return kinds;
}

Result<backend_api::Owners> parseOwners(std::string_view text) {
  std::vector<target::Target> targets;
  if (!text.empty()) {
    TESSERA_TRY(targets, target::parseTargets(text, targetKinds()));
  }
  for (const target::TargetKind* kind : targetKinds()) {
    const bool isListed =
        std::ranges::any_of(targets, [&](const target::Target& t) { return t.kind == kind->name; });
    if (!kind->isHost || isListed) continue;
    TESSERA_TRY(target::Target host, target::parseTarget(kind->name, targetKinds()));
    targets.push_back(std::move(host));
  }
  backend_api::Owners owners;
  for (const target::Target& target : targets) {
    const backend_api::Backend* backend = findBackend(target.kind);
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
