// The backends of a session, and how they are described.
#include "compiler/backend_registry/registry.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/op_info.h"

namespace tessera {

Session::Session() : state_(std::make_unique<State>()) {
  state_->missing = backend_registry::addBuiltinBackends(state_->registry);
  state_->plugins = backend_registry::addFoundPlugins(state_->registry, state_->missing);
}
Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Result<std::shared_ptr<Session>> Session::create(const SessionOptions& options) {
  auto state = std::make_unique<State>();
  state->isIsolated = options.isIsolated;
  state->missing = backend_registry::addBuiltinBackends(state->registry, options.isIsolated);
  for (const std::string& file : options.plugins) {
    TESSERA_TRY(backend_registry::Plugin plugin,
                backend_registry::addPlugin(state->registry, file));
    state->plugins.push_back(std::move(plugin));
  }
  for (auto& found : backend_registry::addFoundPlugins(state->registry, state->missing))
    state->plugins.push_back(std::move(found));
  return std::shared_ptr<Session>(new Session(std::move(state)));
}

/// ONNX's names of operators of the dialect; some, such as relayout, have none.
static std::vector<std::string> onnxNamesOf(const std::vector<std::string>& mnemonics) {
  std::vector<std::string> names;
  for (const std::string& mnemonic : mnemonics) {
    const ir::OpInfo* op = ir::findByMnemonic(mnemonic);
    if (op != nullptr && !op->onnxName.empty()) names.emplace_back(op->onnxName);
  }
  return names;
}

/// Names of the entries, each once, in their order.
static std::vector<std::string> patternNames(const backend_api::Backend& backend) {
  target::Target target{.kind = backend.kind().name};
  for (const target::TargetAttribute& attribute : backend.kind().attributes)
    target.attributes.emplace(attribute.name, attribute.defaultValue);
  std::vector<std::string> names;
  for (const backend_api::PatternEntry& entry : backend.patterns(target)) {
    if (!llvm::is_contained(names, entry.name)) names.push_back(entry.name);
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
                   .patterns = patternNames(backend),
                   .onnxOperators = onnxNamesOf(backend.operators()),
                   .memorySpaces = backend.memorySpaces(),
                   .whyMissing = {},
                   .library = {}};
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
  for (const backend_registry::Plugin& plugin : state_->plugins) {
    const auto info = std::ranges::find(infos, plugin.kind, &BackendInfo::name);
    if (info != infos.end()) info->library = plugin.file;
  }
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
