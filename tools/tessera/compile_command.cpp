#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/atomic_file.h"
#include "commands.h"
#include "model.h"
#include "placing/interrupt.h"
#include "progress.h"
#include "verify.h"

namespace tessera::cli {

static void printTimings(const Module& module) {
  for (const PassTiming& timing : module.timings())
    std::printf("%10.1f ms  %-15s %s%s\n", timing.seconds * 1e3, timing.phase.c_str(),
                timing.pass.c_str(),
                timing.target.empty() ? "" : ("  (" + timing.target + ")").c_str());
}

/// Where the result goes: as asked, else the model's name in the present folder.
static Result<std::string> outputPath(const CompileCommand& command) {
  const std::string extension = command.emit == "artifact" ? "tsr" : command.emit;
  const std::string path =
      !command.output.empty()
          ? command.output
          : std::filesystem::path(command.model.model).stem().string() + "." + extension;
  TESSERA_TRY_VOID(checkOutput(path, command.model));
  TESSERA_TRY_VOID(checkOutput(command.savePlan, command.model));
  const std::filesystem::path plan(command.savePlan);
  if (!plan.empty() && std::filesystem::absolute(plan).lexically_normal() ==
                           std::filesystem::absolute(path).lexically_normal())
    return usageError("the plan would replace the result '" + path + "'");
  return path;
}

static std::string joinedPhases() {
  std::string names;
  for (const std::string_view name : kPhaseNames)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

/// Runs the phases that are asked for: "lower", or "lower:native" for a part of one.
static Status runPhases(Module& module, const CompileCommand& command) {
  const std::string& text = command.stopAfter;
  if (text.empty()) {
    // A saved module may be past what ONNX is written of by default.
    const Phase last = command.emit == "onnx" ? Phase::kPartition : Phase::kLink;
    return module.runTo(std::max(last, module.phase()));
  }
  const size_t colon = text.find(':');
  const auto phase = parsePhase(std::string_view(text).substr(0, colon));
  if (!phase || colon + 1 == text.size())
    return usageError("--stop-after " + text + ", expected PHASE or PHASE:TARGET with a phase of " +
                      joinedPhases());
  if (colon == std::string::npos) return module.runTo(*phase);
  return module.runTo(*phase, text.substr(colon + 1));
}

/// Runs the module to the phase that is asked for and writes it.
static Status saveModule(Module& module, const CompileCommand& command, const std::string& path) {
  TESSERA_TRY_VOID(runPhases(module, command));
  if (command.emit == "onnx") return module.saveOnnx(path, command.opset);
  return module.save(path, command.emit == "mlir" ? ModuleFormat::kText : ModuleFormat::kBytecode);
}

Result<int> runCompile(const CompileCommand& command) {
  const bool wantsModule = command.emit != "artifact";
  if (!wantsModule && !command.stopAfter.empty())
    return usageError(
        "--stop-after needs --emit mlir, mlirbc or onnx: an artifact is made by the last phase");
  if (!isCompilable(command.model.model))
    return usageError("'" + command.model.model + "' is no .onnx, .mlir or .mlirbc file");
  if (wantsModule && isInterpretedTarget(command.model.targets))
    return usageError("target '" + command.model.targets +
                      "' evaluates modules of any target; leave --targets out to save one");
  if (!command.savePlan.empty() && command.model.placement != "measured")
    return usageError("--save-plan writes what --placement measured finds");
  TESSERA_TRY(const std::string output, outputPath(command));
  const auto start = std::chrono::steady_clock::now();
  TESSERA_TRY(CompileOptions options, compileOptions(command.model));
  {
    const ProgressBar bar;
    options.progress = bar.callback();
    std::optional<Interrupt> interrupt;
    if (command.model.placement == "measured") {
      interrupt.emplace();
      options.search.isStopped = Interrupt::isAsked;
    }
    options.isStrict = command.isStrict;
    TESSERA_TRY(Module module, Module::load(command.model.model, options));
    if (command.isVerified)
      TESSERA_TRY_VOID(verifyRegions(module, command.model, command.isStrict));
    if (wantsModule) {
      TESSERA_TRY_VOID(saveModule(module, command, output));
    } else {
      TESSERA_TRY_VOID(module.compileToFile(output));
    }
    if (!command.savePlan.empty()) {
      TESSERA_TRY(const std::string plan, module.plan());
      TESSERA_TRY_VOID(base::writeFile(command.savePlan, plan));
    }
    printNotes(module);
    if (command.showTiming) printTimings(module);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %.1f KiB in %.2f s\n", output.c_str(),
              static_cast<double>(std::filesystem::file_size(output)) / 1024, seconds);
  return 0;
}

}  // namespace tessera::cli
