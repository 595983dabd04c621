// Running phases and making artifacts.
#include "artifact/writer.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/driver/module_state.h"
#include "compiler/driver/pipeline.h"
#include "compiler/ir/module_io.h"

namespace tessera {

using target::Phase;

std::string Module::phase() const {
  return std::string(target::phaseName(driver::phaseOf(*state_->module)));
}

Status Module::runTo(const std::string& phase) {
  const auto wanted = target::parsePhase(phase);
  if (!wanted) return usageError("unknown phase '" + phase + "'");
  if (*wanted >= Phase::kEmit)
    return usageError("phase '" + phase + "' makes the artifact; compile the module instead");
  const Phase present = driver::phaseOf(*state_->module);
  if (*wanted < present)
    return usageError("the module is at phase '" + this->phase() + "', behind the phase '" + phase +
                      "' asked for");
  for (int next = static_cast<int>(present) + 1; next <= static_cast<int>(*wanted); ++next) {
    const Status status =
        driver::runPhase(*state_->module, static_cast<Phase>(next), state_->owners, *state_->door);
    if (!status) return state_->atFile(status.error());
    if (state_->options.progress) {
      state_->options.progress(std::string(target::phaseName(static_cast<Phase>(next))), next,
                               target::kPhaseNames.size());
    }
  }
  return {};
}

static Result<artifact::Bundle> makeArtifact(mlir::ModuleOp module,
                                             const backend_api::Owners& owners,
                                             driver::PassDoor& door,
                                             const ProgressCallback& progress) {
  backend_api::Progress regionProgress;
  if (progress) regionProgress = [&](size_t done, size_t total) { progress("emit", done, total); };
  TESSERA_TRY(auto emissions, codegen::emitRegions(module, owners, regionProgress));
  TESSERA_TRY_VOID(driver::runPhase(module, Phase::kLink, owners, door));
  const auto threads = module->getAttrOfType<mlir::IntegerAttr>(driver::kThreadsAttribute);
  return codegen::makeBundle(
      module, std::move(emissions),
      {.producer = "tessera " + version(),
       .modelName = module.getSymName().value_or("").str(),
       .defaultThreads = threads ? static_cast<uint32_t>(threads.getInt()) : 0});
}

Status Module::compileToFile(const std::string& path) {
  TESSERA_TRY_VOID(runTo("optimize"));
  auto bundle =
      makeArtifact(*state_->module, state_->owners, *state_->door, state_->options.progress);
  if (!bundle) return state_->atFile(std::move(bundle).error());
  return artifact::writeFile(*bundle, path);
}

Result<std::vector<std::byte>> Module::compileToMemory() {
  TESSERA_TRY_VOID(runTo("optimize"));
  auto bundle =
      makeArtifact(*state_->module, state_->owners, *state_->door, state_->options.progress);
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
  for (const auto& [phase, pass, seconds] : state_->door->timings())
    timings.push_back({.phase = phase, .pass = pass, .seconds = seconds});
  return timings;
}

}  // namespace tessera
