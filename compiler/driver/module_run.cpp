// Running phases and making artifacts.
#include "artifact/writer.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/partition/exclusions.h"

namespace tessera {

Phase Module::phase() const { return driver::phaseOf(state_->module()); }

Status Module::runTo(Phase wanted) {
  if (wanted < phase())
    return usageError("the module is at phase '" + std::string(phaseName(phase())) +
                      "', behind the phase '" + std::string(phaseName(wanted)) + "' asked for");
  if (wanted >= Phase::kPartition && state_->needsPlan()) {
    if (phase() < Phase::kPrePartition) TESSERA_TRY_VOID(runTo(Phase::kPrePartition));
    const Status status = state_->settlePlan();
    if (!status) return state_->atFile(status.error());
  }
  const auto progress = [&](const std::string& what, size_t done, size_t total) {
    if (state_->options.progress) state_->options.progress(what, done, total);
  };
  const driver::RunOptions options{
      .services = {.import = {},
                   .findSchedule = state_->scheduleFinder(),
                   .emit = {.cache = &state_->session->state_->cache,
                            .progress = [&](size_t done,
                                            size_t total) { progress("emit", done, total); }}},
      .isStrict = state_->options.isStrict,
      .finished = [&](Phase phase) {
        progress(std::string(phaseName(phase)), static_cast<size_t>(phase), kPhaseNames.size());
      }};
  const Status status = driver::runPhases(state_->phases, wanted, *state_->door, options);
  return status ? status : Status(state_->atFile(status.error()));
}

Status Module::runTo(Phase wanted, const std::string& target) {
  if (wanted <= phase())
    return usageError("the module is at phase '" + std::string(phaseName(phase())) +
                      "', behind a part of phase '" + std::string(phaseName(wanted)) + "'");
  TESSERA_TRY_VOID(runTo(static_cast<Phase>(static_cast<int>(wanted) - 1)));
  const driver::PhaseServices services{.import = {},
                                       .findSchedule = state_->scheduleFinder(),
                                       .emit = {.cache = &state_->session->state_->cache}};
  const Status status =
      driver::runPartOfPhase(state_->module(), wanted, target, services, *state_->door);
  return status ? status : Status(state_->atFile(status.error()));
}

/// Errors (kUsage): the module is for a target that makes no code.
static Status checkCompiled(const std::string& targets) {
  if (!isInterpretedTarget(targets)) return {};
  return usageError("target '" + targets + "' evaluates modules and makes no artifacts");
}

Status Module::compileToFile(const std::string& path) {
  TESSERA_TRY_VOID(checkCompiled(state_->options.targets));
  TESSERA_TRY_VOID(runTo(Phase::kLink));
  auto bundle = codegen::makeBundle(state_->module());
  if (!bundle) return state_->atFile(std::move(bundle).error());
  Status written = artifact::writeFile(*bundle, path);
  if (!written) return state_->atFile(std::move(written).error());
  return written;
}

Result<std::vector<std::byte>> Module::compileToMemory() {
  TESSERA_TRY_VOID(checkCompiled(state_->options.targets));
  TESSERA_TRY_VOID(runTo(Phase::kLink));
  auto bundle = codegen::makeBundle(state_->module());
  if (!bundle) return state_->atFile(std::move(bundle).error());
  auto bytes = artifact::writeMemory(*bundle);
  if (!bytes) return state_->atFile(std::move(bytes).error());
  return bytes;
}

std::string Module::toText() const { return driver::printOperation(state_->module()); }

Status Module::save(const std::string& path, ModuleFormat format) const {
  return ir::saveModule(
      state_->module(), path,
      format == ModuleFormat::kText ? ir::ModuleFormat::kText : ir::ModuleFormat::kBytecode);
}

std::vector<PassTiming> Module::timings() const { return state_->door->timings(); }

std::vector<Refusal> Module::refusals() const {
  std::vector<Refusal> refusals;
  for (const partition::Exclusion& exclusion : partition::exclusionsOf(state_->module()))
    refusals.push_back({.target = backend_api::fromAttribute(exclusion.target).toString(),
                        .reason = exclusion.reason,
                        .node = exclusion.node});
  return refusals;
}

}  // namespace tessera
