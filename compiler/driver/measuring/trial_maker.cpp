#include "compiler/driver/measuring/trial_maker.h"

#include "artifact/writer.h"
#include "compiler/backend_registry/registry.h"
#include "compiler/codegen/make_bundle.h"
#include "compiler/driver/context.h"
#include "compiler/driver/run_phases.h"
#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/isolation/rehearse.h"
#include "compiler/partition/passes.h"
#include "mlir/Parser/Parser.h"

namespace tessera::driver {

using nlohmann::json;
using worker::listOf, worker::numberOf, worker::textOf;

TrialMaker::TrialMaker() = default;

Result<std::unique_ptr<TrialMaker>> TrialMaker::create(const std::vector<std::string>& plugins) {
  auto maker = std::unique_ptr<TrialMaker>(new TrialMaker);
  auto missing = backend_registry::addBuiltinBackends(maker->registry_);
  for (const std::string& file : plugins)
    TESSERA_TRY_VOID(backend_registry::addPlugin(maker->registry_, file));
  (void)backend_registry::addFoundPlugins(maker->registry_, missing);
  maker->context_ = makeContext(maker->registry_);
  backend_api::attachCodeCache(*maker->context_, &maker->cache_);
  return maker;
}

Result<std::span<const std::byte>> TrialMaker::bytesAt(const json& header, const json& extent) {
  return memory_.read(textOf(header, "memory"),
                      {.offset = numberOf(extent, "offset"), .size = numberOf(extent, "size")});
}

Result<std::vector<HostTensor>> TrialMaker::tensorsOf(const json& header, const char* key) {
  std::vector<HostTensor> tensors;
  for (const json& each : listOf(header, key)) {
    HostTensor& tensor = tensors.emplace_back();
    tensor.type = static_cast<ElementType>(numberOf(each, "type"));
    size_t size = elementSizeBytes(tensor.type);
    for (const json& dim : listOf(each, "shape")) {
      tensor.shape.push_back(dim.get<int64_t>());
      size *= static_cast<size_t>(tensor.shape.back());
    }
    TESSERA_TRY(tensor.bytes, bytesAt(header, each));
    if (tensor.bytes.size() != size) return targetFailed("a tensor has another size than it says");
  }
  return tensors;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> TrialMaker::readModule(const worker::Message& question) {
  if (question.payloads.empty()) return targetFailed("there is no module");
  auto& store = context_->getLoadedDialect<ir::TsrDialect>()->constants();
  for (const json& constant : listOf(question.header, "constants")) {
    const std::string hash = textOf(constant, "hash");
    if (store.contains(hash)) continue;
    TESSERA_TRY(const auto bytes, bytesAt(question.header, constant));
    // The mapping lives as long as the process.
    store.addNamed(hash, {.bytes = bytes, .owner = std::make_shared<int>(0)});
  }
  const std::vector<std::byte>& bytecode = question.payloads.front();
  ir::DiagnosticCapture diagnostics(context_.get());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      llvm::StringRef(reinterpret_cast<const char*>(bytecode.data()), bytecode.size()),
      mlir::ParserConfig(context_.get()), "trial");
  if (!module) return diagnostics.take(targetFailed("it is no module"));
  return module;
}

Status TrialMaker::rehearse(const worker::Message& question) {
  TESSERA_TRY(const auto module, readModule(question));
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(*module));
  for (const backend_api::Owner& owner : owners)
    if (owner.target.toString() == textOf(question.header, "target"))
      isolation::rehearse(*module, owner, registry_);
  return {};
}

/// Of each instruction of a host program, in order.
static std::vector<InstructionKind> instructionsOf(mlir::ModuleOp module) {
  std::vector<InstructionKind> kinds;
  for (mlir::Operation& op : ir::entryFunction(module).getBody().front()) {
    if (!llvm::isa<ir::CallOp, ir::CopyBufferOp>(op)) continue;
    const auto kind = llvm::isa<ir::CallOp>(op) ? InstructionKind::kCall : InstructionKind::kCopy;
    kinds.push_back(partition::isAtBorder(op.getLoc()) ? InstructionKind::kBorder : kind);
  }
  return kinds;
}

Result<TrialMaker::Program> TrialMaker::compile(mlir::OwningOpRef<mlir::ModuleOp> module) {
  PassDoor door(*context_, {});
  ModuleInPhases phases{.module = std::move(module), .unplaced = {}};
  const RunOptions options{
      .services = {.import = {}, .findSchedule = {}, .emit = {.cache = &cache_, .progress = {}}},
      .isStrict = true,
      .finished = {}};
  TESSERA_TRY_VOID(runPhases(phases, target::Phase::kLink, door, options));
  TESSERA_TRY(const artifact::Bundle bundle, codegen::makeBundle(*phases.module));
  TESSERA_TRY(std::vector<std::byte> artifact,
              artifact::writeMemory(bundle, {.referenceConstants = true}));
  return Program{.artifact = std::move(artifact), .instructions = instructionsOf(*phases.module)};
}

std::variant<std::unique_ptr<Trial>, TrialFailure> TrialMaker::make(worker::Message question) {
  takeSharedCode(question, cache_);
  (void)takeCode();  // Who asks has that.
  using Kind = TrialFailure::Kind;
  const auto fails = [](Kind kind, const Error& error) {
    return TrialFailure{.kind = kind, .reason = error.message};
  };
  TrialData data{.inputs = {},
                 .expected = {},
                 .threads = static_cast<uint32_t>(numberOf(question.header, "threads")),
                 .isWhole = numberOf(question.header, "is_whole") != 0,
                 .surroundings = &surroundings_,
                 .rest = {.bytes = numberOf(question.header, "rest"),
                          .leavesBuffersNear = numberOf(question.header, "near") != 0}};
  auto inputs = tensorsOf(question.header, "inputs");
  if (!inputs) return fails(Kind::kFailed, inputs.error());
  auto expected = tensorsOf(question.header, "expected");
  if (!expected) return fails(Kind::kFailed, expected.error());
  data.inputs = std::move(*inputs);
  data.expected = std::move(*expected);
  auto module = readModule(question);
  if (!module) return fails(Kind::kFailed, module.error());
  auto program = compile(std::move(*module));
  if (!program) return fails(Kind::kDeclined, program.error());
  data.program = std::move(program->instructions);
  const auto findConstant = [this](const char* hash) {
    return context_->getLoadedDialect<ir::TsrDialect>()->constants().find(hash).bytes;
  };
  auto trial = Trial::load(std::move(program->artifact), std::move(data), findConstant);
  if (!trial) return fails(Kind::kFailed, trial.error());
  auto wrong = (*trial)->whatIsWrong();
  if (!wrong) return fails(Kind::kFailed, wrong.error());
  if (!wrong->empty()) return TrialFailure{.kind = Kind::kWrong, .reason = *wrong};
  return std::move(*trial);
}

}  // namespace tessera::driver
