#include "compiler/isolation/serve.h"

#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/isolation/emission_message.h"
#include "compiler/isolation/module_message.h"
#include "compiler/isolation/rehearse.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::isolation {

using namespace mlir;
using worker::Answer, worker::Channel, worker::failed, worker::Message;
using worker::listOf, worker::numberOf, worker::textOf;

bool isQuestion(const Message& message) {
  const std::string call = textOf(message.header, "call");
  return call == "rehearse" || call == "run_passes" || call == "emit";
}

namespace {

class Server {
 public:
  explicit Server(const backend_api::BackendRegistry& registry) : registry_(registry) {
    DialectRegistry dialects;
    dialects.insert<ir::TsrDialect, func::FuncDialect>();
    for (const backend_api::Backend* backend : registry.backends())
      backend->registerDialects(dialects);
    context_.appendDialectRegistry(dialects);
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    context_.printOpOnDiagnostic(false);
    backend_api::attachRegistry(context_, registry);
    backend_api::attachCodeCache(context_, &cache_);
    backend_api::loadDialects(context_);
  }

  Answer handle(const Message& message, Channel& channel) {
    auto owner = ownerIn(message);
    if (!owner) return failed(owner.error().message);
    auto module = moduleOf(context_, message);
    if (!module) return failed(module.error().message);
    const std::string call = textOf(message.header, "call");
    if (call == "emit") return emit(message, *owner, **module, channel);
    if (call == "run_passes") return runPasses(message, *owner, **module);
    rehearse(**module, *owner, registry_);
    return {};
  }

 private:
  Result<backend_api::Owner> ownerIn(const Message& message) const {
    std::vector<const target::TargetKind*> kinds;
    for (const backend_api::Backend* backend : registry_.backends())
      kinds.push_back(&backend->kind());
    TESSERA_TRY(target::Target target,
                target::parseTarget(textOf(message.header, "target"), kinds));
    const backend_api::Backend* backend = registry_.find(target.kind);
    return backend_api::Owner{.target = std::move(target), .backend = backend};
  }

  Answer runPasses(const Message& message, const backend_api::Owner& owner, ModuleOp module) {
    const auto phase = target::parsePhase(std::string_view(textOf(message.header, "phase")));
    if (!phase) return failed("there is no such phase");
    const auto isBefore = message.header.find("is_before");
    const bool isFirst = isBefore != message.header.end() && *isBefore == true;
    PassManager manager(&context_, ModuleOp::getOperationName());
    owner.backend->addPasses(*phase,
                             isFirst ? target::HookPoint::kBefore : target::HookPoint::kAfter,
                             manager, owner.target);
    // Whoever asked has these constants.
    const std::set<std::string> known = ir::blobHashes(module);
    ir::DiagnosticCapture diagnostics(&context_);
    if (mlir::failed(manager.run(module)))
      return failed(diagnostics.take(targetFailed("a pass failed without a reason")).toString());
    auto packed = PackedModule::make(module, known);
    if (!packed) return failed(packed.error().message);
    Answer answer{.header = {{"module", (*packed)->header}}};
    for (const worker::Bytes payload : (*packed)->payloads)
      answer.payloads.emplace_back(payload.begin(), payload.end());
    return answer;
  }

  Answer emit(const Message& message, const backend_api::Owner& owner, ModuleOp module,
              Channel& channel) {
    std::vector<func::FuncOp> regions;
    for (const nlohmann::json& name : listOf(message.header, "regions")) {
      auto region = module.lookupSymbol<func::FuncOp>(name.get<std::string>());
      if (!region) return failed("there is no such region");
      regions.push_back(region);
    }
    const backend_api::EmitContext context{
        .numThreads = std::max<size_t>(numberOf(message.header, "threads"), 1),
        .cache = cache_,
        .progress = [&](size_t done, size_t total) {
          (void)channel.send({{"note", "progress"}, {"done", done}, {"total", total}}, {},
                             worker::kNoDeadline);
        }};
    auto emission = owner.backend->emit(module, regions, owner.target, context);
    if (!emission) return failed(backend_api::declined(emission.error()).reason);
    return pack(std::move(*emission));
  }

  const backend_api::BackendRegistry& registry_;
  backend_api::CodeCache cache_;
  MLIRContext context_;
};

}  // namespace

worker::Handler createHandler(const backend_api::BackendRegistry& registry) {
  return [server = std::make_shared<Server>(registry)](Message& message, Channel& channel) {
    return server->handle(message, channel);
  };
}

}  // namespace tessera::isolation
