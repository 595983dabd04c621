// The backends of a session, and how they are described.
#include "compiler/backend_registry/registry.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/op_info.h"

namespace tessera {

Session::Session() : state_(std::make_unique<State>()) {
  state_->missing = backend_registry::addBuiltinBackends(state_->registry);
}
Session::~Session() = default;

/// ONNX's names of operators of the dialect; some, such as relayout, have none.
static std::vector<std::string> onnxNamesOf(const std::vector<std::string>& mnemonics) {
  std::vector<std::string> names;
  for (const std::string& mnemonic : mnemonics) {
    const ir::OpInfo* op = ir::findByMnemonic(mnemonic);
    if (op != nullptr && !op->onnxName.empty()) names.emplace_back(op->onnxName);
  }
  return names;
}

static BackendInfo infoOf(const backend_api::Backend& backend) {
  const target::TargetKind& kind = backend.kind();
  BackendInfo info{.name = kind.name,
                   .version = backend.version(),
                   .isHost = kind.isHost,
                   .isTest = kind.isTest,
                   .attributes = {},
                   .operators = backend.operators(),
                   .onnxOperators = onnxNamesOf(backend.operators()),
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
  for (const backend_registry::MissingBackend& missing : state_->missing) {
    BackendInfo& info = infos.emplace_back();
    info.name = missing.name;
    info.whyMissing = missing.reason;
  }
  BackendInfo& reference = infos.emplace_back();
  reference.name = target::kInterpreter;
  reference.version = version();
  for (const ir::OpInfo& op : ir::opTable()) reference.operators.emplace_back(op.mnemonic);
  reference.onnxOperators = onnxNamesOf(reference.operators);
  return infos;
}

Result<std::vector<std::string>> splitTargets(const std::string& text) {
  return target::splitTargets(text);
}

}  // namespace tessera
