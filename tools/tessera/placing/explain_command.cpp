// tessera explain: why a plan is as it is, of a plan's file or of a model.
#include "tessera/explain.h"

#include <cstdio>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/model.h"
#include "tools/tessera/placing/interrupt.h"
#include "tools/tessera/progress.h"

namespace tessera::cli {

static bool isPlanFile(const std::string& path) {
  return std::filesystem::path(path).extension() == ".json";
}

/// What decides how a model is placed has no say in a plan.
static Status checkPlanOptions(const ModelOptions& options) {
  const std::pair<const char*, bool> given[] = {
      {"--targets", !options.targets.empty()}, {"--placement", options.placement != "greedy"},
      {"--plan", !options.plan.empty()},       {"--costs", !options.costs.empty()},
      {"--pins", !options.pins.empty()},       {"--shape", !options.shapes.empty()},
      {"--dim", !options.dims.empty()},
  };
  for (const auto& [name, isGiven] : given) {
    if (isGiven)
      return usageError(std::string(name) + " is for models that are placed; '" + options.model +
                        "' is a plan");
  }
  return {};
}

/// The plan of a model: read and held against it, found, or greedy's.
static Result<std::string> planOfModel(const ModelOptions& model) {
  TESSERA_TRY(CompileOptions options, compileOptions(model));
  const ProgressBar bar;
  options.progress = bar.callback();
  const Interrupt interrupt;
  options.search.isStopped = Interrupt::isAsked;
  TESSERA_TRY(Module module, Module::load(model.model, options));
  if (module.phase() >= Phase::kPartition)
    return usageError("'" + model.model + "' is already partitioned");
  if (model.plan.empty() && model.placement != "measured") return module.greedyPlan();
  TESSERA_TRY_VOID(module.runTo(Phase::kPartition));
  printNotes(module);
  return model.plan.empty() ? module.plan() : base::readFile(model.plan);
}

static Result<std::string> planOf(const ModelOptions& model) {
  if (isPlanFile(model.model)) {
    TESSERA_TRY_VOID(checkPlanOptions(model));
    return base::readFile(model.model);
  }
  if (!isCompilable(model.model))
    return usageError("'" + model.model + "' is no .onnx, .mlir, .mlirbc or .json file");
  if (isInterpretedTarget(model.targets))
    return usageError("target '" + model.targets + "' evaluates modules and owns nothing");
  return planOfModel(model);
}

/// Errors name the plan's file.
static Result<std::string> explained(const std::string& plan, const ExplainCommand& command,
                                     ExplanationFormat format) {
  auto text =
      explainPlan(plan, {.format = format,
                         .node = command.node,
                         .title = std::filesystem::path(command.model.model).stem().string()});
  if (text || text.error().code != ErrorCode::kInvalidInput) return text;
  Error error = text.error();
  error.file = isPlanFile(command.model.model) ? command.model.model : command.model.plan;
  return error;
}

Result<int> runExplain(const ExplainCommand& command) {
  if (!command.node.empty() && !(command.html.empty() && command.dot.empty()))
    return usageError("--node is about one node; --html and --dot show the whole plan");
  if (!command.html.empty() && command.html == command.dot)
    return usageError("--html and --dot name one file, '" + command.html + "'");
  for (const std::string& path : {command.html, command.dot})
    TESSERA_TRY_VOID(checkOutput(path, command.model));
  TESSERA_TRY(const std::string plan, planOf(command.model));
  using Format = ExplanationFormat;
  TESSERA_TRY(const std::string answer,
              explained(plan, command, command.asJson ? Format::kJson : Format::kText));
  for (const auto& [path, format] :
       {std::pair(command.html, Format::kHtml), std::pair(command.dot, Format::kDot)}) {
    if (path.empty()) continue;
    TESSERA_TRY(const std::string text, explained(plan, command, format));
    TESSERA_TRY_VOID(base::writeFile(path, text));
  }
  std::fputs(answer.c_str(), stdout);
  return 0;
}

}  // namespace tessera::cli
