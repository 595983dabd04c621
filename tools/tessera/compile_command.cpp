#include <chrono>
#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "model.h"
#include "progress.h"

namespace tessera::cli {

static void printTimings(const Module& module) {
  for (const PassTiming& timing : module.timings())
    std::printf("%10.1f ms  %-15s %s%s\n", timing.seconds * 1e3, timing.phase.c_str(),
                timing.pass.c_str(),
                timing.target.empty() ? "" : ("  (" + timing.target + ")").c_str());
}

Result<int> runCompile(const CompileCommand& command) {
  const bool wantsModule = command.emit == "mlir" || command.emit == "mlirbc";
  if (!wantsModule && !command.stopAfter.empty())
    return usageError(
        "--stop-after needs --emit mlir or mlirbc: an artifact is made by the last phase");
  if (!isCompilable(command.model.model))
    return usageError("'" + command.model.model + "' is no .onnx, .mlir or .mlirbc file");
  if (isReference(command.model.targets))
    return usageError(
        wantsModule ? "target 'reference' evaluates modules of any target; leave --targets out to "
                      "save one"
                    : "target 'reference' evaluates modules and makes no artifacts; use run, bench "
                      "or compare");
  const auto start = std::chrono::steady_clock::now();
  TESSERA_TRY(CompileOptions options, compileOptions(command.model));
  {
    const ProgressBar bar;
    options.progress = bar.callback();
    TESSERA_TRY(Module module, Module::load(command.model.model, options));
    if (wantsModule) {
      TESSERA_TRY_VOID(module.runTo(command.stopAfter.empty() ? "link" : command.stopAfter));
      TESSERA_TRY_VOID(module.save(
          command.output, command.emit == "mlir" ? ModuleFormat::kText : ModuleFormat::kBytecode));
    } else {
      TESSERA_TRY_VOID(module.compileToFile(command.output));
    }
    if (command.showTiming) printTimings(module);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %.1f KiB in %.2f s\n", command.output.c_str(),
              static_cast<double>(std::filesystem::file_size(command.output)) / 1024, seconds);
  return 0;
}

}  // namespace tessera::cli
