#include "compiler/conformance/serve.h"

#include "compiler/conformance/check_cases.h"
#include "compiler/conformance/setting.h"
#include "compiler/isolation/module_message.h"

namespace tessera::conformance {

using nlohmann::json;
using worker::Answer, worker::failed, worker::Message;
using worker::listOf, worker::numberOf, worker::textOf;

bool isQuestion(const Message& message) { return textOf(message.header, "call") == "check_cases"; }

namespace {

class Server {
 public:
  Answer handle(const Message& message) {
    if (const Status status = settle(message); !status) return failed(status.error().toString());
    const Kit& kit = setting_->kit();
    const auto module = isolation::moduleOf(kit.context, message);
    if (!module) return failed(module.error().message);
    const json names = listOf(message.header, "names");
    std::vector<Case> cases;
    for (auto function : (**module).getOps<mlir::func::FuncOp>()) {
      const std::string name =
          cases.size() < names.size() && names[cases.size()].is_string() ? names[cases.size()] : "";
      auto one = prepareCase(name, function, kit.options.seed);
      if (!one) return failed(one.error().toString());
      cases.push_back(std::move(*one));
    }
    std::vector<const Case*> all;
    for (const Case& one : cases) all.push_back(&one);
    const CasesOutcome outcome = checkCases(kit, all);
    json findings = json::array();
    for (const Finding& finding : outcome.findings)
      findings.push_back({{"check", finding.check},
                          {"index", uint64_t{finding.index}},
                          {"what", worker::validText(finding.what)}});
    return {
        .header = {{"findings", std::move(findings)}, {"layouts", uint64_t{outcome.numLayouts}}}};
  }

 private:
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
    TESSERA_TRY(setting_, Setting::make(std::move(options)));
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
