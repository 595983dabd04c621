// The backends of a session, and how they are described.
#include "compiler/backend_registry/registry.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/op_info.h"

namespace tessera {

Session::Session() : state_(std::make_unique<State>()) {
  backend_registry::addBuiltinBackends(state_->registry);
}
Session::~Session() = default;

static BackendInfo infoOf(const backend_api::Backend& backend) {
  const target::TargetKind& kind = backend.kind();
  BackendInfo info{.name = kind.name,
                   .version = backend.version(),
                   .isHost = kind.isHost,
                   .isTest = kind.isTest,
                   .attributes = {},
                   .operators = backend.operators(),
                   .whyMissing = {}};
  for (const target::TargetAttribute& attribute : kind.attributes)
    info.attributes.push_back({.name = attribute.name,
                               .type = target::typeText(attribute),
                               .defaultValue = target::valueText(attribute.defaultValue),
                               .help = attribute.help});
  return info;
}

std::vector<BackendInfo> Session::backends() const {
  std::vector<BackendInfo> infos;
  for (const backend_api::Backend* backend : state_->registry.backends())
    infos.push_back(infoOf(*backend));
  for (const backend_registry::MissingBackend& missing : backend_registry::missingBackends()) {
    BackendInfo& info = infos.emplace_back();
    info.name = missing.name;
    info.whyMissing = missing.reason;
  }
  BackendInfo& reference = infos.emplace_back();
  reference.name = driver::kInterpreter;
  reference.version = version();
  for (const ir::OpInfo& op : ir::opTable()) reference.operators.emplace_back(op.mnemonic);
  return infos;
}

}  // namespace tessera
