// Running phases and making artifacts.
#include "artifact/writer.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/module_io.h"

namespace tessera {

Phase Module::phase() const { return driver::phaseOf(*state_->module); }

Status Module::State::run(Phase phase, const driver::PhaseServices& services) {
  return driver::runPhase(*module, phase, services, *door);
}

Status Module::runTo(Phase wanted) {
  if (wanted < phase())
    return usageError("the module is at phase '" + std::string(phaseName(phase())) +
                      "', behind the phase '" + std::string(phaseName(wanted)) + "' asked for");
  const auto progress = [&](const std::string& what, size_t done, size_t total) {
    if (state_->options.progress) state_->options.progress(what, done, total);
  };
  const driver::PhaseServices services{
      .import = {},
      .emit = {.cache = &state_->session->state_->cache,
               .progress = [&](size_t done, size_t total) { progress("emit", done, total); }}};
  while (driver::phaseOf(*state_->module) < wanted) {
    const auto next = static_cast<Phase>(static_cast<int>(driver::phaseOf(*state_->module)) + 1);
    if (const Status status = state_->run(next, services); !status)
      return state_->atFile(status.error());
    progress(std::string(phaseName(next)), static_cast<size_t>(next), kPhaseNames.size());
    if (next == Phase::kEmit) TESSERA_TRY_VOID(state_->checkRefusals());
  }
  return {};
}

/// Errors (kUsage): the module is for a target that makes no code.
static Status checkCompiled(const std::string& targets) {
  if (!isInterpretedTarget(targets)) return {};
  return usageError("target '" + targets + "' evaluates modules and makes no artifacts");
}

Status Module::compileToFile(const std::string& path) {
  TESSERA_TRY_VOID(checkCompiled(state_->options.targets));
  TESSERA_TRY_VOID(runTo(Phase::kLink));
  auto bundle = codegen::makeBundle(*state_->module);
  if (!bundle) return state_->atFile(std::move(bundle).error());
  return artifact::writeFile(*bundle, path);
}

Result<std::vector<std::byte>> Module::compileToMemory() {
  TESSERA_TRY_VOID(checkCompiled(state_->options.targets));
  TESSERA_TRY_VOID(runTo(Phase::kLink));
  auto bundle = codegen::makeBundle(*state_->module);
  if (!bundle) return state_->atFile(std::move(bundle).error());
  return artifact::writeMemory(*bundle);
}

std::string Module::toText() const { return driver::printOperation(*state_->module); }

Status Module::save(const std::string& path, ModuleFormat format) const {
  return ir::saveModule(
      *state_->module, path,
      format == ModuleFormat::kText ? ir::ModuleFormat::kText : ir::ModuleFormat::kBytecode);
}

std::vector<PassTiming> Module::timings() const {
  std::vector<PassTiming> timings;
  for (const auto& [phase, pass, target, seconds] : state_->door->timings())
    timings.push_back({.phase = phase, .pass = pass, .target = target, .seconds = seconds});
  return timings;
}

}  // namespace tessera
