// tessera tune: what compile --placement measured does in front of compiling.
#include <cstdio>

#include "base/atomic_file.h"
#include "tessera/explain.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/model.h"
#include "tools/tessera/placing/interrupt.h"
#include "tools/tessera/progress.h"

namespace tessera::cli {

Result<int> runTune(const TuneCommand& command) {
  if (!isCompilable(command.model.model))
    return usageError("'" + command.model.model + "' is no .onnx, .mlir or .mlirbc file");
  if (command.model.placement != "measured")
    return usageError("--placement " + command.model.placement + " measures nothing");
  if (!command.model.plan.empty())
    return usageError("--plan says who runs what: there is nothing to measure");
  TESSERA_TRY_VOID(checkOutput(command.savePlan, command.model));
  TESSERA_TRY(CompileOptions options, compileOptions(command.model));
  std::string explained;
  {
    const ProgressBar bar;
    options.progress = bar.callback();
    const Interrupt interrupt;
    options.search.isStopped = Interrupt::isAsked;
    options.search.mustKeep = true;
    options.search.numRandomPlans = command.numRandomPlans;
    TESSERA_TRY(Module module, Module::load(command.model.model, options));
    if (module.phase() >= Phase::kPartition)
      return usageError("'" + command.model.model + "' is already partitioned");
    TESSERA_TRY_VOID(module.runTo(Phase::kPartition));
    printNotes(module);
    TESSERA_TRY(const std::string plan, module.plan());
    if (!command.savePlan.empty()) TESSERA_TRY_VOID(base::writeFile(command.savePlan, plan));
    TESSERA_TRY(explained, explainPlan(plan, {}));
  }
  std::fputs(explained.c_str(), stdout);
  return 0;
}

}  // namespace tessera::cli
