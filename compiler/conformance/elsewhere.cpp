#include "compiler/conformance/elsewhere.h"

#include <limits>

#include "compiler/conformance/serve.h"
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
                     .memoryLimit = worker::memoryLimitOfEnvironment(),
                     .maxFailures = std::numeric_limits<size_t>::max()}));
}

/// The functions, in order, as one module.
static mlir::OwningOpRef<mlir::ModuleOp> moduleOf(const Kit& kit,
                                                  std::span<const mlir::func::FuncOp> functions) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&kit.context));
  for (size_t i = 0; i < functions.size(); ++i) {
    Function function = cloneOf(functions[i]);
    function->setName("case_" + std::to_string(i));
    module->push_back(function.release());
  }
  return module;
}

Result<worker::Message> Elsewhere::ask(const Kit& kit, const char* call,
                                       std::span<const mlir::func::FuncOp> functions, json names) {
  const auto module = moduleOf(kit, functions);
  TESSERA_TRY(const auto packed, isolation::PackedModule::make(*module, {}));
  const json question = {{"call", call},
                         {"target", kit.options.target},
                         {"library", kit.library},
                         {"folder", kit.folder.string()},
                         {"seed", kit.options.seed},
                         {"names", std::move(names)},
                         {"module", packed->header}};
  TESSERA_TRY(worker::Message answer, worker_.ask(question, packed->payloads));
  if (answer.header.contains("failed")) return targetFailed(textOf(answer.header, "failed"));
  return answer;
}

static Finding crashOf(const Error& error) {
  return {.check = "crash", .index = 0, .what = error.message};
}

static std::vector<std::string> textsOf(const worker::Message& answer, const char* key) {
  std::vector<std::string> texts;
  for (const json& text : listOf(answer.header, key)) {
    if (text.is_string()) texts.push_back(text);
  }
  return texts;
}

static CasesOutcome outcomeOf(const worker::Message& answer, size_t numCases) {
  CasesOutcome outcome;
  outcome.numLayouts = numberOf(answer.header, "layouts");
  for (std::string& name : textsOf(answer, "operators")) outcome.operators.insert(std::move(name));
  for (std::string& name : textsOf(answer, "spaces")) outcome.spaces.insert(std::move(name));
  for (const json& finding : listOf(answer.header, "findings")) {
    const size_t index = numberOf(finding, "index");
    outcome.findings.push_back({.check = textOf(finding, "check"),
                                .index = std::min(index, numCases - 1),
                                .what = textOf(finding, "what")});
  }
  return outcome;
}

CasesOutcome Elsewhere::check(const Kit& kit, std::span<const Case* const> cases) {
  if (cases.empty()) return {};
  std::vector<mlir::func::FuncOp> functions;
  json names = json::array();
  for (const Case* one : cases) {
    functions.push_back(*one->function);
    names.push_back(one->name);
  }
  const auto answer = ask(kit, kCheckCases, functions, std::move(names));
  if (answer) return outcomeOf(*answer, cases.size());
  if (cases.size() == 1) return {.findings = {crashOf(answer.error())}};
  const size_t middle = cases.size() / 2;
  CasesOutcome outcome = check(kit, cases.first(middle));
  outcome.add(check(kit, cases.subspan(middle)), middle);
  return outcome;
}

std::variant<Answers, Finding> Elsewhere::askAbout(const Kit& kit, mlir::func::FuncOp function) {
  const auto answer = ask(kit, kAskAboutCase, std::vector{function});
  if (!answer) return crashOf(answer.error());
  return Answers{.isTaken = numberOf(answer->header, "taken") != 0,
                 .silent = textsOf(*answer, "silent"),
                 .failures = textsOf(*answer, "failures")};
}

Placement Elsewhere::place(const Kit& kit, std::span<const mlir::func::FuncOp> functions) {
  const auto answer = ask(kit, kPlaceCases, functions);
  if (!answer) return crashOf(answer.error());
  if (answer->header.contains("wrong"))
    return Finding{.check = "honesty", .index = 0, .what = textOf(answer->header, "wrong")};
  const std::vector<std::string> operators = textsOf(*answer, "operators");
  Placed placed{.isTaken = std::vector<bool>(functions.size()),
                .operators = {operators.begin(), operators.end()},
                .patterns = textsOf(*answer, "patterns")};
  for (const json& index : listOf(answer->header, "taken")) {
    if (index.is_number_unsigned() && index < functions.size()) placed.isTaken[index] = true;
  }
  return placed;
}

}  // namespace tessera::conformance
