#include "compiler/conformance/serve.h"

#include "compiler/conformance/check_cases.h"
#include "compiler/conformance/questions.h"
#include "compiler/conformance/setting.h"
#include "compiler/isolation/module_message.h"

namespace tessera::conformance {

using nlohmann::json;
using worker::Answer, worker::failed, worker::Message;
using worker::listOf, worker::numberOf, worker::textOf;

bool isQuestion(const Message& message) {
  const std::string call = textOf(message.header, "call");
  return call == kAskAboutCase || call == kPlaceCases || call == kCheckCases;
}

static json validTexts(const std::vector<std::string>& texts) {
  json valid = json::array();
  for (const std::string& text : texts) valid.push_back(worker::validText(text));
  return valid;
}

static Answer answerOf(const Answers& answers) {
  return {.header = {{"taken", uint64_t{answers.isTaken}},
                     {"silent", validTexts(answers.silent)},
                     {"failures", validTexts(answers.failures)}}};
}

static Answer answerOf(const Placement& placement) {
  if (const auto* wrong = std::get_if<Finding>(&placement))
    return {.header = {{"wrong", worker::validText(wrong->what)}}};
  const auto& placed = std::get<Placed>(placement);
  json taken = json::array();
  for (size_t i = 0; i < placed.isTaken.size(); ++i) {
    if (placed.isTaken[i]) taken.push_back(uint64_t{i});
  }
  return {.header = {{"taken", std::move(taken)},
                     {"operators", placed.operators},
                     {"patterns", validTexts(placed.patterns)}}};
}

static Answer answerOf(const CasesOutcome& outcome) {
  json findings = json::array();
  for (const Finding& finding : outcome.findings)
    findings.push_back({{"check", finding.check},
                        {"index", uint64_t{finding.index}},
                        {"what", worker::validText(finding.what)}});
  return {.header = {{"findings", std::move(findings)},
                     {"layouts", uint64_t{outcome.numLayouts}},
                     {"operators", outcome.operators},
                     {"spaces", outcome.spaces}}};
}

namespace {

class Server {
 public:
  Answer handle(const Message& message) {
    if (const Status status = settle(message); !status) return failed(status.error().toString());
    const Kit& kit = setting_->kit();
    const auto module = isolation::moduleOf(kit.context, message);
    if (!module) return failed(module.error().message);
    const auto functions = llvm::to_vector((**module).getOps<mlir::func::FuncOp>());
    if (functions.empty()) return failed("there is no case");
    const std::string call = textOf(message.header, "call");
    if (call == kAskAboutCase) return answerOf(askAbout(kit, functions[0]));
    if (call == kPlaceCases) return answerOf(placeCases(kit, functions));
    return check(kit, functions, listOf(message.header, "names"));
  }

 private:
  static Answer check(const Kit& kit, std::span<const mlir::func::FuncOp> functions,
                      const json& names) {
    std::vector<Case> cases;
    for (const mlir::func::FuncOp function : functions) {
      const std::string name =
          cases.size() < names.size() && names[cases.size()].is_string() ? names[cases.size()] : "";
      auto one = prepareCase(name, function, kit.options.seed);
      if (!one) return failed(one.error().toString());
      cases.push_back(std::move(*one));
    }
    std::vector<const Case*> all;
    for (const Case& one : cases) all.push_back(&one);
    return answerOf(checkCases(kit, all));
  }

  /// Everything that stays from batch to batch.
  Status settle(const Message& message) {
    if (setting_) return {};
    ConformanceOptions options;
    options.target = textOf(message.header, "target");
    options.seed = numberOf(message.header, "seed");
    const std::string library = textOf(message.header, "library");
    SessionOptions session;
    if (!library.empty()) session.plugins.push_back(library);
    TESSERA_TRY(options.session, Session::create(session));
    // Whoever asks removes it, however this process ends.
    TESSERA_TRY(setting_, Setting::make(std::move(options), textOf(message.header, "folder")));
    return {};
  }

  std::unique_ptr<Setting> setting_;
};

}  // namespace

worker::Handler createHandler() {
  return [server = std::make_shared<Server>()](Message& message, worker::Channel&) {
    return server->handle(message);
  };
}

}  // namespace tessera::conformance
