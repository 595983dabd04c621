#include "compiler/conformance/elsewhere.h"

#include <limits>

#include "compiler/isolation/module_message.h"

namespace tessera::conformance {

using nlohmann::json;
using worker::listOf, worker::numberOf, worker::textOf;

/// A batch takes seconds.
static constexpr auto kTimeLimit = std::chrono::minutes(5);

std::unique_ptr<Elsewhere> Elsewhere::make(const Kit& kit) {
  if (!kit.options.runtimes.empty()) return nullptr;
  auto program = worker::workerProgram();
  if (!program) return nullptr;
  return std::unique_ptr<Elsewhere>(
      new Elsewhere({.command = {std::move(*program), "worker"},
                     .timeLimit = std::min<std::chrono::milliseconds>(
                         worker::timeLimitOfEnvironment(), kTimeLimit),
                     .maxFailures = std::numeric_limits<size_t>::max()}));
}

/// The functions of the cases, in order, as one module.
static mlir::OwningOpRef<mlir::ModuleOp> moduleOf(const Kit& kit,
                                                  std::span<const Case* const> cases) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&kit.context));
  for (const Case* one : cases) {
    Function function = cloneOf(*one->function);
    function->setName("case_" + std::to_string(module->getBody()->getOperations().size()));
    module->push_back(function.release());
  }
  return module;
}

static json questionAbout(const Kit& kit, std::span<const Case* const> cases) {
  json names = json::array();
  for (const Case* one : cases) names.push_back(one->name);
  return {{"call", "check_cases"},
          {"target", kit.options.target},
          {"library", kit.library},
          {"seed", kit.options.seed},
          {"names", std::move(names)}};
}

static CasesOutcome outcomeOf(const worker::Message& answer, size_t numCases) {
  CasesOutcome outcome;
  outcome.numLayouts = numberOf(answer.header, "layouts");
  for (const json& finding : listOf(answer.header, "findings")) {
    const size_t index = numberOf(finding, "index");
    outcome.findings.push_back({.check = textOf(finding, "check"),
                                .index = std::min(index, numCases - 1),
                                .what = textOf(finding, "what")});
  }
  return outcome;
}

Result<worker::Message> Elsewhere::ask(const Kit& kit, std::span<const Case* const> cases) {
  const auto module = moduleOf(kit, cases);
  TESSERA_TRY(const auto packed, isolation::PackedModule::make(*module, {}));
  json question = questionAbout(kit, cases);
  question["module"] = packed->header;
  return worker_.ask(question, packed->payloads);
}

CasesOutcome Elsewhere::check(const Kit& kit, std::span<const Case* const> cases) {
  if (cases.empty()) return {};
  const auto answer = ask(kit, cases);
  const bool isAnswer = answer && !answer->header.contains("failed");
  if (isAnswer) return outcomeOf(*answer, cases.size());
  if (cases.size() == 1) {
    const std::string what = answer ? textOf(answer->header, "failed") : answer.error().message;
    return {.findings = {{.check = "crash", .index = 0, .what = what}}};
  }
  const size_t middle = cases.size() / 2;
  CasesOutcome outcome = check(kit, cases.first(middle));
  CasesOutcome rest = check(kit, cases.subspan(middle));
  for (Finding& finding : rest.findings) {
    finding.index += middle;
    outcome.findings.push_back(std::move(finding));
  }
  outcome.numLayouts += rest.numLayouts;
  return outcome;
}

}  // namespace tessera::conformance
