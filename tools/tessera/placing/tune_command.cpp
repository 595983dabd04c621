// tessera tune: what compile --placement measured does in front of compiling, and how regions of
// the plan are compiled best.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/time_text.h"
#include "tessera/explain.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/model.h"
#include "tools/tessera/placing/interrupt.h"
#include "tools/tessera/placing/learn_schedules.h"
#include "tools/tessera/progress.h"

namespace tessera::cli {

using Clock = std::chrono::steady_clock;

/// Classes for which another schedule than the target's own is faster.
static void printLearnt(const std::vector<LearntClass>& learnt) {
  if (learnt.empty()) return;
  const auto isBetter = [](const LearntClass& each) { return !each.schedule.empty(); };
  std::printf(
      "schedules: %zu classes of regions, %zd of them faster by another than the target's own\n",
      learnt.size(), std::ranges::count_if(learnt, isBetter));
  for (const LearntClass& each : learnt)
    if (isBetter(each))
      std::printf("  %9s -> %9s  %-28s %s\n", base::timeText(each.ownSeconds).c_str(),
                  base::timeText(each.bestSeconds).c_str(), each.schedule.c_str(),
                  each.shapeClass.c_str());
}

/// Nothing for open sizes of which nobody says what they are: of one row, products are others.
static Result<std::vector<LearntClass>> learn(Module& module, const TuneCommand& command,
                                              const CompileOptions& options,
                                              Clock::time_point begin) {
  const auto isOpen = [](const PortInfo& port) { return std::ranges::count(port.shape, -1) > 0; };
  const bool hasTensors = !command.inputs.inputs.empty() || !command.inputs.dataFolder.empty();
  if (!hasTensors && std::ranges::any_of(module.inputs(), isOpen)) {
    std::fputs(
        "note: sizes are open: with --data or --input, of tensors as they come, schedules are "
        "learnt, too\n",
        stderr);
    return std::vector<LearntClass>();
  }
  const auto isStopped = [&] {
    const std::chrono::duration<double> spent = Clock::now() - begin;
    const double most = options.search.budgetSeconds;
    return Interrupt::isAsked() || (most > 0 && spent.count() > most);
  };
  return learnSchedules(module, command.inputs, command.model.threads, isStopped, options.progress);
}

Result<int> runTune(const TuneCommand& command) {
  if (!isCompilable(command.model.model))
    return usageError("'" + command.model.model + "' is no .onnx, .mlir or .mlirbc file");
  if (!command.savePlan.empty() && command.model.placement != "measured")
    return usageError("--save-plan writes what --placement measured finds");
  const bool hasOwnCosts = command.model.costs.starts_with("mock:");
  if (hasOwnCosts && command.model.placement != "measured")
    return usageError("--placement " + command.model.placement +
                      " with --costs mock: measures nothing");
  if (!command.model.plan.empty())
    return usageError("--plan says who runs what: there is nothing to measure");
  TESSERA_TRY_VOID(checkOutput(command.savePlan, command.model));
  const auto begin = Clock::now();
  TESSERA_TRY(CompileOptions options, compileOptions(command.model));
  std::string explained;
  std::vector<LearntClass> learnt;
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
    if (command.model.placement == "measured") {
      TESSERA_TRY(const std::string plan, module.plan());
      if (!command.savePlan.empty()) TESSERA_TRY_VOID(base::writeFile(command.savePlan, plan));
      TESSERA_TRY(explained, explainPlan(plan, {}));
    }
    if (!hasOwnCosts) {
      TESSERA_TRY(learnt, learn(module, command, options, begin));
    }
  }
  std::fputs(explained.c_str(), stdout);
  printLearnt(learnt);
  return 0;
}

}  // namespace tessera::cli
